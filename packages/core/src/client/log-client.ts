/** What a program does with any log: appends, reads, and looks how far readers are. */
import type { LogRecord } from '../pure/record/record.ts';
import type { Reset } from '../pure/record/auto-offset-reset.ts';
import type { Origin, Parses } from '../pure/topic/topic.ts';
import type { Appended, AppendOptions, NewRecord } from './appending.ts';
import type { PartitionLag } from './lag.ts';

export interface ReadOptions {
  /**
   * Where reading starts: at the first kept record, at the end, at a time (ms since 1970, or a Date), or at an offset for
   * each partition.
   */
  readonly from: 'earliest' | 'latest' | { readonly time: number | Date } | { readonly offsets: readonly bigint[] };
  /**
   * The auto offset reset: where reading resumes when retention has dropped the next record. 'earliest', 'latest', `{ ago:
   * hours(1) }`, or 'fail', which throws `STOPLOG_OFFSET_OUT_OF_RANGE` with the range. The default is 'earliest' when reading
   * from the earliest, else 'fail'.
   */
  readonly reset?: Reset;
  /**
   * Where reading stops: 'end' is the end when reading begins, a time is the first record that reaches it (or the end if none
   * does), an offset for each partition is exclusive. By default reading never stops.
   */
  readonly until?: 'end' | { readonly time: number | Date } | { readonly offsets: readonly bigint[] };
  /** Reads these partitions only. */
  readonly partitions?: readonly number[];
  readonly signal?: AbortSignal;
}

export interface LogClient extends AsyncDisposable {
  /**
   * Parses records by the topic's schemas and appends them, in order; creates the topic if it is missing.
   *
   * Takes an iterable or an async iterable, and reads it only as fast as the log commits: at most a few megabytes are in
   * flight. Resolves when all records are acknowledged. A record that does not parse throws `STOPLOG_SCHEMA`; the records
   * before it are appended, and `error.facts.appended` is the number of acknowledged records.
   *
   * @example
   * await log.append(orders, [{ key: 'o1', value: { cents: 4_200 } }]);
   */
  append<RK, RV>(
    topic: Parses<RK, RV>,
    records: Iterable<NewRecord<NoInfer<RK>, NoInfer<RV>>> | AsyncIterable<NewRecord<NoInfer<RK>, NoInfer<RV>>>,
    options?: AppendOptions,
  ): Promise<Appended>;
  /**
   * Reads the records of a topic in batches, each batch of one partition and in its order. Ends when the signal is aborted,
   * or at the end with `until: 'end'`. The value of a deleted key is null.
   *
   * @example
   * for await (const batch of log.read(orders, { from: 'earliest', until: 'end' }))
   *   for (const { key, value, timestamp } of batch) console.log(key, value, new Date(timestamp));
   */
  read<K, V>(topic: Origin<K, V>, options: ReadOptions): AsyncIterable<readonly LogRecord<K, V | null>[]>;
  /**
   * The lag of a group in some topics: a pipeline is a group, under its name. In a partition that the group never read, every
   * record counts.
   *
   * @example
   * for (const { topic, partition, records, age } of await log.lag('billing', orders)) console.log(topic, partition, records,
   * age / 1_000);
   */
  lag(group: string, ...topics: readonly { readonly name: string }[]): Promise<readonly PartitionLag[]>;
  /** The offset that the next record of each partition gets. */
  ends(topic: { readonly name: string }): Promise<readonly bigint[]>;
  /**
   * Deletes the records before a time, or before an offset of each partition, and returns each partition's new start. A start
   * only grows: the records before it are gone for every reader.
   *
   * @example
   * await log.deleteRecords(orders, { time: Date.now() - days(30) });
   */
  deleteRecords(
    topic: { readonly name: string },
    before: { readonly time: number | Date } | { readonly offsets: readonly bigint[] },
  ): Promise<readonly bigint[]>;
}
