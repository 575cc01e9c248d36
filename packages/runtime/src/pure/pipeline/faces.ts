/**
 * The faces of a pipeline: Stream, Table and Arrivals, with the verbs that each of them has.
 *
 * They name each other (a stream counted is a table, the changes of a table are a stream), so they are in one file. The faces are
 * types; `verbs.ts` makes the values, and `stream.ts`, `table.ts` and `arrivals.ts` begin a path.
 */
import type { DeepReadonly } from './deep-readonly.ts';
import type { Flow } from './flow.ts';
import type { LogRecord, Origin, Sink, Store, Target } from '@stoplog/core';

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
