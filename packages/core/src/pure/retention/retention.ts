/**
 * Selects the segments of a partition to delete: whole ones, oldest first, never one in the middle.
 *
 * By time a segment is deleted when now − its last time > retention (more, not equal), so that one late record keeps all of its
 * segment. By bytes the oldest are deleted while the rest stays at or above the limit: a partition never has less than
 * `retentionBytes` because of it. Both rules are those of Kafka's UnifiedLog.
 */
import type { Cleanup } from './cleanup.ts';
import { isEmptySegment, lastTime, type Segment } from './segment.ts';

/** The number of segments to delete, the active one last; the active one is deleted too when it is over its time and not empty. */
export const segmentsToForget = (segments: readonly Segment[], cleanup: Pick<Cleanup, 'retentionMs' | 'retentionBytes' | 'ageBy'>, now: number): number => {
  let byTime = 0;
  while (
    byTime < segments.length &&
    now - lastTime(segments[byTime]!, cleanup) > cleanup.retentionMs &&
    !(byTime === segments.length - 1 && isEmptySegment(segments[byTime]!))
  )
    byTime++;
  let over = segments.slice(byTime).reduce((sum, { bytes }) => sum + bytes, 0) - cleanup.retentionBytes;
  let all = byTime;
  // The active segment is not deleted for its size: it is closed first, when the next batch finds it full.
  while (all < segments.length - 1 && over - segments[all]!.bytes >= 0) over -= segments[all++]!.bytes;
  return all;
};

/** The start of a partition after that number of its segments is deleted. A start only grows. */
export const startAfter = (segments: readonly Segment[], forgotten: number, start: bigint): bigint => {
  const last = segments[forgotten - 1];
  return last !== undefined && last.next > start ? last.next : start;
};
