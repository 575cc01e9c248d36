import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { encodeKey, encodeValue, parseRecord } from './parse-record.ts';
import { topicFromShape } from './topic-from-shape.ts';
import { compactedTopic, topic, topicOf } from './topic.ts';

const Order = z.object({ id: z.string(), cents: z.int().positive(), note: z.string().optional() });
const orders = topicOf(topic('orders', { key: z.string(), value: Order, partitions: 7, codec: { key: 'string' } }));

describe('a topic from its shape', () => {
  test('the topic has the shape it was made from, and encodes as the declared one does', () => {
    const again = topicFromShape(orders.shape, 'append');
    expect(again.shape).toBe(orders.shape);
    expect([again.kind, again.name, again.partitions]).toEqual(['topic', 'orders', 7]);
    expect(encodeKey(again, 'o1')).toBe(encodeKey(orders, 'o1'));
    const value = { id: 'o1', cents: 5 };
    expect(encodeValue(again, value)).toBe(encodeValue(orders, value));
    expect(topicOf(again)).toBe(again);
  });
  test('appending refuses a value that the declared schema refuses, and names the path', () => {
    const again = topicFromShape(orders.shape, 'append');
    expect(() => parseRecord(again, { key: 'o1', value: { id: 'o1', cents: 1.5 } })).toThrow(/expected int.*at cents/);
    expect(() => parseRecord(again, { key: 1, value: { id: 'o1', cents: 1 } })).toThrow(/a key for topic 'orders'/);
  });
  test('appending leaves out the fields that the declared schema leaves out', () => {
    const lines = topicOf(topic('lines', { key: z.string(), value: z.object({ items: z.array(Order) }) }));
    const value = { items: [{ id: 'o1', cents: 5, more: 1 }], id: 'k' };
    const [declared, again] = [lines, topicFromShape(lines.shape, 'append')].map((one) => parseRecord(one, { key: 'k', value }).value);
    expect(declared).toEqual({ items: [{ id: 'o1', cents: 5 }] });
    expect(again).toEqual(declared);
    // The caller's own value is not changed.
    expect(value.items[0]).toHaveProperty('more');
  });
  test('reading accepts every stored value', () => {
    const again = topicFromShape(orders.shape, 'read');
    expect(again.valueSerde.decode(Buffer.from('[1,2]'))).toEqual([1, 2]);
    expect(again.keySerde.decode(Buffer.from('o1'))).toBe('o1');
  });
  test('a compacted topic stays compacted', () => {
    const names = topicOf(compactedTopic('names', { key: z.string(), value: z.string() }));
    expect(topicFromShape(names.shape, 'append').kind).toBe('compacted');
  });
  test('appending is refused when the stored schema does not determine the values', () => {
    const dated = topicOf(topic('dated', { key: z.string(), value: z.object({ at: z.date() }), codec: { value: 'msgpack' } }));
    expect(() => topicFromShape(dated.shape, 'append')).toThrow(/value schema kept with topic 'dated' does not say enough.*date/);
    expect(topicFromShape(dated.shape, 'read').name).toBe('dated');
  });
  test('a topic of bytes takes bytes', () => {
    const raw = topicOf(topic('raw', { key: z.string(), value: z.instanceof(Uint8Array), codec: { value: 'bytes' } }));
    expect(encodeValue(topicFromShape(raw.shape, 'append'), new Uint8Array([1]))).toEqual(new Uint8Array([1]));
  });
});
