/**
 * Which segments a partition forgets: whole ones, oldest first, never one in the middle.
 *
 * By time one goes when now − its last time > retention (more, not equal), so that one late record keeps all of its
 * segment. By bytes the oldest go while what is left stays at or above the limit: a partition never has less than
 * `retentionBytes` because of it. Both as Kafka's UnifiedLog has them.
 */
import type { Cleanup } from './cleanup.ts';
import { isEmptySegment, lastTime, type Segment } from './segment.ts';

/** How many of the segments, the active one last, are to go; the active one goes too when it is over its time and not empty. */
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
  // The active one is not deleted for its size: it is closed first, when the next batch finds it full.
  while (all < segments.length - 1 && over - segments[all]!.bytes >= 0) over -= segments[all++]!.bytes;
  return all;
};

/** Where a partition starts once so many of its segments are gone. A start only grows. */
export const startAfter = (segments: readonly Segment[], forgotten: number, start: bigint): bigint => {
  const last = segments[forgotten - 1];
  return last !== undefined && last.next > start ? last.next : start;
};
