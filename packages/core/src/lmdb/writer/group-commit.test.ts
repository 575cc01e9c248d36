import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SHARE_BYTES, takeShare } from './group-commit.ts';

const queue = (...sizes: readonly number[]): readonly { readonly bytes: number }[] => sizes.map((bytes) => ({ bytes }));

describe('the share of one transaction', () => {
  test('a share takes every waiting call until the byte limit is reached', () => {
    expect(takeShare(queue())).toBe(0);
    expect(takeShare(queue(5))).toBe(1);
    expect(takeShare(queue(5, 5, 5), 10)).toBe(2);
    expect(takeShare(queue(0, 0, 0), 10)).toBe(3);
  });
  test('a call over the limit gets a share of its own', () => {
    expect(takeShare(queue(SHARE_BYTES + 1, 1))).toBe(1);
  });
  test('a share takes at least one waiting call, stays within the limit unless it is a single call, and takes every next call that fits', () => {
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
