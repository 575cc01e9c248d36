/** The interface of a driven pipeline for a test. */
import type { LogRecord, Millis, Origin, Parses, Sink, Source, Store } from '@stoplog/core';

export interface DriveOptions {
  /** The initial time of the clock, in milliseconds since 1970; 0 when left out. */
  readonly now?: number;
}

export interface SentRecord<K, V> {
  readonly key: K;
  /** `null` is a tombstone. */
  readonly value: V | null;
}

/** A store over all its partitions, as of the last commit. */
export interface DrivenStore<K, V> {
  get(key: K): V | undefined;
  /** Entries with gte ≤ key < lt, in order of their keys. */
  range(bounds?: { readonly gte?: K; readonly lt?: K }): (readonly [K, V])[];
}

export interface Driver {
  /** The time of the driver's clock, which stamps records that are sent without a timestamp. */
  readonly now: number;
  /** Parses and appends a record, and runs until all tasks are idle. A topic with arrival times stamps it by the driver's clock. */
  send<RK, RV>(topic: Parses<RK, RV>, key: NoInfer<RK>, value: NoInfer<RV> | null, at?: number): void;
  /** Yields a record of a source, and runs until all tasks are idle. The source is not opened. */
  arrive<K, V>(source: Source<K, V>, key: NoInfer<K>, value: NoInfer<V>, at?: number): void;
  /** Appends all records that `sends` sends, then runs: each task reads its inputs by the lowest timestamp. If `sends` throws, nothing is sent. */
  batch(sends: () => void): void;
  /** Records appended to the topic since the last read, in order; the records of one commit partition by partition. */
  read<K, V>(topic: Origin<K, V>): SentRecord<K, V>[];
  /** All records of the topic, with timestamps, headers and partitions; does not affect `read`. */
  records<K, V>(topic: Origin<K, V>): LogRecord<K, V | null>[];
  /** Records written to the sink since the last call, in order. The sink is not opened. */
  written<K, V>(sink: Sink<K, V>): SentRecord<K, V>[];
  store<K, V>(store: Store<K, V>): DrivenStore<K, V>;
  /** Moves the clock. */
  advance(by: Millis): void;
  /** Discards uncommitted work and resumes from the last commits, as after a crash. */
  restart(): void;
}
