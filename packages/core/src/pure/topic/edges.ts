/**
 * Where records come from and go to when it is not a topic: a queue, an Observable, another Kafka.
 *
 * A Source can only be read, a Sink only be written, so each has one face of a topic's three. A source has no partitions
 * that we could trust (two copies of a message may arrive anywhere), which is why no state can stand on it.
 */
import type { SourceReader } from './source-reader.ts';
import type { Origin, Target } from './topic.ts';

export interface Source<K, V> extends Origin<K, V> {
  readonly kind: 'source';
  /** Opens it where it is read: in an actor's thread, never while the pipeline is declared. */
  readonly open: () => Promise<SourceReader>;
}
export interface Sink<K, V> extends Target<K, V> {
  readonly kind: 'sink';
}
