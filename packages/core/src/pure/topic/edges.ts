/**
 * Sources and sinks: origins and targets of records that are no topic, such as a queue, an Observable or another Kafka.
 *
 * A source can only be read, a sink only be written, so each has one face of a topic's three. The log does not choose the
 * partitions of a source (two copies of a message may arrive in any of them), so no state is kept by them: the records of a
 * source pass through a topic first.
 */
import type { Arrival, RawArrival, SourceReader, SourceStart } from './source-reader.ts';
import type { SinkStart, SinkWriter } from './sink-writer.ts';
import type { Origin, Target } from './topic.ts';

interface AnySource<K, V> extends Origin<K, V> {
  readonly kind: 'source';
  /** The number of partitions of the source, each read by an actor of its own; called when a pipeline starts. 1 when left out. */
  readonly partitions?: ((signal: AbortSignal) => Promise<number>) | undefined;
}
/** A source of values, read in the actor's thread. */
export interface ValueSource<K, V> extends AnySource<K, V> {
  /** Opens a partition in an actor's thread, never while the pipeline is declared. */
  readonly open: (start: SourceStart) => Promise<SourceReader>;
  readonly decode?: undefined;
}
/**
 * A source of bytes, read in a thread that runs no handler, so that user code cannot delay the reader's deadlines (a heartbeat,
 * a poll that keeps a membership).
 */
export interface ByteSource<K, V> extends AnySource<K, V> {
  readonly open: (start: SourceStart) => Promise<SourceReader<RawArrival>>;
  /** Called in the actor's thread for each arrival, in order. An error that it throws fails the record, as a handler's error would. */
  readonly decode: (arrival: RawArrival) => Arrival;
}
export type Source<K, V> = ValueSource<K, V> | ByteSource<K, V>;

export interface Sink<K, V> extends Target<K, V> {
  readonly kind: 'sink';
  /** Opens the sink for one partition of a task's input, in the actor's thread, never while the pipeline is declared. */
  readonly open: (start: SinkStart) => Promise<SinkWriter>;
}
