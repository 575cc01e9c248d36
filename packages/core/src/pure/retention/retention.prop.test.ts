import fc from 'fast-check';
import { expect, test } from 'vitest';
import { segmentsToForget, startAfter } from './retention.ts';
import { emptySegment, grow, isFull, type Segment } from './segment.ts';

const segmentsOf = (sizes: readonly { bytes: number; time: number }[]): readonly Segment[] =>
  sizes.map(({ bytes, time }, i) => ({
    base: BigInt(10 * i),
    next: BigInt(10 * i + 10),
    bytes,
    firstTimestamp: time,
    maxTimestamp: time,
    firstArrival: time,
    lastArrival: time,
  }));
const sizes = fc.array(fc.record({ bytes: fc.nat(100), time: fc.nat(100) }), { minLength: 1, maxLength: 8 });
const none = { retentionMs: Infinity, retentionBytes: Infinity, ageBy: 'arrival' } as const;

test('retention by time removes the longest beginning of segments whose last record is older than the retention, by more than nothing', () => {
  fc.assert(
    fc.property(sizes, fc.nat(100), fc.nat(150), (plan, retentionMs, now) => {
      const segments = segmentsOf(plan);
      const forgotten = segmentsToForget(segments, { ...none, retentionMs }, now);
      for (const [i, { lastArrival }] of segments.entries()) if (i < forgotten) expect(now - lastArrival).toBeGreaterThan(retentionMs);
      if (forgotten < segments.length) expect(now - segments[forgotten]!.lastArrival).toBeLessThanOrEqual(retentionMs);
    }),
  );
});
test('retention by bytes never leaves a partition below the limit, and never above it by a whole closed segment', () => {
  fc.assert(
    fc.property(sizes, fc.nat(400), (plan, retentionBytes) => {
      const segments = segmentsOf(plan);
      const forgotten = segmentsToForget(segments, { ...none, retentionBytes }, 0);
      const left = segments.slice(forgotten).reduce((sum, { bytes }) => sum + bytes, 0);
      if (forgotten > 0) expect(left).toBeGreaterThanOrEqual(retentionBytes);
      if (forgotten < segments.length - 1) expect(left - segments[forgotten]!.bytes).toBeLessThan(retentionBytes);
    }),
  );
});
test('a record dated in the future counts as of its arrival, when a topic ages by timestamps', () => {
  const [a, b] = segmentsOf([
    { bytes: 1, time: 1 },
    { bytes: 1, time: 2 },
  ]) as [Segment, Segment];
  const future = { ...a, maxTimestamp: 1e12 };
  expect(segmentsToForget([future, b], { ...none, retentionMs: 10, ageBy: 'timestamp' }, 11)).toBe(0);
  expect(segmentsToForget([future, b], { ...none, retentionMs: 10, ageBy: 'timestamp' }, 12)).toBe(1);
  expect(segmentsToForget([future, b], { ...none, retentionMs: 10 }, 1_000)).toBe(2);
});
test('an empty active segment is never deleted, and a start only grows', () => {
  const segments = [...segmentsOf([{ bytes: 5, time: 0 }]), emptySegment(10n)];
  expect(segmentsToForget(segments, { ...none, retentionMs: 1 }, 100)).toBe(1);
  expect([startAfter(segments, 1, 0n), startAfter(segments, 1, 15n), startAfter(segments, 0, 3n)]).toEqual([10n, 15n, 3n]);
});
test('a segment is closed before the batch that would make it too large or comes too long after its first, never while it is empty', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ bytes: fc.integer({ min: 1, max: 50 }), after: fc.nat(20) }), { minLength: 1, maxLength: 30 }),
      fc.integer({ min: 1, max: 60 }),
      fc.integer({ min: 1, max: 40 }),
      (batches, segmentBytes, segmentMs) => {
        let active = emptySegment(0n);
        let at = 0;
        for (const [i, { bytes, after }] of batches.entries()) {
          at += after;
          const arriving = { next: BigInt(i + 1), bytes, baseTimestamp: -at, maxTimestamp: -at, at };
          if (isFull(active, arriving, { segmentBytes, segmentMs, ageBy: 'arrival' })) active = emptySegment(BigInt(i));
          active = grow(active, arriving);
          if (active.next - active.base > 1n) expect(active.bytes).toBeLessThanOrEqual(segmentBytes);
          expect(active.lastArrival - active.firstArrival).toBeLessThanOrEqual(segmentMs);
        }
      },
    ),
  );
});
