/**
 * The faces of a pipeline: Stream, Table and Arrivals, with the verbs of each.
 *
 * The faces name each other (a counted stream is a table, the changes of a table are a stream), so they share a file. The faces are
 * types; `verbs.ts` makes the values, and `stream.ts`, `table.ts` and `arrivals.ts` begin a path.
 */
import type { DeepReadonly } from './deep-readonly.ts';
import type { Flow } from './flow.ts';
import type { LogRecord, Origin, Sink, Store, Target } from '@stoplog/core';

/** Folds the records of one key into a state. */
export interface Fold<K, V, A> {
  /** The state before the first record of a key. */
  readonly init: () => DeepReadonly<A>;
  /** The state after a record. `undefined` deletes the key: readers of the table get a tombstone. */
  readonly update: (state: DeepReadonly<A>, value: V, record: LogRecord<K, V>) => DeepReadonly<A> | undefined;
}

/** A store as `process` sees it: the part for this partition, including the writes of the current batch. */
export interface StateView<K, S> {
  /** The state is frozen: to change it, set another one. */
  get(key: K): DeepReadonly<S> | undefined;
  set(key: K, state: DeepReadonly<S>): void;
  delete(key: K): void;
}

/** Records with a new key that have not yet met the other records of that key. */
export interface Rekeyed<J, V> {
  /**
   * Sends the records through a topic, so that equal keys meet in one partition. The topic cuts the pipeline into two tasks: the verbs
   * after the cut may run in other threads than the verbs before. The resulting stream has the type of the topic, which may be wider than
   * the type of the records sent.
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
   * Keeps the records for which the function returns true. With a type guard, the following verbs get the narrower type.
   *
   * @example
   * stream(orders).filter((order) => order.cents >= 10_000)
   */
  filter<W extends V>(keep: (value: V, record: LogRecord<K, V>) => value is W): Stream<K, W>;
  filter(keep: (value: V, record: LogRecord<K, V>) => boolean): Stream<K, V>;

  /**
   * Replaces each value by one value. Key, timestamp and headers stay.
   *
   * @example
   * stream(orders).map((order, { timestamp }) => ({ ...order, at: timestamp }))
   */
  map<W>(fn: (value: V, record: LogRecord<K, V>) => W): Stream<K, W>;

  /**
   * Replaces each value by any number of values, in order. Key, timestamp and headers stay.
   *
   * @example
   * stream(lines).flatMap((line) => line.split(' '))
   */
  flatMap<W>(fn: (value: V, record: LogRecord<K, V>) => Iterable<W>): Stream<K, W>;

  /**
   * Makes one stream of both. Order is kept within each; between them the record with the lower timestamp goes first. Their topics must
   * have the same number of partitions.
   *
   * @example
   * stream(orders).merge(stream(phoneOrders))
   */
  merge(other: Stream<K, V>): Stream<K, V>;

  /**
   * Gives records another key. The only next verb is `.through(topic)`.
   *
   * @example
   * stream(orders).rekey((order) => order.customerId).through(ordersByCustomer)
   */
  rekey<J>(by: (value: V, record: LogRecord<K, V>) => J): Rekeyed<J, V>;

  /**
   * Combines each record with the table's present value for its key. Records without a match are dropped; a later change of the table
   * emits nothing. Both topics must have the same number of partitions.
   *
   * @example
   * stream(ordersByCustomer).join(table(customers), (order, customer) => ({ ...order, customer }))
   */
  join<T, W, J = K>(table: Table<J, T> & SameKey<J, K>, combine: (value: V, match: T, record: LogRecord<K, V>) => W): Stream<K, W>;

  /**
   * Combines as `join` does, and keeps every record: without a match, `combine` gets `undefined`.
   *
   * @example
   * stream(ordersByCustomer).leftJoin(table(customers), (order, customer) => ({ ...order, name: customer?.name ?? 'unknown' }))
   */
  leftJoin<T, W, J = K>(table: Table<J, T> & SameKey<J, K>, combine: (value: V, match: T | undefined, record: LogRecord<K, V>) => W): Stream<K, W>;

  /**
   * Folds the records of each key into a state, kept in the store. The result is a table: it may be written to a compacted topic, joined,
   * or be an end in itself, to be read with `app.store(store)`.
   *
   * @example
   * stream(ordersByCustomer).fold(spentByCustomer, { init: () => 0, update: (sum, order) => sum + order.cents })
   */
  fold<A>(store: Store<K, A>, fold: Fold<K, V, A>): Table<K, A>;

  /**
   * Counts the records of each key. Never decodes a value.
   *
   * @example
   * stream(ordersByCustomer).count(ordersPerCustomer).to(orderCounts)
   */
  count(store: Store<K, number>): Table<K, number>;

  /**
   * Reads and writes the store freely for each record, and emits any number of values: for work that the other verbs cannot express. Keys
   * of the state are keys of the stream, because no other keys are sure to be in this partition.
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
   * Writes every record to a topic or a sink of a fitting type: the end of this path.
   *
   * @example
   * stream(orders).filter((order) => order.cents >= 10_000).to(largeOrders)
   */
  to(target: (Target<K, V> & { readonly kind: 'topic' }) | Sink<K, V>): Flow;
}

/** The value of a key before and after a change. `undefined`: the key had, or has, no value. */
export interface Change<V> {
  readonly before: V | undefined;
  readonly after: V | undefined;
}

export interface Table<in out K, out V> {
  readonly kind: 'table';

  /**
   * Replaces each value by one value. In a change, the values before and after are both replaced.
   *
   * @example
   * table(customers).map((customer) => customer.country)
   */
  map<W>(fn: (value: V, key: K) => W): Table<K, W>;

  /**
   * Keeps the keys for whose value the function returns true. A key whose value no longer passes is deleted.
   *
   * @example
   * table(customers).filter((customer) => customer.country === 'GB')
   */
  filter(keep: (value: V, key: K) => boolean): Table<K, V>;

  /**
   * The changes of the table as a stream, each with the values before and after: a reader can undo the value that a deletion removes.
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

export interface Arrivals<in out K, out V> {
  readonly kind: 'arrivals';

  /**
   * Keeps the records for which the function returns true.
   *
   * @example
   * source(ticks).filter((n) => n % 2 === 0)
   */
  filter(keep: (value: V, record: LogRecord<K, V>) => boolean): Arrivals<K, V>;

  /**
   * Replaces each value by one value. Key and timestamp stay.
   *
   * @example
   * source(ticks).map((n) => n * 2)
   */
  map<W>(fn: (value: V, record: LogRecord<K, V>) => W): Arrivals<K, W>;

  /**
   * Replaces each value by any number of values, in order.
   *
   * @example
   * source(ticks).flatMap((n) => [n, -n])
   */
  flatMap<W>(fn: (value: V, record: LogRecord<K, V>) => Iterable<W>): Arrivals<K, W>;

  /**
   * Gives records a key. The only next verb is `.through(topic)`, where equal keys meet.
   *
   * @example
   * source(ticks).rekey((n) => n % 4).through(byShard)
   */
  rekey<J>(by: (value: V, record: LogRecord<K, V>) => J): Rekeyed<J, V>;

  /**
   * Writes every record to a topic, under the key that the source gave it: the end of this path. Other pipelines may read the topic, too.
   *
   * @example
   * source(phoneCalls).to(phoneOrders)
   */
  to(topic: Target<K, V> & { readonly kind: 'topic' }): Flow;
}
