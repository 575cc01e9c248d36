/** What a test can do with a driven pipeline. */
import type { LogRecord, Millis, Origin, Parses, Sink, Source, Store } from '@stoplog/core';

export interface DriveOptions {
  /** What the clock says at first, in milliseconds since 1970. 0 unless said otherwise. */
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
  /** The driver's clock: what `send` stamps a record with unless told otherwise. */
  readonly now: number;
  /** Appends a record as from outside, parsed, and runs until nothing is left to do. A topic with arrival times stamps it by the driver's clock. */
  send<RK, RV>(topic: Parses<RK, RV>, key: NoInfer<RK>, value: NoInfer<RV> | null, at?: number): void;
  /** Lets a source yield a record, and runs until nothing is left to do. The source is not opened. */
  arrive<K, V>(source: Source<K, V>, key: NoInfer<K>, value: NoInfer<V>, at?: number): void;
  /** Appends everything that is sent inside, then runs: each task's inputs wait together, and the lowest timestamp goes first. When `sends` throws, nothing was sent. */
  batch(sends: () => void): void;
  /** What was appended to the topic since it was last read, in order; what one commit appended, partition by partition. */
  read<K, V>(topic: Origin<K, V>): SentRecord<K, V>[];
  /** All of the topic's records, with timestamps, headers and partitions; does not move what `read` goes on from. */
  records<K, V>(topic: Origin<K, V>): LogRecord<K, V | null>[];
  /** What was written to the sink since it was last asked for, in order. The sink is not opened. */
  written<K, V>(sink: Sink<K, V>): SentRecord<K, V>[];
  store<K, V>(store: Store<K, V>): DrivenStore<K, V>;
  /** Moves the clock. */
  advance(by: Millis): void;
  /** Throws away what was not committed and goes on from the last commits, as after a crash. */
  restart(): void;
}
