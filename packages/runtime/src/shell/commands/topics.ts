/** `stoplog topics` */
import type { Log, TopicShape } from '@stoplog/core/port';
import { columns, grouped } from '../../pure/console/columns.ts';
import type { Command } from './command.ts';
import { LOG_HELP, logArgument, openForTools } from './log-argument.ts';

export const topics: Command = {
  name: 'topics',
  summary: 'lists the topics of a log',
  operands: [],
  options: { log: 'text', json: 'flag', partitions: 'flag' },
  help: `Examples
  stoplog topics                                        the topics in ./data
  stoplog topics --log lmdb:/var/lib/orders --partitions
  stoplog topics --json | jq -r '.[].topic'

Usage
  stoplog topics [--log lmdb:FOLDER] [--partitions] [--json]

${LOG_HELP}
  --partitions          a line for each partition, with its offsets
  --json                an array, with the JSON schemas kept with each topic

'records' is how many offsets are kept: the end less the start, over all partitions. Key and value name the codecs.
A folder that holds no log is an error; none is made.`,
  async run(given, output) {
    const argument = logArgument(given.text('log'), { create: false });
    await using opened = await openForTools(argument);
    const found = [];
    for (const shape of opened.topics) found.push({ shape, parts: await partsOf(opened.log, shape) });
    if (given.flag('json'))
      await output.write(
        `${JSON.stringify(
          found.map(({ shape, parts }) => topicData(shape, parts)),
          undefined,
          2,
        )}\n`,
      );
    else if (found.length === 0) output.say(`${argument.text} holds no topics yet`);
    else if (given.flag('partitions')) await output.write(lines(partitionRows(found), [1, 2, 3, 4]));
    else await output.write(lines(topicRows(found), [1, 5]));
    return 0;
  },
};

interface Part {
  readonly partition: number;
  readonly start: bigint;
  readonly end: bigint;
}
interface Found {
  readonly shape: TopicShape;
  readonly parts: readonly Part[];
}

const partsOf = async (log: Log, { name, partitions }: TopicShape): Promise<readonly Part[]> => {
  const places = Array.from({ length: partitions }, (_, partition) => ({ topic: name, partition }));
  const starts = await log.offsets(places, 'earliest');
  const ends = await log.offsets(places, 'latest');
  return places.map(({ partition }, i) => ({ partition, start: starts[i]!.offset, end: ends[i]!.offset }));
};
const recordsIn = (parts: readonly Part[]): number => parts.reduce((sum, { start, end }) => sum + Number(end - start), 0);

const topicRows = (found: readonly Found[]): readonly (readonly string[])[] => [
  ['TOPIC', 'PARTITIONS', 'CLEANUP', 'KEY', 'VALUE', 'RECORDS'],
  ...found.map(({ shape, parts }) => [shape.name, String(shape.partitions), shape.cleanup, shape.keyCodec, shape.valueCodec, grouped(recordsIn(parts))]),
];
const partitionRows = (found: readonly Found[]): readonly (readonly string[])[] => [
  ['TOPIC', 'PARTITION', 'START', 'END', 'RECORDS'],
  ...found.flatMap(({ shape, parts }) =>
    parts.map(({ partition, start, end }) => [shape.name, String(partition), String(start), String(end), grouped(Number(end - start))]),
  ),
];
const lines = (rows: readonly (readonly string[])[], right: readonly number[]): string =>
  columns(rows, right)
    .map((line) => `${line}\n`)
    .join('');

const topicData = (shape: TopicShape, parts: readonly Part[]): unknown => {
  const { name, partitions, ...rest } = shape;
  return {
    topic: name,
    partitions,
    ...rest,
    records: recordsIn(parts),
    offsets: parts.map(({ partition, start, end }) => ({ partition, start: Number(start), end: Number(end) })),
  };
};
