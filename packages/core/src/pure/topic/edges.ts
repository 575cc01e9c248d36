/**
 * Where records come from and go to when it is not a topic: a queue, an Observable, another Kafka.
 *
 * A Source can only be read, a Sink only be written, so each has one face of a topic's three. The partitions of a source are
 * not ours (two copies of a message may arrive in any of them), so no state stands on a source: its records pass through a
 * topic first.
 */
import type { Arrival, RawArrival, SourceReader, SourceStart } from './source-reader.ts';
import type { SinkStart, SinkWriter } from './sink-writer.ts';
import type { Origin, Target } from './topic.ts';

interface AnySource<K, V> extends Origin<K, V> {
  readonly kind: 'source';
  /** How many partitions the source has now, each read by an actor of its own; one when left out. Asked when a pipeline starts. */
  readonly partitions?: ((signal: AbortSignal) => Promise<number>) | undefined;
}
/** A source of values, read in the actor's thread. */
export interface ValueSource<K, V> extends AnySource<K, V> {
  /** Opens a partition in an actor's thread, never while the pipeline is declared. */
  readonly open: (start: SourceStart) => Promise<SourceReader>;
  readonly decode?: undefined;
}
/**
 * A source of bytes, read in a thread that runs no handler: what it must do in time (a heartbeat, a poll that keeps a
 * membership) is not held up by user code.
 */
export interface ByteSource<K, V> extends AnySource<K, V> {
  readonly open: (start: SourceStart) => Promise<SourceReader<RawArrival>>;
  /** Called in the actor's thread for each arrival, in order. What it throws fails the record, as a handler's error would. */
  readonly decode: (arrival: RawArrival) => Arrival;
}
export type Source<K, V> = ValueSource<K, V> | ByteSource<K, V>;

export interface Sink<K, V> extends Target<K, V> {
  readonly kind: 'sink';
  /** Opens it for one partition of what a task reads, in the actor's thread, never while the pipeline is declared. */
  readonly open: (start: SinkStart) => Promise<SinkWriter>;
}
