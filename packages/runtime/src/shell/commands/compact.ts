/** `stoplog compact` */
import { loadLogModule, type Cleaned } from '@stoplog/core/port';
import { cleanedData, cleanedLines } from '../../pure/console/cleaned-text.ts';
import type { Command } from './command.ts';
import { LOG_HELP, logArgument, openForTools, topicNamed } from './log-argument.ts';

export const compact: Command = {
  name: 'compact',
  summary: 'applies retention and compacts, now',
  operands: [],
  options: { log: 'text', topic: 'text', roll: 'flag', json: 'flag' },
  help: `Examples
  stoplog compact                                       every topic of the log in ./data
  stoplog compact --topic customers --roll              one topic, its newest records too
  stoplog compact --json | jq '.[] | select(.freedBytes > 0)'

Usage
  stoplog compact [--log lmdb:FOLDER] [--topic NAME] [--roll] [--json]

${LOG_HELP}
  --topic NAME          only this topic
  --roll                close the segments that are appended to first, so that they are compacted as well
  --json                an array, with a line for each partition

A log does this by itself while a process has it open, when enough has changed. Here it is done whether or not it is due, in
small steps, beside whatever else uses the log. What is freed is used again by later appends: the file does not shrink.
Ctrl-C ends it anywhere; run it again, and it goes on.`,
  async run(given, output) {
    const argument = logArgument(given.text('log'), { create: false });
    const name = given.text('topic');
    await using opened = await openForTools(argument);
    const topics = name === undefined ? undefined : [topicNamed(name, opened.topics, argument, "See 'stoplog topics'.").name];
    const module = await loadLogModule(argument.ref);
    const cleaned: readonly Cleaned[] = await module.clean(opened.log, { topics, roll: given.flag('roll') });
    if (given.flag('json')) await output.write(`${JSON.stringify(cleaned.map(cleanedData), undefined, 2)}\n`);
    else if (cleaned.length === 0) output.say(`${argument.text} holds no topics yet`);
    else await output.write(cleanedLines(cleaned));
    return 0;
  },
};
