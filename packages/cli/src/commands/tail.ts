/** `stoplog tail TOPIC` */
import { StoplogError } from '@stoplog/core';
import type { TopicShape } from '@stoplog/core/port';
import { LazyRecord } from '@stoplog/core/kit';
import { topicFromShape } from '@stoplog/core/tools';
import { oneLine } from '@stoplog/runtime/kit';
import { filterIn } from '../text/record-filter.ts';
import { keyMatcher, recordData, recordJson, recordLine } from '../text/record-text.ts';
import { timeOf } from '../text/time-text.ts';
import type { Arguments } from './arguments.ts';
import type { Command } from './command.ts';
import { exitCodeOf } from './interrupted.ts';
import { LOG_HELP, logArgument, type OpenedLog, openForTools, topicNamed } from './log-argument.ts';
import { onStop } from './stopping.ts';

export const tail: Command = {
  name: 'tail',
  summary: 'shows the records of a topic, and waits for more',
  operands: ['a topic'],
  options: { log: 'text', from: 'text', to: 'text', 'until-end': 'flag', partition: 'text', key: 'text', filter: 'text', limit: 'text', json: 'flag' },
  help: `Examples
  stoplog tail orders                                   records appended from now on; Ctrl-C ends
  stoplog tail orders --from earliest --limit 10        the first ten
  stoplog tail orders --from -5                         the last five, and new ones
  stoplog tail orders --until-end --key o1              all stored records of one key
  stoplog tail orders --from 2026-01-02T03:04:05Z --json
  stoplog tail orders --from 'offset 120' --partition 2 --limit 1
  stoplog tail orders --from 2026-01-02 --to 2026-01-03 --filter state=open
  stoplog tail orders --until-end --filter headers.trace=abc

Usage
  stoplog tail TOPIC [--from WHERE] [--to WHERE | --until-end] [--partition N] [--key K] [--filter PATH=VALUE] [--limit N]
               [--json] [--log lmdb:FOLDER]

  --from WHERE          earliest, latest, a time (2026-01-02, 2026-01-02T03:04:05Z), -5 for the last five offsets of each
                        partition, or 'offset 120' of one; latest when left out, or earliest with --until-end or --to
  --to WHERE            end before the first record at or after a time (or at the present end, if there is none), or before
                        'offset 150' of one partition
  --until-end           end at the present end, instead of waiting for more
  --partition N         only this partition, counted from 0
  --key K               only records of this key, as printed or as JSON; keys of bytes also as text
  --filter PATH=VALUE   only records with VALUE at PATH; PATH!=VALUE for all others. The path goes through a record as --json
                        prints it: key, value, headers.NAME, …; any other first word is a field of the value. VALUE is compared
                        as JSON or text, never evaluated
  --limit N             end after N records
  --json                one JSON object per line, which 'stoplog append --json' reads
${LOG_HELP}

A date is midnight in UTC; a time without Z or an offset such as +02:00 is local. A command that has an end and is
interrupted before it exits with 130, or 143.

A line is time, [partition]@offset, key, value, headers. Values are decoded by the codec stored with the topic. A deleted
key shows as (tombstone), bytes as their length and first digits; control characters of the terminal are printed as \\u….
Bytes, dates and bigints are {"hex": …}, {"date": …}, {"bigint": …} in JSON.`,
  async run(given, output) {
    const argument = logArgument(given.text('log'), { create: false });
    const limit = given.number('limit', 1) ?? Infinity;
    const key = given.text('key');
    const hasKey = key === undefined ? () => true : keyMatcher(key);
    const filter = given.text('filter');
    const passes = filter === undefined ? undefined : filterIn(filter);
    const isWanted = (record: LazyRecord): boolean => hasKey(record) && (passes === undefined || passes(recordData(record)));
    const show = given.flag('json') ? recordJson : recordLine;
    const stop = new AbortController();
    let interrupted: number | undefined;
    await using opened = await openForTools(argument);
    const shape = topicNamed(given.operands[0]!, opened.topics, argument, "'stoplog topics' lists them.");
    const partition = partitionIn(given, shape);
    const to = endIn(given, shape, partition);
    const from = await resolved(whereIn(given, shape, partition), opened, shape, partition);
    // A first fetch without waiting, so that a missing offset is an error also with --until-end.
    if (typeof from === 'object' && 'offsets' in from && from.offsets.length === 1)
      await opened.log.fetch({ topic: shape.name, partition: partition ?? 0, offset: from.offsets[0]! }, { bytes: 1, waitMs: 0 }, stop.signal);
    const stopListening = onStop((signal) => {
      interrupted = exitCodeOf(signal);
      stop.abort();
    });
    output.gone.addEventListener('abort', () => stop.abort(), { once: true });
    try {
      const records = opened.client.read(topicFromShape(shape, 'read'), {
        from,
        signal: stop.signal,
        ...(to === undefined ? {} : { until: to }),
        ...(partition === undefined ? {} : { partitions: [partition] }),
      });
      if (from === 'latest' && process.stderr.isTTY) output.say(`waiting for new records in '${shape.name}'; --from earliest shows what is there, Ctrl-C ends`);
      let shown = 0;
      for await (const batch of records) {
        const lines: string[] = [];
        for (const record of batch as readonly unknown[]) {
          if (!(record instanceof LazyRecord) || !isWanted(record)) continue;
          lines.push(show(record), '\n');
          if (++shown === limit) break;
          if (lines.length >= LINES_AT_ONCE) await output.write(lines.splice(0).join(''));
          if (stop.signal.aborted) break;
        }
        await output.write(lines.join(''));
        if (shown === limit || stop.signal.aborted) break;
      }
    } finally {
      stopListening();
    }
    // A command without an end can only end by an interrupt.
    if (interrupted === undefined || (to === undefined && limit === Infinity)) return 0;
    output.say('interrupted: not all was shown');
    return interrupted;
  },
};

/** Few lines, so that a reader that closes the pipe stops the command soon. */
const LINES_AT_ONCE = 512;

const partitionIn = (given: Arguments, { name, partitions }: TopicShape): number | undefined => {
  const partition = given.number('partition', 0);
  if (partition === undefined || partition < partitions) return partition;
  throw new StoplogError(
    'STOPLOG_USAGE',
    { topic: name, partition, partitions },
    `topic '${name}' has no partition ${partition}: it has ${partitions}, counted from 0`,
  );
};

type Where = 'earliest' | 'latest' | { readonly time: number } | { readonly offsets: readonly bigint[] };
type Back = { readonly back: bigint };

/** Resolves `-5` to five offsets before the end of each partition, or to its start if that is nearer. */
const resolved = async (where: Where | Back, { log }: OpenedLog, { name, partitions }: TopicShape, partition: number | undefined): Promise<Where> => {
  if (typeof where === 'string' || !('back' in where)) return where;
  const places = (partition === undefined ? Array.from({ length: partitions }, (_, i) => i) : [partition]).map((i) => ({ topic: name, partition: i }));
  const [starts, ends] = [await log.offsets(places, 'earliest'), await log.offsets(places, 'latest')];
  return { offsets: ends.map(({ offset: end }, i) => (end - where.back < starts[i]!.offset ? starts[i]!.offset : end - where.back)) };
};

const whereIn = (given: Arguments, shape: TopicShape, partition: number | undefined): Where | Back => {
  const text = given.text('from') ?? (given.flag('until-end') || given.text('to') !== undefined ? 'earliest' : 'latest');
  if (text === 'earliest' || text === 'latest') return text;
  if (/^-\d{1,18}$/.test(text)) return { back: BigInt(text.slice(1)) };
  const place = placeIn(text, shape, partition);
  if (place !== undefined) return place;
  throw new StoplogError(
    'STOPLOG_USAGE',
    { from: text },
    `--from '${oneLine(text)}' is no place to begin: give earliest, latest, a time such as 2026-01-02T03:04:05Z, -5 for the last five, or 'offset 120'`,
  );
};

/** The end of the reading; undefined if there is none. */
const endIn = (given: Arguments, shape: TopicShape, partition: number | undefined): 'end' | Exclude<Where, string> | undefined => {
  const text = given.text('to');
  if (text === undefined) return given.flag('until-end') ? 'end' : undefined;
  if (given.flag('until-end')) throw new StoplogError('STOPLOG_USAGE', {}, '--to and --until-end exclude each other: a reading has one end');
  const place = placeIn(text, shape, partition);
  if (place !== undefined) return place;
  throw new StoplogError(
    'STOPLOG_USAGE',
    { to: text },
    `--to '${oneLine(text)}' is no place to end: give a time such as 2026-01-02T03:04:05Z, or 'offset 150'`,
  );
};

/** An offset or a time. */
const placeIn = (text: string, { name, partitions }: TopicShape, partition: number | undefined): Exclude<Where, string> | undefined => {
  const [, offset] = /^(?:offset[ :=]?)?(\d+)$/.exec(text) ?? [];
  if (offset === undefined) {
    const time = timeOf(text);
    return time === undefined ? undefined : { time };
  }
  if (partition !== undefined || partitions === 1) return { offsets: [BigInt(offset)] };
  throw new StoplogError(
    'STOPLOG_USAGE',
    { topic: name, place: text },
    `an offset is a place in one partition, and topic '${name}' has ${partitions}: add --partition N`,
  );
};
