import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_VARINT_SIZE, readVarint, unzigzag, varintSize, writeVarint, zigzag } from './varint.ts';

/** Numbers of every magnitude with equal chances, and the edges of each size. */
const number = fc.oneof(
  fc.maxSafeNat(),
  fc.tuple(fc.nat(53), fc.integer({ min: -2, max: 2 })).map(([power, near]) => Math.min(Math.max(2 ** power + near, 0), Number.MAX_SAFE_INTEGER)),
);

describe('varint', () => {
  test('every safe integer decodes to itself, from as many bytes as the size said', () => {
    fc.assert(
      fc.property(number, (n) => {
        const bytes = new Uint8Array(12);
        const size = writeVarint(bytes, 1, n) - 1;
        expect(size).toBe(varintSize(n));
        expect(size).toBeLessThanOrEqual(MAX_VARINT_SIZE);
        const cursor = { bytes, at: 1, end: 1 + size };
        expect(readVarint(cursor)).toBe(n);
        expect(cursor.at).toBe(1 + size);
        expect(readVarint({ bytes, at: 1, end: size })).toBe(-1); // The range is one byte short.
      }),
    );
  });

  test('any bytes hold a number in its only encoding, or are refused', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 12 }), (bytes) => {
        const cursor = { bytes, at: 0, end: bytes.length };
        const n = readVarint(cursor);
        if (n === -1) {
          expect(cursor.at).toBe(0);
          return;
        }
        const again = new Uint8Array(cursor.at);
        expect(writeVarint(again, 0, n)).toBe(cursor.at);
        expect(again).toEqual(bytes.subarray(0, cursor.at));
      }),
      { numRuns: 1_000 },
    );
  });

  test('zigzag maps small numbers of either sign to small numbers', () => {
    expect([0, -1, 1, -2, 2].map(zigzag)).toEqual([0, 1, 2, 3, 4]);
    fc.assert(
      fc.property(fc.integer({ min: -(2 ** 51), max: 2 ** 51 }), (n) => {
        expect(unzigzag(zigzag(n))).toBe(n);
        expect(zigzag(n)).toBeLessThanOrEqual(Number.MAX_SAFE_INTEGER);
      }),
    );
  });
});
