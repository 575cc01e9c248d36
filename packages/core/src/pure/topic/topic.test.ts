import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { days, type Millis } from '../time/duration.ts';
import type { Sink, Source } from './edges.ts';
import { compactedTopic, topic, topicOf, type CompactedTopic, type Origin, type Parses, type Target, type Topic } from './topic.ts';

const OrderId = z.string().brand<'OrderId'>();
type OrderId = z.output<typeof OrderId>;
const CustomerId = z.string().brand<'CustomerId'>();
type CustomerId = z.output<typeof CustomerId>;
const Order = z.object({ id: OrderId, cents: z.int().default(0) });
type Order = z.output<typeof Order>;

const orders = topic('orders', { key: OrderId, value: Order, partitions: 8, retention: days(7) });
const customers = compactedTopic('customers', { key: CustomerId, value: z.object({ name: z.string() }) });

describe('types', () => {
  test('brands are kept, and the outside writes the input type', () => {
    expectTypeOf(orders).toEqualTypeOf<Topic<OrderId, Order, string, { id: string; cents?: number | undefined }>>();
    expectTypeOf(customers).toEqualTypeOf<CompactedTopic<CustomerId, { name: string }, string, { name: string }>>();
  });

  test('a topic has three faces, a source and a sink one each', () => {
    expectTypeOf(orders).toExtend<Origin<OrderId, Order>>();
    expectTypeOf(orders).toExtend<Target<OrderId, Order>>();
    expectTypeOf(orders).toExtend<Parses<string, { id: string }>>();
    expectTypeOf<Source<string, Order>>().toExtend<Origin<string, Order>>();
    expectTypeOf<Source<string, Order>>().not.toExtend<Topic<string, Order>>();
    expectTypeOf<Sink<string, Order>>().toExtend<Target<string, Order>>();
  });

  test('what is read may be wider, what is written narrower, and never the other way', () => {
    expectTypeOf(orders).toExtend<Origin<string, { id: string }>>();
    expectTypeOf(orders).not.toExtend<Origin<CustomerId, Order>>();
    expectTypeOf(orders).not.toExtend<Target<string, Order>>();
    expectTypeOf(orders).toExtend<Target<OrderId, Order & { extra: true }>>();
    expectTypeOf(orders).not.toExtend<CompactedTopic<OrderId, Order>>();
  });

  test('a writer infers from the topic, not from the record', () => {
    const append = <RK, RV>(_: Parses<RK, RV>, __: { key: NoInfer<RK>; value: NoInfer<RV> | null }): void => {};
    append(orders, { key: 'o1', value: { id: 'o1' } });
    append(customers, { key: 'c1', value: null });
    // @ts-expect-error  cents is a number
    append(orders, { key: 'o1', value: { id: 'o1', cents: 'five' } });
    expectTypeOf(append<string, { id: string; cents?: number }>)
      .parameter(0)
      .toExtend<{ readonly name: string }>();
  });

  test('a bare number is no retention, and a compacted topic may have one: both policies', () => {
    // @ts-expect-error  a bare number is no duration
    expect(topicOf(topic('t', { key: OrderId, value: Order, retention: 5_000 })).shape.retentionMs).toBe(5_000);
    expect(topicOf(compactedTopic('t', { key: OrderId, value: Order, retention: days(1) })).shape).toMatchObject({ cleanup: 'compact', retentionMs: days(1) });
  });
});

describe('declaring', () => {
  test('a declaration gives a frozen value with its shape', () => {
    const { kind, name, partitions, shape } = topicOf(orders);
    expect({ kind, name, partitions }).toEqual({ kind: 'topic', name: 'orders', partitions: 8 });
    expect(shape).toMatchObject({
      name: 'orders',
      partitions: 8,
      cleanup: 'delete',
      retentionMs: 604_800_000,
      keyCodec: 'json',
      valueCodec: 'json',
      keySchema: { type: 'string' },
    });
    expect(topicOf(customers).shape).toMatchObject({ partitions: 4, cleanup: 'compact', retentionMs: undefined });
    expect(Object.isFrozen(orders) && Object.isFrozen(shape)).toBe(true);
  });

  test.each([1, 3, 65_535])('%d partitions are fine', (partitions) => {
    expect(topicOf(topic('t', { key: OrderId, value: Order, partitions })).partitions).toBe(partitions);
  });

  test.each([0, -1, 1.5, 65_536, NaN, Infinity, '4' as unknown as number])('%s partitions are refused', (partitions) => {
    expect(() => topic('t', { key: OrderId, value: Order, partitions })).toThrow(
      expect.objectContaining({ code: 'STOPLOG_USAGE', message: expect.stringMatching(/take a whole number from 1 to 65535, or leave it out$/) }),
    );
  });

  test('a retention that keeps nothing, a bad name and a schema its codec cannot carry are refused', () => {
    const spec = { key: OrderId, value: Order };
    for (const retention of [0, -1, NaN, 1.5]) expect(() => topic('t', { ...spec, retention: retention as Millis })).toThrow(/days\(7\)/);
    expect(() => topic('no spaces', spec)).toThrow(expect.objectContaining({ code: 'STOPLOG_NAME' }));
    expect(() => topic('t', { key: OrderId, value: z.date() })).toThrow(/value of topic 't'/);
    expect(() => topic('t', { key: z.bigint(), value: Order })).toThrow(/key of topic 't'/);
    topic('t', { key: OrderId, value: z.date(), codec: { key: 'string', value: 'msgpack' } });
  });

  test('an object that is no topic is refused as one', () => {
    for (const foreign of [{ name: 'orders' }, null, undefined, 'orders'])
      expect(() => topicOf(foreign as { name: string })).toThrow(expect.objectContaining({ code: 'STOPLOG_USAGE' }));
  });

  test('a topic with other writers is parsed when it is read, ours is trusted', () => {
    const spec = { key: z.string(), value: z.object({ n: z.int().default(1) }) };
    const bytes = Buffer.from('{"extra":true}');
    expect(topicOf(topic('t', spec)).valueSerde.decode(bytes)).toEqual({ extra: true });
    const parsed = topicOf(topic('t', { ...spec, reads: 'parsed' })).valueSerde;
    expect(parsed.decode(bytes)).toEqual({ n: 1 });
    expect(() => parsed.decode(Buffer.from('{"n":"x"}'))).toThrow(
      expect.objectContaining({ code: 'STOPLOG_SCHEMA', message: expect.stringMatching(/topic 't'.* n$/) }),
    );
  });
});
