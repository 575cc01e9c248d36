/**
 * A Stream is records on their way: facts, one after the other, each with a key.
 *
 * A verb only builds a value that says what shall be done; nothing runs until `run` or `drive` is given the pipeline.
 * Verbs without a store keep nothing between two records. Verbs with a store, and joins, leave out records without a key, which
 * may be in any partition; `app.status` counts those as `dropped`. A verb with a store takes it as its first argument, because
 * state outlives the program that made it and must be found again.
 *
 * The record is the second argument of every function, as the index is in `Array.map`. What a function is given is frozen, and
 * so is what it returns: other functions and the store see the same value. A change in place is refused.
 */
import type { LogRecord, Origin, Sink, Store, Target } from '@stoplog/core';
import { stream as streamNode } from '../nodes/stream.ts';
import { asTopic } from './arguments.ts';
import type { DeepReadonly } from './deep-readonly.ts';
import type { Flow } from './flow.ts';
import type { Table } from './table.ts';
import { streamFace } from './verbs.ts';

/** How records of one key are folded into a state. */
export interface Fold<K, V, A> {
  /** The state before the first record of a key. */
  readonly init: () => DeepReadonly<A>;
  /** The state after a record. `undefined` deletes the key: a tombstone for whoever reads the table. */
  readonly update: (state: DeepReadonly<A>, value: V, record: LogRecord<K, V>) => DeepReadonly<A> | undefined;
}

/** A store as `process` sees it: the part for this partition, with this batch's own writes already in it. */
export interface StateView<K, S> {
  /** The state is frozen: to change it, set another one. */
  get(key: K): DeepReadonly<S> | undefined;
  set(key: K, state: DeepReadonly<S>): void;
  delete(key: K): void;
}

/** Records that have been given another key, and have not yet met the others that share it. */
export interface Rekeyed<J, V> {
  /**
   * Sends the records through a topic, so that equal keys meet in one partition. The topic cuts the pipeline into two
   * tasks: what follows may run in other threads than what came before. It reads what the topic holds, which may be a
   * wider type than what was sent.
   *
   * @example
   * stream(orders).rekey((order) => order.customerId).through(ordersByCustomer)
   */
  through<W>(topic: Origin<J, W> & Target<J, V> & { readonly kind: 'topic' }): Stream<J, W>;
}

/** Nothing if the keys are of one type, and otherwise a text that the compiler shows in its first line. */
export type SameKey<J, K> = [J, K] extends [K, J]
  ? unknown
  : 'the table has keys of another type than the stream: send the stream through a topic first, .rekey(…).through(topic)';

export interface Stream<in out K, out V> {
  readonly kind: 'stream';

  /**
   * Keeps the records for which the answer is true. With a type guard, what follows knows the narrower type.
   *
   * @example
   * stream(orders).filter((order) => order.cents >= 10_000)
   */
  filter<W extends V>(keep: (value: V, record: LogRecord<K, V>) => value is W): Stream<K, W>;
  filter(keep: (value: V, record: LogRecord<K, V>) => boolean): Stream<K, V>;

  /**
   * One value for each value. Key, timestamp and headers stay.
   *
   * @example
   * stream(orders).map((order, { timestamp }) => ({ ...order, at: timestamp }))
   */
  map<W>(fn: (value: V, record: LogRecord<K, V>) => W): Stream<K, W>;

  /**
   * Any number of values for each value, in order. Key, timestamp and headers stay.
   *
   * @example
   * stream(lines).flatMap((line) => line.split(' '))
   */
  flatMap<W>(fn: (value: V, record: LogRecord<K, V>) => Iterable<W>): Stream<K, W>;

  /**
   * Both streams as one. Order is kept within each; between them the lower timestamp goes first. Their topics must
   * have the same number of partitions.
   *
   * @example
   * stream(orders).merge(stream(phoneOrders))
   */
  merge(other: Stream<K, V>): Stream<K, V>;

  /**
   * Gives records another key. The only way on is `.through(topic)`.
   *
   * @example
   * stream(orders).rekey((order) => order.customerId).through(ordersByCustomer)
   */
  rekey<J>(by: (value: V, record: LogRecord<K, V>) => J): Rekeyed<J, V>;

  /**
   * Adds what the table holds for the record's key now. Records without a match are dropped; a later change of the
   * table emits nothing. Both topics must have the same number of partitions.
   *
   * @example
   * stream(ordersByCustomer).join(table(customers), (order, customer) => ({ ...order, customer }))
   */
  join<T, W, J = K>(table: Table<J, T> & SameKey<J, K>, combine: (value: V, match: T, record: LogRecord<K, V>) => W): Stream<K, W>;

  /**
   * As `join`, but every record goes on: without a match, `combine` is given `undefined`.
   *
   * @example
   * stream(ordersByCustomer).leftJoin(table(customers), (order, customer) => ({ ...order, name: customer?.name ?? 'unknown' }))
   */
  leftJoin<T, W, J = K>(table: Table<J, T> & SameKey<J, K>, combine: (value: V, match: T | undefined, record: LogRecord<K, V>) => W): Stream<K, W>;

  /**
   * Folds the records of each key into a state, kept in the store. The result is a table: it may be written to a
   * compacted topic, joined, or be an end in itself, to be read with `app.store(store)`.
   *
   * @example
   * stream(ordersByCustomer).fold(spentByCustomer, { init: () => 0, update: (sum, order) => sum + order.cents })
   */
  fold<A>(store: Store<K, A>, fold: Fold<K, V, A>): Table<K, A>;

  /**
   * How many records each key has had. Never decodes a value.
   *
   * @example
   * stream(ordersByCustomer).count(ordersPerCustomer).to(orderCounts)
   */
  count(store: Store<K, number>): Table<K, number>;

  /**
   * For each record, reads and writes the store at will and emits any number of values: what the other verbs cannot
   * say. Keys of the state are keys of the stream, because only they are sure to lie in this partition.
   *
   * @example
   * stream(ordersByCustomer).process(spentByCustomer, (order, state, { key }) => {
   *   const before = state.get(key) ?? 0;
   *   state.set(key, before + order.cents);
   *   return before === 0 ? [{ firstOrder: order.id }] : [];
   * })
   */
  process<S, W>(store: Store<K, S>, step: (value: V, state: StateView<K, S>, record: LogRecord<K, V>) => Iterable<W>): Stream<K, W>;

  /**
   * Writes every record to a topic or a sink that can hold it: the end of this path.
   *
   * @example
   * stream(orders).filter((order) => order.cents >= 10_000).to(largeOrders)
   */
  to(target: (Target<K, V> & { readonly kind: 'topic' }) | Sink<K, V>): Flow;
}

/**
 * The records of a topic, as they were appended. A compacted topic is read with `table`.
 *
 * @example
 * stream(orders)
 */
export const stream = <K, V>(topic: Origin<K, V> & { readonly kind: 'topic' }): Stream<K, V> =>
  streamFace<K, V>(streamNode(asTopic('stream', topic, ['topic'])));
