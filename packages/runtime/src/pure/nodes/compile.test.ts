import { compactedTopic, type Source, store, topic } from '@stoplog/core';
import { topicOf } from '@stoplog/core/kit';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { drive } from '../../testing/drive.ts';
import { source } from '../pipeline/arrivals.ts';
import { pipeline } from '../pipeline/pipeline.ts';
import { stream } from '../pipeline/stream.ts';
import { table } from '../pipeline/table.ts';

const numbers = { key: z.string(), value: z.int() };
const [from, other, to, also] = [topic('from', numbers), topic('other', numbers), topic('to', numbers), topic('also', numbers)];

describe('verbs of a stream', () => {
  test('filter keeps the records for which the function returns true', () => {
    const d = drive(
      pipeline(
        'p',
        stream(from)
          .filter((n, { key }) => n > 1 && key !== 'c')
          .to(to),
      ),
    );
    for (const [key, n] of [
      ['a', 1],
      ['b', 2],
      ['c', 3],
    ] as const)
      d.send(from, key, n);
    expect(d.read(to)).toEqual([{ key: 'b', value: 2 }]);
  });

  test('map makes one value of each; key, time and partition stay', () => {
    const d = drive(
      pipeline(
        'p',
        stream(from)
          .map((n, record) => n * 10 + record.timestamp)
          .to(to),
      ),
    );
    d.send(from, 'a', 1, 5);
    const [record] = d.records(to);
    expect(record).toMatchObject({ key: 'a', value: 15, timestamp: 5, partition: d.records(from)[0]!.partition });
  });

  test('flatMap makes any number of values, in order, of any iterable', () => {
    const d = drive(
      pipeline(
        'p',
        stream(from)
          .flatMap((n) => (n === 3 ? new Set([3, 4, 5]) : Array.from({ length: n }, (_, i) => i)))
          .to(to),
      ),
    );
    for (const n of [0, 2, 3]) d.send(from, 'a', n);
    expect(d.read(to).map(({ value }) => value)).toEqual([0, 1, 3, 4, 5]);
  });

  test('merge emits the records of both streams, and twice those of a stream merged with itself', () => {
    const both = drive(pipeline('p', stream(from).merge(stream(other)).to(to)));
    both.send(other, 'a', 1);
    both.send(from, 'a', 2);
    expect(both.read(to).map(({ value }) => value)).toEqual([1, 2]);

    const one = stream(from);
    const twice = drive(
      pipeline(
        'p',
        one
          .map((n) => n + 1)
          .merge(one)
          .to(to),
      ),
    );
    twice.send(from, 'a', 1);
    expect(twice.read(to).map(({ value }) => value)).toEqual([2, 1]);
  });

  test('rekey and through bring equal keys together, whatever their keys were before', () => {
    const byValue = topic('by-value', { key: z.int(), value: z.int(), partitions: 7 });
    const seen = store('seen', { key: z.int(), value: z.int() });
    const d = drive(
      pipeline(
        'p',
        stream(from)
          .rekey((n) => n % 5)
          .through(byValue)
          .count(seen),
      ),
    );
    for (let n = 0; n < 50; n++) d.send(from, `key ${n}`, n);
    expect(d.store(seen).range()).toEqual([0, 1, 2, 3, 4].map((n) => [n, 10]));
    const partitions = new Map<number, Set<number>>();
    for (const { key, partition } of d.records(byValue)) partitions.set(key, (partitions.get(key) ?? new Set()).add(partition));
    expect([...partitions.values()].every(({ size }) => size === 1)).toBe(true);
  });

  test('a stream with two ends is read once and its records reach both', () => {
    const fn = vi.fn((n: number) => n + 1);
    const mapped = stream(from).map(fn);
    const d = drive(pipeline('p', mapped.to(to), mapped.filter((n) => n > 2).to(also)));
    for (const n of [1, 2]) d.send(from, 'a', n);
    expect(d.read(to).map(({ value }) => value)).toEqual([2, 3]);
    expect(d.read(also).map(({ value }) => value)).toEqual([3]);
    expect(fn).toHaveBeenCalledTimes(2);
  });

  test('a topic that is named twice is read once, and its records reach both paths', () => {
    const d = drive(
      pipeline(
        'p',
        stream(from).to(to),
        stream(from)
          .map((n) => -n)
          .to(also),
      ),
    );
    d.send(from, 'a', 1);
    expect([d.read(to), d.read(also)]).toEqual([[{ key: 'a', value: 1 }], [{ key: 'a', value: -1 }]]);
  });

  test('a topic between two paths is written by one and read by the other', () => {
    const d = drive(
      pipeline(
        'p',
        stream(from)
          .map((n) => n + 1)
          .to(other),
        stream(other)
          .map((n) => n * 2)
          .to(to),
      ),
    );
    d.send(from, 'a', 1);
    expect(d.read(to)).toEqual([{ key: 'a', value: 4 }]);
  });

  test('the arrivals of a source pass through the same verbs, to the topic where equal keys meet', () => {
    const ticks: Source<string, number> = { kind: 'source', name: 'ticks', open: () => Promise.reject(new Error('a driver opens nothing')) };
    const counts = store('counts', numbers);
    const d = drive(
      pipeline(
        'p',
        source(ticks)
          .filter((n) => n > 0)
          .flatMap((n) => [n, n])
          .map((n) => n + 1)
          .rekey((n) => `n${n}`)
          .through(from)
          .count(counts),
      ),
    );
    d.arrive(ticks, 'ignored', 1, 7);
    d.arrive(ticks, 'ignored', 0);
    expect(d.records(from)).toMatchObject([
      { key: 'n2', value: 2, timestamp: 7 },
      { key: 'n2', value: 2, timestamp: 7 },
    ]);
    expect(d.store(counts).get('n2')).toBe(2);
  });
});

describe('a value that no handler reads is not decoded', () => {
  test('a record that passes unchanged is appended as its bytes; a filter decodes the value once, for itself', () => {
    const [plain, copy, few] = [topic('plain', numbers), topic('copy', numbers), topic('few', numbers)];
    const decode = vi.spyOn(topicOf(plain).valueSerde, 'decode');
    const encodes = [copy, few].flatMap((written) => [vi.spyOn(topicOf(written).keySerde, 'encode'), vi.spyOn(topicOf(written).valueSerde, 'encode')]);
    const copying = drive(pipeline('p', stream(plain).to(copy)));
    copying.send(plain, 'a', 1);
    expect(decode).not.toHaveBeenCalled();
    const filtering = drive(
      pipeline(
        'p',
        stream(plain)
          .filter((n) => n > 0)
          .filter((n) => n < 9)
          .to(few),
      ),
    );
    filtering.send(plain, 'a', 1);
    expect(decode).toHaveBeenCalledOnce();
    for (const encode of encodes) expect(encode).not.toHaveBeenCalled();
    expect([copying.read(copy), filtering.read(few)]).toEqual([[{ key: 'a', value: 1 }], [{ key: 'a', value: 1 }]]);
  });

  test('a count never decodes a value', () => {
    const plain = topic('plain', numbers);
    const counts = store('counts', numbers);
    const decode = vi.spyOn(topicOf(plain).valueSerde, 'decode');
    const d = drive(pipeline('p', stream(plain).count(counts)));
    for (let n = 0; n < 10; n++) d.send(plain, 'a', n);
    expect(d.store(counts).get('a')).toBe(10);
    expect(decode).not.toHaveBeenCalled();
  });

  test('a table without readers keeps bytes and decodes none', () => {
    const customers = compactedTopic('customers', numbers);
    const decode = vi.spyOn(topicOf(customers).valueSerde, 'decode');
    const d = drive(
      pipeline(
        'p',
        stream(from)
          .join(table(customers), (n, m) => n + m)
          .to(to),
      ),
    );
    d.send(customers, 'a', 1);
    d.send(customers, 'b', 2);
    expect(decode).not.toHaveBeenCalled();
    d.send(from, 'b', 1);
    expect(decode).toHaveBeenCalledTimes(1);
    expect(d.read(to)).toEqual([{ key: 'b', value: 3 }]);
  });
});
