import { compactedTopic, store, topic } from '@stoplog/core';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { drive } from '../../testing/drive.ts';
import { pipeline } from '../pipeline/pipeline.ts';
import { stream } from '../pipeline/stream.ts';

const numbers = { key: z.string(), value: z.int() };
const [from, to] = [topic('from', numbers), topic('to', numbers)];
const sums = store('sums', numbers);
const totals = compactedTopic('totals', numbers);

describe('fold', () => {
  test('fold starts from init for each key, and emits each new state', () => {
    const d = drive(
      pipeline(
        'p',
        stream(from)
          .fold(sums, { init: () => 100, update: (sum, n, { timestamp }) => sum + n + timestamp })
          .to(totals),
      ),
    );
    d.send(from, 'a', 1);
    d.send(from, 'b', 2);
    d.send(from, 'a', 3, 10);
    expect(d.read(totals)).toEqual([
      { key: 'a', value: 101 },
      { key: 'b', value: 102 },
      { key: 'a', value: 114 },
    ]);
    expect(d.store(sums).range()).toEqual([
      ['a', 114],
      ['b', 102],
    ]);
  });

  test('a key whose update is undefined is deleted, a tombstone for readers, and begins again from init', () => {
    const d = drive(
      pipeline(
        'p',
        stream(from)
          .fold(sums, { init: () => 0, update: (sum, n) => (n < 0 ? undefined : sum + n) })
          .to(totals),
      ),
    );
    for (const n of [1, 2, -1, 5]) d.send(from, 'a', n);
    expect(d.read(totals).map(({ value }) => value)).toEqual([1, 3, null, 5]);
    d.send(from, 'a', -1);
    expect(d.store(sums).get('a')).toBeUndefined();
  });

  test('a deletion of an absent key emits nothing', () => {
    const d = drive(
      pipeline(
        'p',
        stream(from)
          .fold(sums, { init: () => 0, update: () => undefined })
          .to(totals),
      ),
    );
    d.send(from, 'a', 1);
    expect(d.read(totals)).toEqual([]);
  });

  test('a compacted topic gets the last of many changes in a commit, and a stream of changes gets all', () => {
    const folded = stream(from).fold(sums, { init: () => 0, update: (sum, n) => sum + n });
    const steps = topic('steps', { key: z.string(), value: z.object({ before: z.int().optional(), after: z.int().optional() }) });
    const d = drive(pipeline('p', folded.to(totals), folded.changes().to(steps)));
    d.batch(() => [1, 2, 3].forEach((n) => d.send(from, 'a', n)));
    expect(d.read(totals)).toEqual([{ key: 'a', value: 6 }]);
    expect(d.read(steps).map(({ value }) => value)).toEqual([{ after: 1 }, { before: 1, after: 3 }, { before: 3, after: 6 }]);
  });

  test('keys that are objects are one key when their data are equal', () => {
    const Pair = z.object({ x: z.int(), y: z.int() });
    const [points, perPoint] = [topic('points', { key: Pair, value: z.int() }), store('per-point', { key: Pair, value: z.int() })];
    const d = drive(pipeline('p', stream(points).count(perPoint)));
    d.send(points, { x: 1, y: 2 }, 0);
    d.send(points, { y: 2, x: 1 }, 0);
    expect(d.store(perPoint).get({ y: 2, x: 1 })).toBe(2);
  });
});

describe('count', () => {
  test('count counts each key, even one that has a meaning in JavaScript (O12)', () => {
    const d = drive(pipeline('p', stream(from).count(sums).to(totals)));
    const keys = ['__proto__', 'constructor', 'toString', 'a', 'hasOwnProperty', ''];
    for (const key of keys) d.send(from, key, 0);
    expect(d.read(totals)).toEqual(keys.map((key) => ({ key, value: 1 })));
    for (const key of keys) expect(d.store(sums).get(key)).toBe(1);
    expect(({} as { admin?: unknown }).admin).toBeUndefined();
  });

  test('a hostile value leaves a store as it was set, and changes no prototype (O12)', () => {
    const [hostile, latest] = [topic('hostile', { key: z.string(), value: z.unknown() }), store('latest', { key: z.string(), value: z.unknown() })];
    const [out, state] = [
      topic('out', { key: z.string(), value: z.unknown() }),
      stream(hostile).fold(latest, { init: () => null as unknown, update: (_, value) => value }),
    ];
    const d = drive(
      pipeline(
        'p',
        state,
        stream(hostile)
          .map((value) => value)
          .to(out),
      ),
    );
    const value: unknown = JSON.parse('{"__proto__":{"admin":true},"constructor":1,"prototype":2,"a":3}');
    d.send(hostile, 'k', value);
    for (const found of [d.store(latest).get('k'), d.read(out)[0]!.value] as Record<string, unknown>[]) {
      expect(Object.keys(found)).toEqual(['__proto__', 'constructor', 'prototype', 'a']);
      expect(found['admin']).toBeUndefined();
      expect(Object.getPrototypeOf(found)).toBe(Object.prototype);
    }
    expect(({} as { admin?: unknown }).admin).toBeUndefined();
  });
});

describe('process', () => {
  test('process sees its writes, in this batch and in those before it, and emits the values it returns', () => {
    const d = drive(
      pipeline(
        'p',
        stream(from)
          .process(sums, (n, state, { key }) => {
            const before = state.get(key) ?? 0;
            state.set(key, before + n);
            return before === 0 ? [n] : [before, before + n];
          })
          .to(to),
      ),
    );
    d.send(from, 'a', 1);
    d.batch(() => [2, 3].forEach((n) => d.send(from, 'a', n)));
    d.send(from, 'b', 7);
    expect(d.read(to).map(({ key, value }) => `${key}${value}`)).toEqual(['a1', 'a1', 'a3', 'a3', 'a6', 'b7']);
    expect(d.store(sums).get('a')).toBe(6);
  });

  test('process may be a generator, and may delete', () => {
    const d = drive(
      pipeline(
        'p',
        stream(from)
          .process(sums, function* (n, state, { key }) {
            yield n;
            if (n === 0) state.delete(key);
            else state.set(key, n);
            yield state.get(key) ?? -1;
          })
          .to(to),
      ),
    );
    for (const n of [5, 0]) d.send(from, 'a', n);
    expect(d.read(to).map(({ value }) => value)).toEqual([5, 5, 0, -1]);
    expect(d.store(sums).get('a')).toBeUndefined();
  });
});
