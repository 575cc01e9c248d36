/** `stoplog compact` */
import { StoplogError } from '@stoplog/core';
import { type Cleaned, loadTools } from '@stoplog/core/tools';
import { grouped } from '@stoplog/runtime/kit';
import { cleanedData, cleanedLines } from '../text/cleaned-text.ts';
import type { Arguments } from './arguments.ts';
import { withProgress } from './byte-progress.ts';
import type { Command } from './command.ts';
import { LOG_HELP, logArgument, type LogArgument, openForTools, topicNamed } from './log-argument.ts';
import type { Output } from './output.ts';
import { jsonOut } from './rows.ts';

export const compact: Command = {
  name: 'compact',
  summary: 'applies retention and compacts, now',
  operands: [],
  options: { log: 'text', topic: 'text', roll: 'flag', shrink: 'flag', json: 'flag' },
  help: `Examples
  stoplog compact                                       every topic of the log in ./data
  stoplog compact --topic customers --roll              one topic, its newest records too
  stoplog compact --json | jq '.[] | select(.freedBytes > 0)'
  stoplog compact --shrink                              makes the file smaller, while no process has it open

Usage
  stoplog compact [--log lmdb:FOLDER] [--topic NAME] [--roll] [--json]
  stoplog compact --shrink [--log lmdb:FOLDER] [--json]

${LOG_HELP}
  --topic NAME          only this topic
  --roll                close the active segments first, so that they are compacted as well
  --shrink              copy the kept records into a new file, which replaces the old one
  --json                an array, with a line for each partition; an object for --shrink

A log cleans its topics by itself while a process has it open, when enough has changed. This command cleans them whether due
or not, in small steps, beside other processes. Later appends reuse the freed space: the file does not shrink. Ctrl-C ends the
command at any time; run it again to resume.

--shrink removes no records: it returns free space to the disk, and needs as much space as the kept records take until it is
done. Whenever it is ended, the file is the old one or the new one, and both hold everything. It is refused while any
process has the log open.`,
  async run(given, output) {
    const argument = logArgument(given.text('log'), { create: false });
    if (given.flag('shrink')) return shrink(given, argument, output);
    const name = given.text('topic');
    await using opened = await openForTools(argument);
    const topics = name === undefined ? undefined : [topicNamed(name, opened.topics, argument, "See 'stoplog topics'.").name];
    const module = await loadTools(argument.ref);
    const cleaned: readonly Cleaned[] = await module.clean(opened.log, { topics, roll: given.flag('roll') });
    if (given.flag('json')) await output.write(`${JSON.stringify(cleaned.map(cleanedData), undefined, 2)}\n`);
    else if (cleaned.length === 0) output.say(`${argument.text} holds no topics yet`);
    else await output.write(cleanedLines(cleaned));
    return 0;
  },
};

const shrink = async (given: Arguments, { text, ref }: LogArgument, output: Output): Promise<number> => {
  const also = ['topic', 'roll'].find((option) => given.flag(option) || given.text(option) !== undefined);
  if (also !== undefined)
    throw new StoplogError('STOPLOG_USAGE', { option: also }, `--shrink and --${also} exclude each other: compact first, then shrink the whole file`);
  const module = await loadTools(ref);
  const outcome = await withProgress(text, (watch) => module.shrink(ref.options, watch));
  if (outcome.made === undefined) {
    output.say('interrupted: the file is as it was');
    return outcome.interrupted;
  }
  const { made } = outcome;
  if (given.flag('json')) await output.write(jsonOut(made));
  output.say(`${text} shrunk from ${grouped(made.bytesBefore)} to ${grouped(made.bytes)} bytes`);
  return 0;
};
