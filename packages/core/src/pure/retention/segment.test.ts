import fc from 'fast-check';
import { expect, test } from 'vitest';
import { emptySegment, mergesOf, type Segment } from './segment.ts';

const rows = fc.array(fc.record({ bytes: fc.nat(60), from: fc.nat(100), long: fc.nat(20) }), { minLength: 1, maxLength: 12 });
const closedOf = (plan: readonly { bytes: number; from: number; long: number }[]): readonly Segment[] =>
  plan.map(({ bytes, from, long }, i) => ({
    base: BigInt(10 * i),
    next: BigInt(10 * i + 10),
    bytes,
    firstTimestamp: from,
    maxTimestamp: from + long,
    firstArrival: from,
    lastArrival: from + long,
  }));
const sum = (of: readonly Segment[]): number => of.reduce((total, { bytes }) => total + bytes, 0);

test('merged segments own the same offsets and bytes, fit a segment, and end below the compacted end; one that ages keeps its span', () => {
  fc.assert(
    fc.property(rows, fc.nat(130), fc.integer({ min: 1, max: 150 }), fc.option(fc.integer({ min: 1, max: 40 })), (plan, cleanTo, segmentBytes, segmentMs) => {
      const closed = closedOf(plan);
      const cleanup = { segmentBytes, segmentMs: segmentMs ?? 1, retentionMs: segmentMs === null ? Infinity : 1_000, ageBy: 'arrival' } as const;
      const merges = mergesOf([...closed, emptySegment(BigInt(10 * plan.length))], BigInt(cleanTo), cleanup);
      for (const { into, of } of merges) {
        expect(of.length).toBeGreaterThan(1);
        expect([into.base, into.next, into.bytes]).toEqual([of[0]!.base, of.at(-1)!.next, sum(of)]);
        expect(into.bytes).toBeLessThanOrEqual(segmentBytes);
        expect(into.next).toBeLessThanOrEqual(BigInt(cleanTo));
        expect([into.firstArrival, into.lastArrival]).toEqual([
          Math.min(...of.map(({ firstArrival }) => firstArrival)),
          Math.max(...of.map(({ lastArrival }) => lastArrival)),
        ]);
        if (segmentMs !== null) expect(into.lastArrival - into.firstArrival).toBeLessThanOrEqual(segmentMs);
      }
      // Without an age, the segments that are left cannot be merged again: the number of rows is bounded by the bytes that are kept.
      if (segmentMs !== null) return;
      const gone = new Set(merges.flatMap(({ of }) => of));
      const after = [...closed.filter((segment) => !gone.has(segment)), ...merges.map(({ into }) => into)].sort((a, b) => (a.base < b.base ? -1 : 1));
      expect(mergesOf([...after, emptySegment(1_000n)], BigInt(cleanTo), cleanup)).toEqual([]);
    }),
    { numRuns: 500 },
  );
});
