/** Topics and stores take the schemas of any library that keeps Standard Schema: types, parsing, issues and JSON forms. */
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { makeClient } from '../../client/client.ts';
import { memoryLog } from '../../testing/memory-log.ts';
import { store, storeOf } from '../store/store.ts';
import { topic, topicOf, type Topic } from '../topic/topic.ts';
import type { Schema } from './codec.ts';
import { describeSchema, jsonSchemaOf } from './fingerprint.ts';

const OrderId = v.pipe(v.string(), v.brand('OrderId'));
const orders = topic('orders', { key: OrderId, value: toStandardJsonSchema(v.object({ title: v.string(), cents: v.pipe(v.number(), v.integer()) })) });
const visits = topic('visits', { key: type('string'), value: type({ page: 'string', 'ms?': 'number' }) });

describe("a topic of schemas that are not zod's", () => {
  test('the topic has the types of its schemas', () => {
    expectTypeOf(orders).toEqualTypeOf<Topic<v.InferOutput<typeof OrderId>, { title: string; cents: number }, string, { title: string; cents: number }>>();
    expectTypeOf(visits).toEqualTypeOf<Topic<string, { page: string; ms?: number }>>();
  });
  test('a record that is appended is read back', async () => {
    const log = makeClient(memoryLog());
    await log.append(orders, [{ key: 'o1', value: { title: 'tea', cents: 420 } }]);
    await log.append(visits, [{ key: 'ada', value: { page: '/', ms: 3 } }]);
    for await (const batch of log.read(orders, { from: 'earliest', until: 'end' }))
      expect(batch.map(({ key, value }) => [key, value])).toEqual([['o1', { title: 'tea', cents: 420 }]]);
    for await (const batch of log.read(visits, { from: 'earliest', until: 'end' }))
      expect(batch.map(({ key, value }) => [key, value])).toEqual([['ada', { page: '/', ms: 3 }]]);
  });
  test('a value that does not parse is refused with its path', async () => {
    const log = makeClient(memoryLog());
    await expect(log.append(orders, [{ key: 'o1', value: { title: 'tea', cents: 'free' as never } }])).rejects.toMatchObject({
      code: 'STOPLOG_SCHEMA',
      facts: { topic: 'orders', side: 'value', path: 'cents' },
    });
    await expect(log.append(visits, [{ key: 'ada', value: { page: 3 as never } }])).rejects.toMatchObject({ code: 'STOPLOG_SCHEMA', facts: { path: 'page' } });
  });
  test('each value is checked for parts that its codec would change', async () => {
    const log = makeClient(memoryLog());
    const sizes = topic('sizes', { key: v.string(), value: v.object({ size: v.bigint() }) });
    await expect(log.append(sizes, [{ key: 'a', value: { size: 1n } }])).rejects.toMatchObject({ code: 'STOPLOG_SCHEMA', facts: { path: 'size' } });
  });
  test('a schema that validates asynchronously is refused', () => {
    const later = topicOf(
      topic('later', {
        key: v.string(),
        value: v.pipeAsync(
          v.string(),
          v.checkAsync(() => Promise.resolve(true)),
        ) as never,
      }),
    );
    expect(() => later.valueSerde.parse('x')).toThrow(/threw instead of parsing: it validates asynchronously; make its refinements and transforms synchronous/);
  });
});

describe("the JSON form of a schema that is not zod's", () => {
  test('the JSON form distinguishes changes of a store, and ignores descriptions', () => {
    const of = (value: Schema): string => storeOf(store('s', { key: z.string(), value })).fingerprint;
    const two = { a: v.string(), b: v.optional(v.number()) };
    expect(of(toStandardJsonSchema(v.object(two)))).toBe(of(toStandardJsonSchema(v.pipe(v.object({ b: two.b, a: two.a }), v.description('pairs')))));
    expect(of(toStandardJsonSchema(v.object(two)))).not.toBe(of(toStandardJsonSchema(v.object({ a: v.string(), b: v.number() }))));
    expect(of(type({ a: 'string' }))).not.toBe(of(type({ a: 'number' })));
  });
  test('the JSON form keeps a property that has the name of a keyword of JSON Schema', () => {
    expect(jsonSchemaOf(toStandardJsonSchema(v.object({ title: v.string() })))).toMatchObject({ properties: { title: { type: 'string' } } });
    expect(describeSchema(type({ title: 'string' }))).toBe('{title: string}');
  });
  test('the JSON form is empty where the library gives none', () => {
    expect(jsonSchemaOf(v.object({ a: v.string() }))).toEqual({});
  });
});
