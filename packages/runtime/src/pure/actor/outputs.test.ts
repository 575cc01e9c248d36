import { compactedTopic, type Header, topic } from '@stoplog/core';
import { type AnyTopic, LazyRecord, openBatch, RecordPacker, topicOf } from '@stoplog/core/kit';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { DerivedRecord } from '../nodes/derived-record.ts';
import type { AnyRecord } from '../nodes/record.ts';
import { TopicOutput } from './outputs.ts';

const text = { key: z.string(), value: z.string() };
/** A topic's record as an actor reads it. */
const read = (from: AnyTopic, key: string | Uint8Array | null, value: string | Uint8Array | null, timestamp = 0, headers?: readonly Header[]): LazyRecord => {
  const packer = new RecordPacker(from.name, 1);
  packer.add(key, value, timestamp, headers);
  return recordsOf(from, packer.take())[0]!;
};
const recordsOf = (of: AnyTopic, batches: readonly { readonly batch: Uint8Array }[]): readonly LazyRecord[] =>
  batches.flatMap(({ batch }) => {
    const view = openBatch(batch);
    const records: LazyRecord[] = [];
    while (view.next()) records.push(new LazyRecord(view, of.keySerde, of.valueSerde, of.name));
    return records;
  });
const plain = ({ key, value, timestamp }: AnyRecord): unknown => ({ key, value, timestamp });
const spies = (of: AnyTopic): { readonly [side in 'key' | 'value']: { readonly decode: unknown; readonly encode: unknown } } => ({
  key: { decode: vi.spyOn(of.keySerde, 'decode'), encode: vi.spyOn(of.keySerde, 'encode') },
  value: { decode: vi.spyOn(of.valueSerde, 'decode'), encode: vi.spyOn(of.valueSerde, 'encode') },
});

describe('the output of a batch to a topic', () => {
  test('an unchanged record is appended as its original bytes, neither decoded nor encoded', () => {
    const [from, to] = [topicOf(topic('from', text)), topicOf(topic('to', text))];
    const [reading, writing] = [spies(from), spies(to)];
    const output = new TopicOutput(to);
    // No serde would write this white space, so equal bytes prove that the value was not encoded again.
    output.record(read(from, '"k"', '  "v" ', 5, [{ name: 'h', value: Uint8Array.of(1) }]));
    const { batches, records } = output.take();
    for (const spy of [reading.key.decode, reading.value.decode, writing.key.encode, writing.value.encode]) expect(spy).not.toHaveBeenCalled();
    const [written] = recordsOf(to, batches);
    expect(Buffer.from(written!.valueBytes!).toString()).toBe('  "v" ');
    expect(plain(written!)).toEqual({ key: 'k', value: 'v', timestamp: 5 });
    expect(written!.headers).toEqual([{ name: 'h', value: Uint8Array.of(1) }]);
    expect(records).toBe(1);
  });

  test('a record with a new value keeps its key as the original bytes', () => {
    const [from, to] = [topicOf(topic('from', text)), topicOf(topic('to', text))];
    const [reading, writing] = [spies(from), spies(to)];
    const output = new TopicOutput(to);
    output.record(new DerivedRecord(new DerivedRecord(read(from, '"k"', '"v"', 5), 'x'), 'w'));
    const { batches } = output.take();
    for (const spy of [reading.key.decode, reading.value.decode, writing.key.encode]) expect(spy).not.toHaveBeenCalled();
    expect(recordsOf(to, batches).map(plain)).toEqual([{ key: 'k', value: 'w', timestamp: 5 }]);
  });

  test('a record of another writer is parsed before it is appended', () => {
    const [from, to] = [topicOf(topic('from', { ...text, reads: 'parsed' })), topicOf(topic('to', text))];
    const output = new TopicOutput(to);
    expect(() => output.record(read(from, '"k"', '7'))).toThrow(expect.objectContaining({ code: 'STOPLOG_SCHEMA' }));
    expect(() => output.record(read(from, '7', '"v"'))).toThrow(expect.objectContaining({ code: 'STOPLOG_SCHEMA' }));
    output.record(read(from, ' "k"', ' "v"'));
    expect(Buffer.from(recordsOf(to, output.take().batches)[0]!.keyBytes!).toString()).toBe('"k"');
  });

  test('a rekeyed record keeps its value as the original bytes', () => {
    const [from, to] = [topicOf(topic('from', text)), topicOf(topic('to', { ...text, key: z.int() }))];
    const [reading, writing] = [spies(from), spies(to)];
    const output = new TopicOutput(to);
    output.rekeyed(7, read(from, '"k"', '"v"', 5));
    const { batches } = output.take();
    for (const spy of [reading.key.decode, reading.value.decode, writing.value.encode]) expect(spy).not.toHaveBeenCalled();
    expect(recordsOf(to, batches).map(plain)).toEqual([{ key: 7, value: 'v', timestamp: 5 }]);
  });

  test('between topics of different codecs, records are decoded by one and encoded by the other', () => {
    const from = topicOf(topic('from', text));
    const to = topicOf(topic('to', { ...text, codec: { key: 'string', value: 'msgpack' } }));
    const output = new TopicOutput(to);
    output.record(read(from, '"k"', '"v"', 5));
    const [written] = recordsOf(to, output.take().batches);
    expect(Buffer.from(written!.keyBytes!).toString()).toBe('k');
    expect(plain(written!)).toEqual({ key: 'k', value: 'v', timestamp: 5 });
  });

  test('keys that are equal meet in one partition, whether they are original bytes or newly encoded', () => {
    const [from, to] = [topicOf(topic('from', text)), topicOf(topic('to', { ...text, partitions: 16 }))];
    const output = new TopicOutput(to);
    for (const key of ['a', 'b', 'c', 'd', 'é', '__proto__']) {
      output.record(read(from, JSON.stringify(key), '"read"'));
      output.rekeyed(key, read(from, '"other"', '"made"'));
    }
    const partitionsOf = new Map<unknown, Set<number>>();
    for (const { batch, partition } of output.take().batches)
      for (const { key } of recordsOf(to, [{ batch }])) partitionsOf.set(key, (partitionsOf.get(key) ?? new Set()).add(partition));
    expect(partitionsOf.size).toBe(6);
    expect([...partitionsOf.values()].every(({ size }) => size === 1)).toBe(true);
  });

  test('null in a stream is a value of its schema, and stays one', () => {
    const nullable = { key: z.string().nullable(), value: z.string().nullable() };
    const [from, to] = [topicOf(topic('from', nullable)), topicOf(topic('to', { ...nullable, codec: { value: 'msgpack' } }))];
    const output = new TopicOutput(to);
    output.record(read(from, '"k"', 'null'));
    output.record(read(from, null, '"v"'));
    output.record(new DerivedRecord(read(from, '"k"', '"v"'), null));
    const written = recordsOf(to, output.take().batches);
    expect(written.map(({ key, value }) => [key, value])).toEqual(
      expect.arrayContaining([
        ['k', null],
        [null, 'v'],
        ['k', null],
      ]),
    );
    expect(written.every(({ valueBytes }) => valueBytes !== null)).toBe(true);
  });

  test('taking the batches leaves the output empty', () => {
    const output = new TopicOutput(topicOf(topic('to', text)));
    const from = topicOf(topic('from', text));
    output.record(read(from, '"k"', '"v"'));
    expect(output.dirtyBytes).toBeGreaterThan(0);
    expect(output.take().records).toBe(1);
    expect(output.take()).toEqual({ batches: [], records: 0 });
    expect(output.dirtyBytes).toBe(0);
  });
});

describe('the output of a batch to a compacted topic', () => {
  const from = topicOf(topic('from', text));
  const to = topicOf(compactedTopic('to', { key: z.unknown(), value: z.int().nullable(), partitions: 1 }));
  const at = (timestamp: number): LazyRecord => read(from, '"cause"', '"v"', timestamp);

  test('each key has one record with its latest value, at the place of its first change', () => {
    const output = new TopicOutput(to);
    for (let n = 1; n <= 1_000; n++) output.latest('hot', n, at(n));
    output.latest('cold', 1, at(1_001));
    output.latest('hot', 0, at(1_002));
    const { batches, records } = output.take();
    expect(records).toBe(2);
    expect(recordsOf(to, batches).map(plain)).toEqual([
      { key: 'hot', value: 0, timestamp: 1_002 },
      { key: 'cold', value: 1, timestamp: 1_001 },
    ]);
    expect(output.take().records).toBe(0);
  });

  test('keys that are equal are one key, and hostile keys are keys', () => {
    const output = new TopicOutput(to);
    output.latest({ a: 1, b: 2 }, 1, at(0));
    output.latest({ b: 2, a: 1 }, 2, at(0));
    for (const key of ['__proto__', 'constructor', 'toString']) output.latest(key, 3, at(0));
    expect(recordsOf(to, output.take().batches).map(({ key, value }) => [key, value])).toEqual([
      ['__proto__', 3],
      ['constructor', 3],
      ['toString', 3],
      [{ a: 1, b: 2 }, 2],
    ]);
  });

  test('a deleted key is a tombstone, and so is null', () => {
    const output = new TopicOutput(to);
    output.latest('gone', 1, at(0));
    output.latest('gone', undefined, at(0));
    output.latest('null', null, at(0));
    output.latest('back', undefined, at(0));
    output.latest('back', 2, at(0));
    const written = recordsOf(to, output.take().batches);
    expect(written.map(({ key, value, valueBytes }) => [key, value, valueBytes === null])).toEqual([
      ['gone', null, true],
      ['null', null, true],
      ['back', 2, false],
    ]);
  });

  test('a change has the highest timestamp among its causes, and the headers of the last one', () => {
    const output = new TopicOutput(to);
    output.latest('k', 1, read(from, '"c"', '"v"', 9, [{ name: 'first', value: null }]));
    output.latest('k', 2, read(from, '"c"', '"v"', 3, [{ name: 'last', value: null }]));
    const [written] = recordsOf(to, output.take().batches);
    expect(plain(written!)).toEqual({ key: 'k', value: 2, timestamp: 9 });
    expect(written!.headers.map(({ name }) => name)).toEqual(['last']);
  });

  test('a table without a key is refused', () => {
    const output = new TopicOutput(to);
    output.latest(null, 1, at(0));
    expect(() => output.take()).toThrow(expect.objectContaining({ code: 'STOPLOG_SCHEMA' }));
  });
});
