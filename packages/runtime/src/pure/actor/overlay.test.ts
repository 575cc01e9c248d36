import { store } from '@stoplog/core';
import { encodeSortKey, MAX_STORE_KEY_BYTES, serdeOf, storeOf } from '@stoplog/core/kit';
import { MemoryPart } from '@stoplog/core/testing';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { StoreOverlay } from './overlay.ts';

const make = (limit?: number): { readonly below: MemoryPart; readonly overlay: StoreOverlay } => {
  const below = new MemoryPart();
  return { below, overlay: new StoreOverlay(below, serdeOf('json'), limit) };
};
const bytes = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));

describe('a store as a batch sees it', () => {
  test('the writes of a batch come before the committed values', () => {
    const { below, overlay } = make();
    below.write({ keys: [encodeSortKey('a'), encodeSortKey('b')], values: [bytes(1), bytes(2)] });
    expect(overlay.get('a')).toBe(1);
    overlay.set('a', 10);
    overlay.delete('b');
    expect([overlay.get('a'), overlay.get('b'), overlay.get('c')]).toEqual([10, undefined, undefined]);
  });

  test('committed values are in memory up to a limit of bytes, whether they were read, set or grew', () => {
    const below = new MemoryPart();
    const reads = vi.spyOn(below, 'get');
    const overlay = new StoreOverlay(below, serdeOf('json'), 1_000, 2_000);
    const keys = Array.from({ length: 20 }, (_, n) => `k${n}`);
    keys.forEach((key, n) => {
      overlay.set(key, { text: n % 2 === 0 ? '' : 'x'.repeat(400) });
      overlay.set(key, { text: 'x'.repeat(400) });
      below.write(overlay.takeWrites(n + 1));
      overlay.onCommitted(n + 1);
    });
    for (const key of keys) expect(overlay.get(key)).toEqual({ text: 'x'.repeat(400) });
    // Two generations of four: the others were dropped, and are read again.
    expect(reads.mock.calls.length).toBeGreaterThanOrEqual(10);
    reads.mockClear();
    for (const key of keys) overlay.get(key);
    expect(reads.mock.calls.length).toBeGreaterThanOrEqual(10);
  });

  test('values that grow while all of them are in memory do not stay there', () => {
    const below = new MemoryPart();
    const reads = vi.spyOn(below, 'get');
    const overlay = new StoreOverlay(below, serdeOf('json'), 1_000, 4_000);
    const keys = Array.from({ length: 20 }, (_, n) => `k${n}`);
    for (const key of keys) overlay.set(key, '');
    keys.forEach((key, n) => {
      overlay.set(key, 'x'.repeat(1_000));
      below.write(overlay.takeWrites(n + 1));
      overlay.onCommitted(n + 1);
    });
    for (const key of keys) overlay.get(key);
    expect(reads.mock.calls.length).toBeGreaterThanOrEqual(10);
  });

  test('long keys and decoded values count with the memory that they take', () => {
    const below = new MemoryPart();
    const overlay = new StoreOverlay(below, serdeOf('json'), 1_000, 100_000);
    overlay.set('k'.repeat(900), 0);
    expect(overlay.dirtyBytes).toBeGreaterThanOrEqual(900);
    overlay.takeWrites(1);
    const list = Array.from({ length: 1_000 }, (_, n) => ({ n }));
    overlay.set('list', list);
    expect(overlay.dirtyBytes).toBeGreaterThan(2 * JSON.stringify(list).length);
  });

  test('the bytes of the writes since the last commit are counted, each key once', () => {
    const { overlay } = make();
    overlay.set('a', 'x'.repeat(100));
    overlay.set('a', 'x'.repeat(300));
    overlay.set('b', 'x'.repeat(50));
    overlay.set('n', 5);
    // A text has a header of 16 bytes, and each key here is of one.
    expect(overlay.dirtyBytes).toBe(300 + 50 + 2 * 16 + 3);
    overlay.delete('b');
    expect(overlay.dirtyBytes).toBe(300 + 16 + 3);
    overlay.takeWrites(1);
    expect(overlay.dirtyBytes).toBe(0);
    overlay.set('b', 'x'.repeat(50));
    expect(overlay.dirtyBytes).toBe(50 + 16 + 1);
  });

  test('a value that is not committed yet stays, however large', () => {
    const overlay = new StoreOverlay(new MemoryPart(), serdeOf('json'), 1_000, 2_000);
    const keys = Array.from({ length: 20 }, (_, n) => `k${n}`);
    for (const key of keys) overlay.set(key, 'x'.repeat(400));
    for (const key of keys) expect(overlay.get(key)).toHaveLength(400);
    expect(overlay.takeWrites(1).keys).toHaveLength(20);
  });

  test('a key that no log could keep is refused where it is written or read, and leaves nothing behind', () => {
    const { overlay } = make();
    const tooLong = expect.objectContaining({ code: 'STOPLOG_KEY_TOO_LONG', facts: { size: MAX_STORE_KEY_BYTES + 1, limit: MAX_STORE_KEY_BYTES } }) as Error;
    const longest = 'x'.repeat(MAX_STORE_KEY_BYTES - 1);
    expect(() => overlay.set(`${longest}x`, 1)).toThrow(tooLong);
    expect(() => overlay.get(`${longest}x`)).toThrow(tooLong);
    overlay.set(longest, 1);
    expect(overlay.takeWrites(1).keys.map(({ length }) => length)).toEqual([MAX_STORE_KEY_BYTES]);
  });

  test('a commit carries each changed key once, with its last value', () => {
    const { overlay } = make();
    for (let n = 1; n <= 1_000; n++) overlay.set('hot', n);
    overlay.set('gone', 1);
    overlay.delete('gone');
    expect(overlay.takeWrites(1)).toEqual({ keys: [encodeSortKey('hot'), encodeSortKey('gone')], values: [bytes(1_000), null] });
    expect(overlay.takeWrites(2)).toEqual({ keys: [], values: [] });
  });

  test('an entry that was only read is not written', () => {
    const { below, overlay } = make();
    below.write({ keys: [encodeSortKey('a')], values: [bytes(1)] });
    overlay.get('a');
    overlay.get('nothing');
    expect(overlay.takeWrites(1).keys).toEqual([]);
  });

  test('null is a value and differs from a deletion', () => {
    const { overlay } = make();
    overlay.set('a', null);
    expect(overlay.get('a')).toBeNull();
    expect(overlay.takeWrites(1).values).toEqual([bytes(null)]);
  });

  test('a value set by its bytes is decoded on the first read, once, and never encoded', () => {
    const serde = storeOf(store('s', { key: z.string(), value: z.object({ n: z.int() }) })).valueSerde;
    const [decode, encode] = [vi.spyOn(serde, 'decode'), vi.spyOn(serde, 'encode')];
    const overlay = new StoreOverlay(new MemoryPart(), serde);
    overlay.setBytes('a', bytes({ n: 1 }));
    expect(overlay.takeWrites(1).values).toEqual([bytes({ n: 1 })]);
    expect(decode).not.toHaveBeenCalled();
    expect([overlay.get('a'), overlay.get('a')]).toEqual([{ n: 1 }, { n: 1 }]);
    expect(decode).toHaveBeenCalledOnce();
    expect(encode).not.toHaveBeenCalled();
  });

  test('two objects with equal data are one entry', () => {
    const { overlay } = make();
    overlay.set({ a: 1, b: 2 }, 'x');
    overlay.set({ b: 2, a: 1 }, 'y');
    expect(overlay.takeWrites(1)).toEqual({ keys: [encodeSortKey({ a: 1, b: 2 })], values: [bytes('y')] });
  });

  test('an entry that is read often is read from below once, however many others are read in between', () => {
    const { below, overlay } = make(4);
    below.write({ keys: [encodeSortKey('often')], values: [bytes(1)] });
    const get = vi.spyOn(below, 'get');
    for (let n = 0; n < 100; n++) expect([overlay.get('often'), overlay.get(n)]).toEqual([1, undefined]);
    expect(get.mock.calls.filter(([key]) => Buffer.from(encodeSortKey('often')).equals(key))).toHaveLength(1);
  });

  test('entries of commits under way outlast any number of others; once committed they may go', () => {
    const { below, overlay } = make(2);
    const get = vi.spyOn(below, 'get');
    overlay.set('mine', 1);
    const writes = overlay.takeWrites(1);
    for (let n = 0; n < 50; n++) overlay.get(n);
    get.mockClear();
    expect(overlay.get('mine')).toBe(1); // the store below does not have the entry yet
    expect(get).not.toHaveBeenCalled();

    below.write(writes);
    overlay.onCommitted(1);
    for (let n = 0; n < 50; n++) overlay.get(n);
    get.mockClear();
    expect(overlay.get('mine')).toBe(1);
    expect(get).toHaveBeenCalledOnce();
  });

  test('a key written again while its commit is under way is kept until the second commit is in the store', () => {
    const { below, overlay } = make(1);
    overlay.set('k', 1);
    const first = overlay.takeWrites(1);
    overlay.set('k', 2);
    const second = overlay.takeWrites(2);
    below.write(first);
    overlay.onCommitted(1);
    for (let n = 0; n < 10; n++) overlay.get(n);
    expect(overlay.get('k')).toBe(2);
    expect(second.values).toEqual([bytes(2)]);
  });

  test('a bound that range does not know is refused by name, in place of the whole store', () => {
    const { overlay } = make();
    overlay.set('k', 1);
    for (const name of ['lte', 'from'])
      expect(() => overlay.range({ [name]: 'a' }, 10)).toThrow(
        expect.objectContaining({ code: 'STOPLOG_USAGE', facts: expect.objectContaining({ setting: name }) }),
      );
    expect(overlay.range({ gte: 'a', gt: 'a', lt: 'z' }, 10)).toEqual([['k', 1]]);
  });
});
