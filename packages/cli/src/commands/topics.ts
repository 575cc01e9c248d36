/** `stoplog topics` */
import type { TopicShape } from '@stoplog/core/port';
import { grouped } from '@stoplog/runtime/kit';
import { offsetData } from '../text/json-text.ts';
import { cleanupWord } from '../text/topic-settings.ts';
import { append } from './append.ts';
import type { Command } from './command.ts';
import { LOG_HELP, logArgument, openForTools } from './log-argument.ts';
import { jsonOut, rowsText } from './rows.ts';
import { tail } from './tail.ts';
import { type Part, partsOf, recordsIn, shapeData } from './topic-parts.ts';
import { topicsAlter } from './topics-alter.ts';
import { topicsCopy } from './topics-copy.ts';
import { topicsCreate } from './topics-create.ts';
import { topicsDelete } from './topics-delete.ts';
import { topicsDescribe } from './topics-describe.ts';

export const topics: Command = {
  name: 'topics',
  summary: 'lists the topics of a log; makes, alters, copies and deletes them',
  operands: [],
  options: { log: 'text', json: 'flag', partitions: 'flag' },
  actions: [topicsDescribe, topicsCreate, topicsAlter, topicsCopy, topicsDelete, tail, append],
  help: `Examples
  stoplog topics                                        the topics in ./data
  stoplog topics --log lmdb:/var/lib/orders --partitions
  stoplog topics --json | jq -r '.[].topic'
  stoplog topics describe orders                        one of them, with its readers
  stoplog topics copy orders orders-16 --partitions 16

Usage
  stoplog topics [list] [--log lmdb:FOLDER] [--partitions] [--json]

${LOG_HELP}
  --partitions          a line for each partition, with its offsets
  --json                an array, with the JSON schemas kept with each topic

'records' is the number of kept offsets: the end less the start, over all partitions. Key and value name the codecs.
A folder that holds no log is an error; none is made.`,
  async run(given, output) {
    const argument = logArgument(given.text('log'), { create: false });
    await using opened = await openForTools(argument);
    const found = [];
    for (const shape of opened.topics) found.push({ shape, parts: await partsOf(opened.log, shape) });
    if (given.flag('json')) await output.write(jsonOut(found.map(({ shape, parts }) => topicData(shape, parts))));
    else if (found.length === 0) output.say(`${argument.text} holds no topics yet`);
    else if (given.flag('partitions')) await output.write(rowsText(partitionRows(found), [1, 2, 3, 4]));
    else await output.write(rowsText(topicRows(found), [1, 5]));
    return 0;
  },
};

interface Found {
  readonly shape: TopicShape;
  readonly parts: readonly Part[];
}

const topicRows = (found: readonly Found[]): readonly (readonly string[])[] => [
  ['TOPIC', 'PARTITIONS', 'CLEANUP', 'KEY', 'VALUE', 'RECORDS'],
  ...found.map(({ shape, parts }) => [shape.name, String(shape.partitions), cleanupWord(shape), shape.keyCodec, shape.valueCodec, grouped(recordsIn(parts))]),
];
const partitionRows = (found: readonly Found[]): readonly (readonly string[])[] => [
  ['TOPIC', 'PARTITION', 'START', 'END', 'RECORDS'],
  ...found.flatMap(({ shape, parts }) =>
    parts.map(({ partition, start, end }) => [shape.name, String(partition), String(start), String(end), grouped(Number(end - start))]),
  ),
];
const topicData = (shape: TopicShape, parts: readonly Part[]): unknown => ({
  ...shapeData(shape),
  records: recordsIn(parts),
  offsets: parts.map(({ partition, start, end }) => ({ partition, start: offsetData(start), end: offsetData(end) })),
});
