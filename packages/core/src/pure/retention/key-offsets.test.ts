import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hash128 } from '../bytes/hash128.ts';
import { utf8 } from '../bytes/text.ts';
import { KeyOffsets, MAX_SLOTS } from './key-offsets.ts';

const put = (keys: KeyOffsets, key: string, offset: number): boolean => keys.put(utf8(key), 0, utf8(key).length, offset);
const get = (keys: KeyOffsets, key: string): number => keys.get(utf8(key), 0, utf8(key).length);

describe('the map of a pass', () => {
  test('the map knows the latest offset of every key it has seen, as a Map does, however long the keys are', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 40 }), { maxLength: 200 }), (list) => {
        const keys = new KeyOffsets([3, 4]);
        const model = new Map(list.map((key, offset) => [key, offset]));
        list.forEach((key, offset) => expect(put(keys, key, offset)).toBe(true));
        expect(keys.size).toBe(model.size);
        for (const [key, offset] of model) expect(get(keys, key)).toBe(offset);
        expect(get(keys, 'not there, for it is longer than forty letters')).toBe(-1);
      }),
    );
  });
  test('a full map refuses a new key, and still updates the keys that it has', () => {
    const keys = new KeyOffsets([3, 4], 8);
    expect('abcdefg'.split('').map((key, offset) => put(keys, key, offset))).toEqual([true, true, true, true, true, true, false]);
    expect(put(keys, 'a', 100)).toBe(true);
    expect([get(keys, 'a'), get(keys, 'g')]).toEqual([100, -1]);
  });
  test('the map grows to 96 MiB and no further, so that ten million keys take a few passes, not memory', () => {
    const keys = new KeyOffsets([3, 4]);
    const key = new Uint8Array(12);
    const view = new DataView(key.buffer);
    let n = 0;
    do view.setUint32(0, n);
    while (keys.put(key, 0, 12, n++));
    expect(keys.bytes).toBe(MAX_SLOTS * 24);
    expect(n - 1).toBe(MAX_SLOTS * 0.75);
    for (const i of [0, 1, 1_000_000, n - 2]) {
      view.setUint32(0, i);
      expect(keys.get(key, 0, 12)).toBe(i);
    }
  });
  test('the hash distinguishes texts of every length, and depends on the seed', () => {
    const hash = (text: string, seed: readonly [number, number] = [0, 0]): string => {
      const out = new Uint32Array(4);
      hash128(utf8(text), 0, utf8(text).length, seed, out);
      return [...out].map((word) => word.toString(16).padStart(8, '0')).join('');
    };
    const texts = ['', 'a', 'b', 'ab', 'a\0', 'abcd', 'abcde', 'abcdefghijklmnop', 'abcdefghijklmnopq', 'x'.repeat(100)];
    expect(new Set(texts.map((text) => hash(text))).size).toBe(texts.length);
    expect(hash('abc', [0, 1])).not.toBe(hash('abc', [0, 2]));
  });
});
