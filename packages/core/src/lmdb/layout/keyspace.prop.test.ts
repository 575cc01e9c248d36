import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  batchKey,
  decodeEnds,
  decodeOffset,
  decodeSegment,
  encodeEnds,
  encodeOffset,
  encodeSegment,
  offsetOfBatchKey,
  partitionKey,
  prefixEnd,
  samePrefix,
  seal,
  timeKey,
  unseal,
} from './keyspace.ts';

const u32 = fc.nat(0xffff_ffff);
const u64 = fc.bigInt(0n, 2n ** 64n - 1n);
const bytes = fc.uint8Array({ maxLength: 12 });
const sign = (n: number): number => Math.sign(n);

describe('keys', () => {
  test('keys of batches sort by topic, partition and offset', () => {
    fc.assert(
      fc.property(fc.tuple(u32, u32, u64), fc.tuple(u32, u32, u64), (a, b) => {
        const order = a[0] !== b[0] ? a[0] - b[0] : a[1] !== b[1] ? a[1] - b[1] : a[2] < b[2] ? -1 : Number(a[2] > b[2]);
        expect(sign(batchKey(...a).compare(batchKey(...b)))).toBe(sign(order));
        expect(offsetOfBatchKey(batchKey(...a))).toBe(a[2]);
      }),
    );
  });
  test('keys of times sort as the times do, negative ones too', () => {
    const time = fc.oneof(fc.maxSafeInteger(), fc.constantFrom(-1, -0, 0, 1, -Infinity, Infinity));
    fc.assert(
      fc.property(time, time, (a, b) => {
        expect(sign(timeKey(1, 2, a).compare(timeKey(1, 2, b)))).toBe(a === b ? 0 : a < b ? -1 : 1);
      }),
    );
  });
  test("keys with a prefix sort before the prefix's end, and no other keys sort between them", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 4 }), bytes, (prefix, key) => {
        const inside = Buffer.compare(key, prefix) >= 0 && Buffer.compare(key, prefixEnd(prefix)) < 0;
        expect(inside).toBe(key.length >= prefix.length && samePrefix(key, prefix));
      }),
    );
    expect(prefixEnd(partitionKey(1, 0xffff_ffff)).compare(partitionKey(2, 0))).toBe(-1);
  });
});

describe('values', () => {
  test('a sealed value opens under its own key; it is refused with any bit changed, cut, or under another key', () => {
    fc.assert(
      fc.property(bytes, bytes, fc.nat(), (key, value, at) => {
        const sealed = seal(key, value);
        expect(Buffer.compare(unseal('stores', key, sealed), value)).toBe(0);
        const flipped = Buffer.from(sealed);
        const bit = at % (8 * flipped.length);
        flipped[bit >> 3]! ^= 1 << (bit & 7);
        const refused = expect.objectContaining({ code: 'STOPLOG_LOG_CORRUPT' });
        const caught = (open: () => unknown): unknown => {
          try {
            return open();
          } catch (error) {
            return error;
          }
        };
        expect(caught(() => unseal('stores', key, flipped))).toEqual(refused);
        expect(caught(() => unseal('stores', Uint8Array.of(...key, 1), sealed))).toEqual(refused);
        expect(caught(() => unseal('stores', key, sealed.subarray(0, at % 4)))).toEqual(refused);
      }),
    );
  });
  test('offsets and ends decode to themselves', () => {
    fc.assert(
      fc.property(u64, u64, u64, fc.double({ noNaN: true }), fc.maxSafeNat(), (start, end, base, time, size) => {
        expect(decodeOffset(encodeOffset(end))).toBe(end);
        const active = { base, next: end, bytes: size, firstTimestamp: time, maxTimestamp: time + 1, firstArrival: time + 2, lastArrival: time + 3 };
        const ends = { start, end, maxTimestamp: time, bytes: size, cleanTo: base, active };
        expect(decodeEnds(encodeEnds(ends))).toEqual(ends);
        expect(decodeSegment(batchKey(1, 2, base), encodeSegment(active))).toEqual(active);
      }),
    );
  });
});
