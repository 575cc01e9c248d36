/**
 * Arrivals are what a connector yields: records without partitions.
 *
 * Two records with one key might still be handled by two actors, so there is no state here: no fold, no join. After
 * `rekey(...).through(topic)` equal keys meet, and the verbs appear.
 */
import type { LogRecord, Source } from '@stoplog/core';
import { source as sourceNode } from '../nodes/source.ts';
import { asSource } from './arguments.ts';
import type { Rekeyed } from './stream.ts';
import { arrivalsFace } from './verbs.ts';

export interface Arrivals<in out K, out V> {
  readonly kind: 'arrivals';

  /**
   * Keeps the records for which the answer is true.
   *
   * @example
   * source(ticks).filter((n) => n % 2 === 0)
   */
  filter(keep: (value: V, record: LogRecord<K, V>) => boolean): Arrivals<K, V>;

  /**
   * One value for each value. Key and timestamp stay.
   *
   * @example
   * source(ticks).map((n) => n * 2)
   */
  map<W>(fn: (value: V, record: LogRecord<K, V>) => W): Arrivals<K, W>;

  /**
   * Any number of values for each value, in order.
   *
   * @example
   * source(ticks).flatMap((n) => [n, -n])
   */
  flatMap<W>(fn: (value: V, record: LogRecord<K, V>) => Iterable<W>): Arrivals<K, W>;

  /**
   * Gives records a key. The only way on is `.through(topic)`, where equal keys meet.
   *
   * @example
   * source(ticks).rekey((n) => n % 4).through(byShard)
   */
  rekey<J>(by: (value: V, record: LogRecord<K, V>) => J): Rekeyed<J, V>;
}

/**
 * What a connector yields: a queue, an Observable, a foreign topic.
 *
 * @example
 * source(ticks)
 */
export const source = <K, V>(source: Source<K, V>): Arrivals<K, V> => arrivalsFace<K, V>(sourceNode(asSource('source', source)));
