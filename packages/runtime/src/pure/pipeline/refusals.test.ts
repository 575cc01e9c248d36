/**
 * The mistakes that the compiler refuses, and the correct uses that it accepts. Half of this file runs in `tsc` (`tsconfig.test.json`):
 * an `@ts-expect-error` above a line that compiles is an error. The other half shows that plain JavaScript is refused too.
 */
import { compactedTopic, store, topic, type Sink, type Source } from '@stoplog/core';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { source } from './arrivals.ts';
import { isPipeline, pipeline } from './pipeline.ts';
import { stream, type Stream } from './stream.ts';
import { table, type Change, type Table } from './table.ts';

const OrderId = z.string().brand<'OrderId'>();
const CustomerId = z.string().brand<'CustomerId'>();
type OrderId = z.infer<typeof OrderId>;
type CustomerId = z.infer<typeof CustomerId>;
const Order = z.object({ id: OrderId, customerId: CustomerId, cents: z.int() });
const Customer = z.object({ name: z.string(), country: z.string() });
const Enriched = Order.extend({ customer: Customer });
type Order = z.infer<typeof Order>;
type Customer = z.infer<typeof Customer>;

const orders = topic('orders', { key: OrderId, value: Order });
const ordersByCustomer = topic('orders-by-customer', { key: CustomerId, value: Order });
const customers = compactedTopic('customers', { key: CustomerId, value: Customer });
const enrichedOrders = topic('enriched-orders', { key: CustomerId, value: Enriched });
const totals = compactedTopic('totals', { key: CustomerId, value: z.int() });
const spent = store('spent', { key: CustomerId, value: z.int() });
const texts = store('texts', { key: OrderId, value: z.string() });
declare const ticks: Source<string, number>;
declare const elsewhere: Sink<OrderId, Order>;

/** Type-checked, never run. */
const compiled = (_of: () => unknown): void => {};

compiled(() => {
  // @ts-expect-error  keyed by OrderId, the table by CustomerId
  stream(orders).join(table(customers), (order, customer) => ({ order, customer }));
  // @ts-expect-error  keyed by OrderId, the table by CustomerId
  stream(orders).leftJoin(table(customers), (order, customer) => ({ order, customer }));
  // @ts-expect-error  orders is not compacted
  table(orders);
  // @ts-expect-error  customers is compacted: a tombstone would surprise a stream
  stream(customers);
  // @ts-expect-error  a table goes to a compacted topic
  table(customers).to(orders);
  // @ts-expect-error  a stream does not go to a compacted topic
  stream(ordersByCustomer).map((order) => order.cents).to(totals);
  // @ts-expect-error  no customer in the value
  stream(ordersByCustomer).to(enrichedOrders);
  // @ts-expect-error  keyed by OrderId, the topic by CustomerId
  stream(orders).to(enrichedOrders);
  // @ts-expect-error  the topic is keyed by CustomerId
  stream(orders).rekey((order) => order.id).through(ordersByCustomer);
  // @ts-expect-error  the topic holds orders
  stream(orders).map((order) => order.cents).rekey(() => CustomerId.parse('c')).through(ordersByCustomer);
  // @ts-expect-error  what goes through is a stream: no compacted topic
  stream(orders).rekey((order) => order.customerId).through(customers);
  // @ts-expect-error  a new key first meets the others that share it
  stream(orders).rekey((order) => order.customerId).count(spent);
  // @ts-expect-error  the store holds strings, the fold numbers
  stream(orders).fold(texts, { init: () => 0, update: (n: number) => n + 1 });
  // @ts-expect-error  the store holds strings, a count is a number
  stream(orders).count(texts);
  // @ts-expect-error  the store is keyed by CustomerId
  stream(orders).count(spent);
  // @ts-expect-error  the state is a number
  stream(ordersByCustomer).process(spent, (_order, state, { key }) => [state.set(key, 'much')]);
  // @ts-expect-error  in a left join the match may be missing
  stream(ordersByCustomer).leftJoin(table(customers), (_order, customer) => customer.name);
  // @ts-expect-error  merged streams have one key
  stream(orders).merge(stream(ordersByCustomer));
  // @ts-expect-error  verbs take plain functions
  stream(orders).filter(async () => true);
  // @ts-expect-error  no partitions yet, so no state
  source(ticks).fold(spent, { init: () => 0, update: (n: number) => n + 1 });
  // @ts-expect-error  no partitions yet, so no join
  source(ticks).join(table(customers), (n) => n);
  // @ts-expect-error  the topic has other keys and values
  source(ticks).to(orders);
  // @ts-expect-error  a sink keeps the offsets of a topic, and arrivals have none
  source(ticks).to(elsewhere);
  // @ts-expect-error  a source is not a topic
  stream(ticks);
  // @ts-expect-error  a topic is not a source
  source(orders);
  // @ts-expect-error  a stream leads nowhere: it is no end
  pipeline('open', stream(orders));
  // @ts-expect-error  a topic is no end
  pipeline('open', orders);
  // @ts-expect-error  arrivals lead nowhere: they are no end
  pipeline('open', source(ticks));
});

compiled(() => {
  // Brands, guards and the second argument keep their types.
  const paid: Stream<OrderId, Order & { cents: 0 }> = stream(orders).filter((order): order is Order & { cents: 0 } => order.cents === 0);
  const merged: Stream<OrderId, Order> = stream(orders).merge(paid);
  const changes: Stream<CustomerId, Change<Customer>> = table(customers).changes();
  const count: Table<CustomerId, number> = stream(ordersByCustomer).count(spent);
  const keyed: Stream<CustomerId, Order> = stream(orders).rekey((order, { key, timestamp }) => (timestamp > 0 && key.length > 0 ? order.customerId : CustomerId.parse('c'))).through(ordersByCustomer);
  const wider: Stream<CustomerId, Order> = stream(enrichedOrders).rekey((order) => order.customerId).through(ordersByCustomer);
  const firsts: Stream<CustomerId, OrderId> = stream(ordersByCustomer).process(spent, (order, state, { key }) => (state.get(key) === undefined ? [order.id] : []));
  const numbers: Stream<number, number> = source(ticks).filter((n) => n > 0).flatMap((n) => [n, n]).rekey((n) => n % 4).through(topic('by-shard', { key: z.int(), value: z.int() }));
  const countries: Table<CustomerId, string> = table(customers).filter((customer) => customer.name !== '').map((customer, key) => customer.country + key);
  return [merged, changes, count, keyed, wider, firsts, numbers, countries, stream(enrichedOrders).map(({ customer: _, ...order }) => order).to(ordersByCustomer), stream(orders).to(elsewhere)];
});

const silent: Source<string, number> = { kind: 'source', name: 'silent', open: () => Promise.reject(new Error('never opened')) };

/** A value as plain JavaScript would pass it: of a type that is assignable anywhere. */
const smuggled = (value: unknown): never => value as never;

describe('without a compiler, a verb refuses when it is called', () => {
  const refusal = (code: string, words: RegExp): object => expect.objectContaining({ code, message: expect.stringMatching(words) });

  test('a verb refuses a topic of the wrong kind and names the right verb', () => {
    expect(() => table(smuggled(orders))).toThrow(refusal('STOPLOG_USAGE', /declare it with compactedTopic/));
    expect(() => stream(smuggled(customers))).toThrow(refusal('STOPLOG_USAGE', /read it with table\(customers\)/));
    expect(() => stream(orders).rekey((order) => order.customerId).through(smuggled(customers))).toThrow(refusal('STOPLOG_USAGE', /through needs a topic/));
    expect(() => table(customers).to(smuggled(orders))).toThrow(refusal('STOPLOG_USAGE', /to needs a compacted topic/));
    expect(() => source(silent).to(smuggled(customers))).toThrow(refusal('STOPLOG_USAGE', /to needs a topic, and 'customers' is compacted/));
    expect(() => source(silent).to(smuggled({ kind: 'sink', name: 'elsewhere' }))).toThrow(refusal('STOPLOG_USAGE', /this is not a topic/));
  });

  test('a verb refuses a value that is no topic, store, source, stream, table or function', () => {
    for (const nonsense of [undefined, null, 0, 'orders', {}, () => 0, { kind: 'topic', name: 'orders' }, { kind: 'table' }, { kind: 'stream' }]) {
      const given = smuggled(nonsense);
      const attempts = [
        () => stream(given), () => table(given), () => source(given), () => stream(orders).to(given), () => table(customers).to(given),
        () => stream(orders).merge(given), () => stream(ordersByCustomer).join(given, () => 0), () => stream(orders).count(given),
        () => stream(orders).rekey(() => 'k').through(given), () => pipeline('p', given),
      ];
      for (const attempt of attempts) expect(attempt).toThrow(refusal('STOPLOG_USAGE', /pass|declare/));
    }
    const attempts = [() => stream(orders).map(smuggled('fn')), () => stream(orders).fold(smuggled(spent), smuggled({})), () => stream(orders).rekey(smuggled(undefined))];
    for (const attempt of attempts) expect(attempt).toThrow(refusal('STOPLOG_USAGE', /needs a function/));
  });

  test('a name with a character that names may not have is refused', () => {
    expect(() => pipeline('my pipeline', table(customers).to(customers))).toThrow(refusal('STOPLOG_NAME', /cannot name a pipeline/));
  });
});

describe('a verb only builds', () => {
  test('pipelines, faces and what they hold are frozen', () => {
    const made = pipeline('copy', stream(orders).filter(() => true).to(topic('copies', { key: OrderId, value: Order })));
    expect(isPipeline(made)).toBe(true);
    expect([made, made.ends, made.ends[0], stream(orders), table(customers)].every((value) => Object.isFrozen(value))).toBe(true);
  });

  test('no function is called while a pipeline is declared', () => {
    const never = (): never => {
      throw new Error('called');
    };
    const path = stream(ordersByCustomer).filter(never).map(never).flatMap<Order>(never).process(spent, never).leftJoin(table(customers).map(never), never).rekey<CustomerId>(never);
    expect(() => path.through(smuggled(topic('again', { key: CustomerId, value: Order }))).fold(spent, { init: never, update: never })).not.toThrow();
  });
});
