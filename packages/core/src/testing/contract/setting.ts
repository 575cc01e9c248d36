/**
 * The setting of every promise: a log, a topic of two partitions, batches of text, and a way to read all records.
 */
import type { Log, Position, TopicPartition } from '../../port/log.ts';
import type { NumberedCommit } from '../../port/numbered-log.ts';
import type { Cleaned, CleanOptions } from '../../port/tools.ts';
import { BatchBuilder } from '../../pure/record/batch.ts';
import type { TopicShape } from '../../pure/topic/shape.ts';
import type { PromisesOf } from './suite.ts';

export interface LogUnderTest<L extends Log = Log> {
  readonly log: L;
  /** Another handle on the same data, next to the open ones or after they were closed; the suite closes it. */
  readonly reopen: () => Promise<L>;
  /** The keeper's tool of that name, if it has one: retention and compaction on command, as of a given time. */
  clean?(log: L, options: CleanOptions): Promise<readonly Cleaned[]>;
  /** Closes the log that `open` opened, and removes the data. */
  readonly dispose: () => Promise<void>;
}
export type OpenLog<L extends Log = Log> = () => Promise<LogUnderTest<L>>;

export interface Subject<L extends Log = Log> {
  readonly log: L;
  readonly reopen: () => Promise<L>;
  readonly clean: NonNullable<LogUnderTest<L>['clean']>;
}
export type Promises<L extends Log = Log> = PromisesOf<Subject<L>>;

export const shape = (name: string, partitions: number = 2, settings: Partial<TopicShape> = {}): TopicShape => ({
  name,
  partitions,
  cleanup: 'delete',
  retentionMs: undefined,
  keyCodec: 'string',
  valueCodec: 'string',
  keySchema: { type: 'string' },
  valueSchema: { type: 'string' },
  ...settings,
});
export const TOPIC = 'letters';
export const place = (partition: number = 0, topic: string = TOPIC): TopicPartition => ({ topic, partition });
export const at = (offset: bigint, partition: number = 0, topic: string = TOPIC): Position => ({ topic, partition, offset });
export const never: AbortSignal = new AbortController().signal;
type Limit = Parameters<Log['fetch']>[1];
export const NOW: Limit = { bytes: 1_000_000, waitMs: 0 };
export const WHEN_THERE: Limit = { bytes: 1_000_000, waitMs: Infinity };

/** A batch of records whose keys and values are the texts, one millisecond apart. */
export const batchOf = (texts: readonly string[], timestamp: number = 1_000): Uint8Array => {
  const builder = new BatchBuilder();
  texts.forEach((text, i) => builder.append(text, text, timestamp + i));
  return builder.finish();
};
export const commitOf = (parts: Partial<NumberedCommit>): NumberedCommit => ({ group: '', epoch: 0, appends: [], stores: [], positions: [], ...parts });
export const append = (log: Log, texts: readonly string[], partition: number = 0, timestamp: number = 1_000): ReturnType<Log['commit']> =>
  log.commit(commitOf({ appends: [{ ...place(partition), batch: batchOf(texts, timestamp) }] }));

export interface Read {
  readonly offset: bigint;
  readonly value: string;
}
/** All records from an offset to the end, by following `next`. */
export const readAll = async (
  log: Log,
  from: bigint = 0n,
  partition: number = 0,
  topic: string = TOPIC,
  bytes: number = 1_000_000,
): Promise<readonly Read[]> => {
  const records: Read[] = [];
  const end = (await log.offsets([place(partition, topic)], 'latest'))[0]!.offset;
  let next = from;
  while (next < end) {
    const batch = await log.fetch(at(next, partition, topic), { bytes, waitMs: 0 }, never);
    for (const view of batch.batches) {
      while (view.next()) if (view.offset >= batch.from) records.push({ offset: view.offset, value: Buffer.from(view.value()!).toString() });
    }
    if (batch.next <= next) throw new Error(`fetch from ${next} stands still below the end ${end}`);
    next = batch.next;
  }
  return records;
};
export const values = (records: readonly Read[]): readonly string[] => records.map(({ value }) => value);
/** Bytes as numbers, whatever their class. */
export const numbers = (bytes: Uint8Array | undefined): readonly number[] | undefined => bytes && [...bytes];
