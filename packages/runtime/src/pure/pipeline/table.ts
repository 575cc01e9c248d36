/**
 * A Table is the latest value of every key: what a stream of changes adds up to.
 *
 * Only a compacted topic or a fold can be one, and it can only be written to a compacted topic: a key that goes away is
 * a tombstone there, and a plain stream would not know what to make of it.
 */
import type { Origin, Sink, Target } from '@stoplog/core';
import { table as tableNode } from '../nodes/table.ts';
import { asTopic } from './arguments.ts';
import type { Flow } from './flow.ts';
import type { Stream } from './stream.ts';
import { tableFace } from './verbs.ts';

/** What a key held and what it holds now. `undefined`: there was, or is, nothing. */
export interface Change<V> {
  readonly before: V | undefined;
  readonly after: V | undefined;
}

export interface Table<in out K, out V> {
  readonly kind: 'table';

  /**
   * One value for each value. A change is passed on as what both sides become.
   *
   * @example
   * table(customers).map((customer) => customer.country)
   */
  map<W>(fn: (value: V, key: K) => W): Table<K, W>;

  /**
   * The keys whose value answers true. A value that no longer does is a key that goes away.
   *
   * @example
   * table(customers).filter((customer) => customer.country === 'GB')
   */
  filter(keep: (value: V, key: K) => boolean): Table<K, V>;

  /**
   * The table as a stream of its changes, each with before and after: what a deletion takes away can be undone.
   *
   * @example
   * table(customers).changes().filter(({ after }) => after === undefined)
   */
  changes(): Stream<K, Change<V>>;

  /**
   * Writes every change to a compacted topic or a sink: the end of this path.
   *
   * @example
   * table(customers).map((customer) => customer.country).to(countryByCustomer)
   */
  to(target: (Target<K, V> & { readonly kind: 'compacted' }) | Sink<K, V>): Flow;
}

/**
 * The latest value of every key of a compacted topic.
 *
 * @example
 * table(customers)
 */
export const table = <K, V>(topic: Origin<K, V> & { readonly kind: 'compacted' }): Table<K, V> =>
  tableFace<K, V>(tableNode(asTopic('table', topic, ['compacted'])));
