/** The defaults of retention and compaction. */
import { expect, test } from 'vitest';
import { cleanupOf } from './cleanup.ts';

const DAY = 24 * 3_600_000;
const plain = { cleanup: 'delete', retentionMs: undefined } as const;

test('no record is deleted by default, segments are 7 days or 64 MiB, and age is by arrival', () => {
  expect(cleanupOf(plain)).toEqual({
    compacts: false,
    retentionMs: Infinity,
    retentionBytes: Infinity,
    segmentMs: 7 * DAY,
    segmentBytes: 64 * 1024 * 1024,
    deleteRetentionMs: DAY,
    minCompactionLagMs: 0,
    maxCompactionLagMs: Infinity,
    minDirtyRatio: 0.5,
    ageBy: 'arrival',
  });
});
test('a segment is an eighth of the retention, and of a compacted topic no longer than its largest lag', () => {
  expect(cleanupOf({ ...plain, retentionMs: 8 * 3_600_000 }).segmentMs).toBe(3_600_000);
  expect(cleanupOf({ ...plain, retentionMs: 3 }).segmentMs).toBe(1);
  expect(cleanupOf({ ...plain, retentionMs: 999 * DAY }).segmentMs).toBe(7 * DAY);
  expect(cleanupOf({ ...plain, cleanup: 'compact', forgetting: { segmentMs: DAY, maxCompactionLagMs: 1_000 } }).segmentMs).toBe(1_000);
  expect(cleanupOf({ ...plain, forgetting: { segmentMs: DAY, maxCompactionLagMs: 1_000 } }).segmentMs).toBe(DAY);
});
