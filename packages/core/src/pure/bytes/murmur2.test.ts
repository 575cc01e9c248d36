import { describe, expect, test } from 'vitest';
import { murmur2 } from './murmur2.ts';
import { utf8 } from './text.ts';

type Vector = readonly [key: string | readonly number[], hash: number, ...places: (readonly [count: number, partition: number])[]];
/** Kafka's own UtilsTest, and the keys of case O01. */
const vectors: readonly Vector[] = [
  ['21', -973932308, [3, 0], [10, 0], [12, 0], [50, 40]],
  ['foobar', -790332482, [3, 0], [10, 6], [12, 6], [50, 16]],
  ['a-little-bit-long-string', -985981536, [3, 2], [10, 2], [12, 8], [50, 12]],
  ['a-little-bit-longer-string', -1486304829, [3, 2], [10, 9], [12, 11], [50, 19]],
  ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971, [3, 2], [10, 7], [12, 5], [50, 27]],
  ['abc', 479470107, [3, 0], [10, 7], [12, 3], [50, 7]],
  ['', 275646681, [3, 0], [10, 1], [12, 9], [50, 31]],
  ['日本', -700811021, [3, 0], [10, 7], [12, 3], [50, 27]],
  ['100:48069', 1009543857, [12, 9]],
  ['TT0124', -1442328778, [15, 10]],
  ['fd7af248-ce5c-46a5-93d7-1c0c9005b99d', -147180742, [32, 26]],
  ['wu', 290249560, [10, 0]],
  ['Struct{documentKey={"_id": "638d1b94ce8def06be68b439"}}', -327499208, [50, 40]],
  ['é', 186971271, [10, 1]],
  ['e\u0301', -1650544357, [10, 1]],
  ['😀', 131881617, [10, 7]],
  [[0xff, 0xfe], 1717632651, [10, 1]],
  [[0x00], 375494588, [10, 8]],
];

describe('murmur2', () => {
  for (const [key, hash, ...places] of vectors) {
    test(`${JSON.stringify(key)} has the hash that Kafka gives it`, () => {
      const bytes = typeof key === 'string' ? utf8(key) : Uint8Array.from(key);
      expect(murmur2(bytes)).toBe(hash);
      for (const [count, partition] of places) expect((murmur2(bytes) & 0x7fffffff) % count).toBe(partition);
    });
  }

  test('a range of a larger buffer has the hash of its copy', () => {
    expect(murmur2(Buffer.from('xxfoobaryy').subarray(2, 8))).toBe(-790332482);
  });

  test('bytes that are not UTF-8 are hashed as they are', () => {
    expect(murmur2(Uint8Array.of(0xff, 0xfe))).not.toBe(murmur2(utf8('\ufffd\ufffd')));
  });
});
