import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SHARE_BYTES, takeShare } from './group-commit.ts';

const queue = (...sizes: readonly number[]): readonly { readonly bytes: number }[] => sizes.map((bytes) => ({ bytes }));

describe('the share of one transaction', () => {
  test('is everything that waits, up to the limit', () => {
    expect(takeShare(queue())).toBe(0);
    expect(takeShare(queue(5))).toBe(1);
    expect(takeShare(queue(5, 5, 5), 10)).toBe(2);
    expect(takeShare(queue(0, 0, 0), 10)).toBe(3);
  });
  test('is one that is over the limit, alone', () => {
    expect(takeShare(queue(SHARE_BYTES + 1, 1))).toBe(1);
  });
  test('is never empty while something waits, never over the limit unless it is one, and never leaves out what fits', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20), { minLength: 1 }), fc.nat(50), (sizes, limit) => {
        const taken = takeShare(queue(...sizes), limit);
        const sum = (count: number): number => sizes.slice(0, count).reduce((total, size) => total + size, 0);
        expect(taken).toBeGreaterThanOrEqual(1);
        if (taken > 1) expect(sum(taken)).toBeLessThanOrEqual(limit);
        if (taken < sizes.length) expect(sum(taken + 1)).toBeGreaterThan(limit);
      }),
    );
  });
});
