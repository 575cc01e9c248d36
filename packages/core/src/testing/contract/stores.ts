/** Stores and topics: kept, ordered, owned, and of one shape. */
import { expect } from 'vitest';
import type { Log } from '../../port/log.ts';
import { compareBytes } from '../../pure/bytes/sort-key.ts';
import type { StorePart } from '../../port/state-store.ts';
import { commitOf, never, numbers, place, shape, TOPIC, type Promises } from './setting.ts';

const part: StorePart = { store: 'counts', partition: 0, group: 'counter', version: 1, fingerprint: 'f1' };
const bytes = (...of: readonly number[]): Uint8Array => Uint8Array.from(of);
const write = (log: Log, entries: readonly (readonly [Uint8Array, Uint8Array | null])[], partition: number = 0): Promise<unknown> =>
  log.commit(
    commitOf({
      group: 'counter',
      stores: [{ store: 'counts', partition, keys: entries.map(([key]) => key), values: entries.map(([, value]) => value) }],
      positions: [{ ...place(), from: 0n, to: 0n }],
    }),
  );

export const stores: Promises = (promise) => {
  promise('a store returns the last committed value, and a null deletes', async ({ log }) => {
    const store = await log.store(part, never);
    expect(store.get(bytes(1))).toBeUndefined();
    await write(log, [
      [bytes(1), bytes(10)],
      [bytes(2), bytes(20)],
      [bytes(1), bytes(11)],
    ]);
    expect(numbers(store.get(bytes(1)))).toEqual([11]);
    await write(log, [
      [bytes(1), null],
      [bytes(9), null],
    ]);
    expect(store.get(bytes(1))).toBeUndefined();
    expect(numbers(store.get(bytes(2)))).toEqual([20]);
  });
  promise('a range is in the order of the key bytes, within its bounds, and at most as long as its limit', async ({ log }) => {
    const store = await log.store(part, never);
    const keys = [bytes(), bytes(0), bytes(0, 0), bytes(0, 255), bytes(1), bytes(127), bytes(128), bytes(255), bytes(255, 255)];
    await write(
      log,
      [...keys].reverse().map((key) => [key, bytes(key.length)] as const),
    );
    const found = (bounds: Parameters<typeof store.range>[0], limit = 100): readonly Uint8Array[] =>
      store.range(bounds, limit).map(([key]) => Uint8Array.from(key));
    expect(found({})).toEqual(keys);
    expect(found({}, 3)).toEqual(keys.slice(0, 3));
    expect(found({ gte: bytes(0, 0) })).toEqual(keys.slice(2));
    expect(found({ gt: bytes(0, 0) })).toEqual(keys.slice(3));
    expect(found({ gt: bytes(0, 1) })).toEqual(keys.slice(3));
    expect(found({ gte: bytes(0), lt: bytes(128) })).toEqual(keys.slice(1, 6));
    expect(found({ gte: bytes(2), lt: bytes(2) })).toEqual([]);
    expect(store.range({ gte: bytes(255, 255) }, 1).map((entry) => entry.map(numbers))).toEqual([[[255, 255], [2]]]);
  });
  promise('a range continues from the last key of the one before, and misses none', async ({ log }) => {
    const store = await log.store(part, never);
    const keys = Array.from({ length: 100 }, (_, i) => bytes(i >> 4, i));
    await write(
      log,
      keys.map((key) => [key, key] as const),
    );
    const found: Uint8Array[] = [];
    for (;;) {
      const last = found.at(-1);
      const chunk = store.range(last === undefined ? {} : { gt: last }, 7);
      if (chunk.length === 0) break;
      found.push(...chunk.map(([key]) => Uint8Array.from(key)));
    }
    expect(found).toEqual(keys);
  });
  promise('parts are separate: the same key in another partition, or another store, is another entry', async ({ log }) => {
    const first = await log.store(part, never);
    const second = await log.store({ ...part, partition: 1 }, never);
    const other = await log.store({ ...part, store: 'other' }, never);
    await write(log, [[bytes(1), bytes(1)]], 0);
    await write(log, [[bytes(1), bytes(2)]], 1);
    expect([first, second, other].map((store) => numbers(store.get(bytes(1))))).toEqual([[1], [2], undefined]);
    expect(first.range({}, 10).length).toBe(1);
    expect(other.range({}, 10)).toEqual([]);
  });
  promise('values of every size are read as they were written, and belong to the caller', async ({ log }) => {
    const store = await log.store(part, never);
    const sizes = [0, 1, 100, 8_192, 300_000];
    await write(
      log,
      sizes.map((size, i) => [bytes(i), new Uint8Array(size).fill(i + 1)] as const),
    );
    sizes.forEach((size, i) => {
      const value = store.get(bytes(i))!;
      const expected = Buffer.alloc(size, i + 1);
      expect(expected.equals(value)).toBe(true);
      value.fill(0);
      expect(expected.equals(store.get(bytes(i))!)).toBe(true);
    });
  });
  promise('keys of every length are entries of their own, in the order of their bytes, next to keys that are a byte longer or shorter', async ({ log }) => {
    const store = await log.store(part, never);
    const sizes = [3_900, 3_984, 4_000, 4_001, 4_026, 100_000, 1_048_576];
    const keys = sizes.flatMap((size) => [0, 1].map((last) => new Uint8Array(size).fill(7).fill(last, size - 1)));
    const reported = (found: readonly Uint8Array[]): readonly string[] => found.map((key) => `${key.length} … ${key.at(-1)}`);
    await write(
      log,
      keys.map((key, i) => [key, bytes(i)] as const),
    );
    keys.forEach((key, i) => expect([key.length, numbers(store.get(key))]).toEqual([key.length, [i]]));
    const ordered = [...keys].sort(compareBytes);
    expect(reported(store.range({}, 100).map(([key]) => key))).toEqual(reported(ordered));
    expect(reported(store.range({ gt: ordered[5]! }, 3).map(([key]) => key))).toEqual(reported(ordered.slice(6, 9)));
    expect(reported(store.range({ gte: ordered[5]!, lt: ordered[9]! }, 100).map(([key]) => key))).toEqual(reported(ordered.slice(5, 9)));
    await write(log, [
      [keys[8]!, bytes(99)],
      [keys[9]!, null],
    ]);
    expect([numbers(store.get(keys[8]!)), store.get(keys[9]!)]).toEqual([[99], undefined]);
    expect(store.get(new Uint8Array(100_001).fill(7))).toBeUndefined();
  });
  promise('a store has one owner, one version, one schema', async ({ log }) => {
    await log.store(part, never);
    await expect(log.store({ ...part, group: 'thief' }, never)).rejects.toMatchObject({
      code: 'STOPLOG_STORE_OWNER',
      facts: { store: 'counts', owner: 'counter', wanted: 'thief' },
    });
    await expect(log.store({ ...part, version: 2 }, never)).rejects.toMatchObject({ code: 'STOPLOG_STORE_VERSION' });
    await expect(log.store({ ...part, fingerprint: 'f2' }, never)).rejects.toMatchObject({ code: 'STOPLOG_STORE_VERSION' });
  });
  promise('a topic is created once; another shape is refused, and nothing of that call is created', async ({ log }) => {
    await log.ensure([shape(TOPIC)]);
    await expect(log.ensure([shape('fresh'), shape(TOPIC, 3)])).rejects.toMatchObject({ code: 'STOPLOG_TOPIC_SHAPE', facts: { topic: TOPIC } });
    await expect(log.offsets([place(0, 'fresh')], 'latest')).rejects.toMatchObject({ code: 'STOPLOG_TOPIC_UNKNOWN' });
    await expect(log.ensure([{ ...shape(TOPIC), cleanup: 'compact' }])).rejects.toMatchObject({ code: 'STOPLOG_TOPIC_SHAPE' });
    await log.ensure([{ ...shape(TOPIC), retentionMs: 60_000 }, shape('fresh', 1)]);
    expect(await log.offsets([place(0, 'fresh')], 'latest')).toMatchObject([{ offset: 0n }]);
  });
};
