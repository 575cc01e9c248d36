/**
 * Decoding bytes of unknown origin allocates at most four times their size and a mebibyte. (Batches and commits: beside their
 * decoders.)
 */
import { describe, expect, test } from 'vitest';
import { decodeSortKey } from './bytes/sort-key.ts';
import { isStoplogError } from './errors.ts';
import { parsePositions } from './group/reset.ts';
import { checkName } from './topic/name.ts';

const MEBIBYTE = 2 ** 20;
const SIZE: number = 4 * MEBIBYTE;

/** Bytes allocated until the decoder has answered, or has refused with a StoplogError. */
const taken = (read: () => unknown): number => {
  const before = process.memoryUsage();
  try {
    read();
  } catch (error) {
    expect(isStoplogError(error)).toBe(true);
  }
  const after = process.memoryUsage();
  return after.heapUsed + after.external - before.heapUsed - before.external;
};
const BOUND: number = 4 * SIZE + MEBIBYTE;

describe('decoding four megabytes stays within the bound', () => {
  test.each([0, 1, 2, 3, 0x10, 0x18, 0x20, 0x28, 0x30, 0xff])('a store key of kind %i is decoded or refused', (tag) => {
    for (const filler of [0, 1, 0x22, 0x31, 0x5b, 0x7b, 0xff]) {
      const bytes = new Uint8Array(SIZE).fill(filler);
      bytes[0] = tag;
      expect(taken(() => decodeSortKey(bytes))).toBeLessThan(BOUND);
    }
  });
  test.each(['a', '/', 'é', '\0'])('%j is accepted or refused as the name of a topic', (unit) =>
    expect(taken(() => checkName('topic', unit.repeat(SIZE / unit.length)))).toBeLessThan(BOUND),
  );
  test.each(['a', '"', ',', '9', ' ', '\n', '\r\n', 'x\n', 'orders,0,'])('%j is read or refused as a file of positions', (unit) =>
    expect(taken(() => parsePositions(unit.repeat(SIZE / unit.length)))).toBeLessThan(BOUND),
  );
});
