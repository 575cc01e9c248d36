import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { encodeKey, encodeValue, parseRecord } from './parse-record.ts';
import { compactedTopic, topic, topicOf } from './topic.ts';

const strict = topicOf(topic('orders', { key: z.string(), value: z.object({ n: z.int().default(7) }) }));
const lenient = topicOf(topic('notes', { key: z.string().nullable(), value: z.string().nullable() }));
const compacted = topicOf(compactedTopic('customers', { key: z.string().nullable(), value: z.string().nullable() }));
const refusal = (side: string, says: RegExp): unknown =>
  expect.objectContaining({ code: 'STOPLOG_SCHEMA', facts: expect.objectContaining({ side }), message: expect.stringMatching(says) });

describe('a record from outside', () => {
  test('a record is parsed on both sides', () => {
    expect(parseRecord(strict, { key: 'a', value: {} })).toEqual({ key: 'a', value: { n: 7 } });
  });

  test('an error of parsing names the topic, the path and the first issue', () => {
    expect(() => parseRecord(strict, { key: 'a', value: { n: 'x' } })).toThrow(
      refusal('value', /^a value for topic 'orders' does not parse: Invalid input: expected number, received string; correct it at n$/),
    );
    expect(() => parseRecord(strict, { key: 5, value: {} })).toThrow(refusal('key', /^a key for topic 'orders' .* at the key itself$/));
  });
});

describe('null', () => {
  test('null as a value of a compacted topic is a tombstone, also when the schema has null', () => {
    expect(parseRecord(compacted, { key: 'a', value: null })).toEqual({ key: 'a', value: null });
    expect(encodeValue(compacted, null)).toBeNull();
  });

  test('null as a value of a topic is data where the schema has it', () => {
    expect(parseRecord(lenient, { key: 'a', value: null })).toEqual({ key: 'a', value: null });
    expect(encodeValue(lenient, null)).toBe('null');
  });

  test('null as a value of another topic is refused, with the advice to send tombstones to a compacted topic', () => {
    expect(() => parseRecord(strict, { key: 'a', value: null })).toThrow(
      refusal('value', /topic 'orders' takes no null value: a tombstone goes to a compacted topic/),
    );
  });

  test('null as a key spreads records where the schema has it', () => {
    expect(parseRecord(lenient, { key: null, value: 'x' })).toEqual({ key: null, value: 'x' });
    expect(encodeKey(lenient, null)).toBeNull();
    expect(() => parseRecord(strict, { key: null, value: {} })).toThrow(refusal('key', /topic 'orders'/));
  });

  test('a compacted topic refuses null as a key, from outside and inside', () => {
    expect(() => parseRecord(compacted, { key: null, value: 'x' })).toThrow(refusal('key', /'customers'.*give it a key$/));
    expect(() => encodeKey(compacted, null)).toThrow(refusal('key', /give it a key$/));
  });

  test('null differs from the empty key and the empty value', () => {
    const text = topicOf(topic('t', { key: z.string(), value: z.string(), codec: { key: 'string', value: 'string' } }));
    expect([encodeKey(text, ''), encodeValue(text, '')]).toEqual(['', '']);
  });
});
