/** `stoplog topics alter NAME` */
import { StoplogError } from '@stoplog/core/port';
import { durationIn, secondsText } from '../../pure/console/duration-text.ts';
import type { Command } from './command.ts';
import { timestampsIn } from './timestamps-argument.ts';
import { LOG_HELP, logArgument, openForTools, topicNamed } from './log-argument.ts';

export const topicsAlter: Command = {
  name: 'topics alter',
  summary: 'changes what of a topic may change',
  operands: ['a topic'],
  options: { log: 'text', retention: 'text', timestamps: 'text', partitions: 'text', compacted: 'flag', 'key-codec': 'text', 'value-codec': 'text' },
  help: `Examples
  stoplog topics alter clicks --retention 30d
  stoplog topics alter clicks --retention forever
  stoplog topics alter clicks --timestamps arrival
  stoplog topics copy clicks clicks-16 --partitions 16  the way to more partitions

Usage
  stoplog topics alter TOPIC [--retention D] [--timestamps WHOSE] [--log lmdb:FOLDER]

  --retention D         keep records this long at least: 90m, 30d, or forever
  --timestamps WHOSE    given: records have the times that their producers say; arrival: when the log takes them in. Those that
                        are there keep theirs
${LOG_HELP}

A pipeline that declares it otherwise sets it back when it is run: change it there too. Partitions, cleanup and codecs
cannot change under the records that are there: copy the topic into one that has them otherwise.`,
  async run(given, output) {
    const name = given.operands[0]!;
    for (const [option, why] of FIXED) if (given.flag(option) || given.text(option) !== undefined) throw fixed(name, option, why, given.text(option));
    const text = given.text('retention');
    const timestamps = timestampsIn(given);
    if (text === undefined && timestamps === undefined)
      throw new StoplogError(
        'STOPLOG_USAGE',
        { topic: name },
        `say what is to change: --retention 30d, --retention forever, or --timestamps arrival. See 'stoplog topics alter --help'.`,
      );
    const argument = logArgument(given.text('log'), { create: false });
    await using opened = await openForTools(argument);
    const shape = topicNamed(name, opened.topics, argument, "'stoplog topics' lists them.");
    const { timestamps: stamped, ...rest } = shape;
    const retentionMs = text === undefined ? shape.retentionMs : text === 'forever' ? undefined : durationIn(text, 'retention');
    const whose = timestamps ?? stamped ?? 'given';
    await opened.log.ensure([{ ...rest, retentionMs, ...(whose === 'arrival' ? { timestamps: whose } : {}) }]);
    const told = (ms: number | undefined): string => (ms === undefined ? 'for ever' : secondsText(ms / 1000));
    if (text !== undefined) output.say(`topic '${name}' keeps its records ${told(retentionMs)}; it was ${told(shape.retentionMs)}`);
    if (timestamps !== undefined) output.say(`topic '${name}' has timestamps: ${whose}; it was ${stamped ?? 'given'}`);
    return 0;
  },
};

const FIXED = [
  ['partitions', "a key's bytes decide its partition by their number, so its next record would go elsewhere than those before it, and its order would be lost"],
  ['compacted', 'records are there that were appended for another kind of topic'],
  ['key-codec', 'the records that are there lie in bytes of the old one'],
  ['value-codec', 'the records that are there lie in bytes of the old one'],
] as const;

const fixed = (topic: string, option: string, why: string, value: string | undefined): StoplogError =>
  new StoplogError(
    'STOPLOG_TOPIC_SHAPE',
    { topic, option, value },
    `the ${option} of topic '${topic}' cannot be changed: ${why}. ` +
      (option === 'partitions'
        ? `Copy it, in the order of each key, into a topic that has them: stoplog topics copy ${topic} ${topic}-${value ?? 'N'} --partitions ${value ?? 'N'}`
        : `Make another topic with 'stoplog topics create', and append to that`),
  );
