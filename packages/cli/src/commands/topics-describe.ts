/** `stoplog topics describe NAME` */
import type { PartitionLag } from '@stoplog/core';
import type { TopicShape } from '@stoplog/core/port';
import { readLag } from '@stoplog/core/kit';
import type { PartitionCleaning } from '@stoplog/core/tools';
import { failureText, grouped, secondsText } from '@stoplog/runtime/kit';
import { CLEANING_HEADINGS, cleaningCells, cleaningData } from '../text/cleaning-text.ts';
import { ageIn, lagIn } from '../text/group-text.ts';
import { offsetData } from '../text/json-text.ts';
import { settingRows } from '../text/topic-settings.ts';
import type { Command } from './command.ts';
import { topicsOf } from './group-argument.ts';
import { LOG_HELP, logArgument, openForTools, topicNamed } from './log-argument.ts';
import { jsonOut, rowsText } from './rows.ts';
import { type Part, partsOf, recordsIn, shapeData } from './topic-parts.ts';

export const topicsDescribe: Command = {
  name: 'topics describe',
  summary: 'shows the settings, partitions and readers of a topic',
  operands: ['a topic'],
  options: { log: 'text', json: 'flag' },
  help: `Examples
  stoplog topics describe orders
  stoplog topics describe orders --json | jq .valueSchema

Usage
  stoplog topics describe TOPIC [--json] [--log lmdb:FOLDER]

  --json                an object, with the JSON schemas kept with the topic
${LOG_HELP}

START is the first kept offset, END the offset of the next record, BYTES the size of the batches. NEW is the share of bytes in
closed segments that are not yet compacted, CLEANED the time of the last cleaning that freed bytes, FREED their number, and NEXT
the time of the next cleaning if nothing is appended (–: not by time alone). A failed cleaning is shown below, with its reason.
A reader is a group with a position in the topic, or with a member to which the topic is assigned.`,
  async run(given, output) {
    const argument = logArgument(given.text('log'), { create: false });
    await using opened = await openForTools(argument);
    const shape = topicNamed(given.operands[0]!, opened.topics, argument, "'stoplog topics' lists them.");
    const parts = await partsOf(opened.log, shape);
    const places = parts.map(({ partition }) => ({ topic: shape.name, partition }));
    const readers: Reader[] = [];
    for (const description of await opened.module.groups(opened.log))
      if (topicsOf(description).has(shape.name))
        readers.push({ group: description.group, lags: await readLag(opened.log, description.group, places, Date.now) });
    const cleanings = await opened.module.cleanings(opened.log, [shape.name]);
    if (given.flag('json')) await output.write(jsonOut(dataOf(shape, parts, cleanings, readers)));
    else {
      await output.write(textOf(shape, parts, cleanings, readers));
      for (const cleaning of cleanings) if (cleaning.failure !== undefined) output.say(failureText(cleaning, Date.now())!);
    }
    return 0;
  },
};

interface Reader {
  readonly group: string;
  readonly lags: readonly PartitionLag[];
}

const textOf = (shape: TopicShape, parts: readonly Part[], cleanings: readonly PartitionCleaning[], readers: readonly Reader[]): string =>
  [
    rowsText([
      ['topic', shape.name],
      ...settingRows(shape),
      ['timestamps', shape.timestamps ?? 'given'],
      ['key', shape.keyCodec],
      ['value', shape.valueCodec],
      ['records', grouped(recordsIn(parts))],
    ]),
    rowsText(
      [
        ['PARTITION', 'START', 'END', 'RECORDS', ...CLEANING_HEADINGS],
        ...parts.map(({ partition, start, end }, i) => [
          String(partition),
          String(start),
          String(end),
          grouped(Number(end - start)),
          ...cleaningCells(cleanings[i]!, Date.now()),
        ]),
      ],
      [0, 1, 2, 3, 4, 5, 6, 7, 8],
    ),
    readers.length === 0
      ? ''
      : rowsText(
          [
            ['READER', 'LAG', 'OLDEST'],
            ...readers.map(({ group, lags }) => [group, grouped(lagIn(lags)), lagIn(lags) === 0 ? '–' : secondsText(ageIn(lags) / 1000)]),
          ],
          [1, 2],
        ),
  ]
    .filter((text) => text !== '')
    .join('\n');

const dataOf = (shape: TopicShape, parts: readonly Part[], cleanings: readonly PartitionCleaning[], readers: readonly Reader[]): unknown => ({
  ...shapeData(shape),
  records: recordsIn(parts),
  bytes: cleanings.reduce((sum, { bytes }) => sum + bytes, 0),
  offsets: parts.map(({ partition, start, end }, i) => ({
    partition,
    start: offsetData(start),
    end: offsetData(end),
    bytes: cleanings[i]!.bytes,
    cleaning: cleaningData(cleanings[i]!),
  })),
  readers: readers.map(({ group, lags }) => ({ group, lag: lagIn(lags), lagSeconds: ageIn(lags) / 1000 })),
});
