/**
 * A segment is a span of whole batches: the grain of retention by age and by size, and the part at the head that compaction
 * skips.
 *
 * The segment that is appended to is *active*. It is closed when the next batch would make it too large, or comes
 * too long after its first; then the segment is recorded, and another begins. Only numbers are kept, no bytes move.
 *
 * No segment is younger than its arrival: where a topic ages by the timestamps of its records, a record that is dated in the future
 * counts as of its arrival; a segment whose arrival was stamped by a clock that ran ahead counts as of now (`notAfter`).
 */
import type { Cleanup } from './cleanup.ts';

export interface Segment {
  /** The offsets of the segment: from base up to, not including, next. */
  readonly base: bigint;
  readonly next: bigint;
  /** The present bytes of its batches. */
  readonly bytes: number;
  readonly firstTimestamp: number;
  readonly maxTimestamp: number;
  /** When its first and its last batch were appended, by the clock of the appending process. */
  readonly firstArrival: number;
  readonly lastArrival: number;
}

export const emptySegment = (base: bigint): Segment => ({
  base,
  next: base,
  bytes: 0,
  firstTimestamp: Infinity,
  maxTimestamp: -Infinity,
  firstArrival: Infinity,
  lastArrival: -Infinity,
});
export const isEmptySegment = (segment: Segment): boolean => segment.next === segment.base;

export interface Arriving {
  readonly next: bigint;
  readonly bytes: number;
  readonly baseTimestamp: number;
  readonly maxTimestamp: number;
  readonly at: number;
}

/** True when the active segment is to be closed before this batch is appended. */
export const isFull = (active: Segment, batch: Arriving, cleanup: Pick<Cleanup, 'segmentMs' | 'segmentBytes' | 'ageBy'>): boolean => {
  if (active.next === active.base) return false;
  if (active.bytes + batch.bytes > cleanup.segmentBytes) return true;
  return cleanup.ageBy === 'arrival'
    ? batch.at - active.firstArrival > cleanup.segmentMs
    : Math.min(batch.maxTimestamp, batch.at) - active.firstTimestamp > cleanup.segmentMs;
};

/** True when the active segment is to be closed though no batch comes: an idle topic is compacted, too. */
export const isOverdue = (active: Segment, cleanup: Pick<Cleanup, 'segmentMs'>, now: number): boolean => now - active.firstArrival > cleanup.segmentMs;

export const grow = (active: Segment, batch: Arriving): Segment => ({
  base: active.base,
  next: batch.next,
  bytes: active.bytes + batch.bytes,
  firstTimestamp: active.firstTimestamp === Infinity ? batch.baseTimestamp : active.firstTimestamp,
  maxTimestamp: Math.max(active.maxTimestamp, batch.maxTimestamp),
  firstArrival: active.firstArrival === Infinity ? batch.at : active.firstArrival,
  lastArrival: Math.max(active.lastArrival, batch.at),
});

/** The last time of a segment, by which its age is measured. */
export const lastTime = ({ lastArrival, maxTimestamp }: Segment, { ageBy }: Pick<Cleanup, 'ageBy'>): number =>
  ageBy === 'arrival' ? lastArrival : Math.min(maxTimestamp, lastArrival);
export const firstTime = ({ firstArrival, firstTimestamp }: Segment, { ageBy }: Pick<Cleanup, 'ageBy'>): number =>
  ageBy === 'arrival' ? firstArrival : Math.min(firstTimestamp, firstArrival);

/** The clocks of processes that share a log differ by less than this. */
const FUTURE_MS = 60_000;
/** True when the segment's arrival was stamped by a clock that ran ahead. */
export const isOfTheFuture = (segment: Segment, now: number): boolean => !isEmptySegment(segment) && segment.lastArrival > now + FUTURE_MS;
/** The segment with its arrivals at `latest` if they were later; otherwise the same object. */
export const notAfter = (segment: Segment, latest: number): Segment =>
  isEmptySegment(segment) || segment.lastArrival <= latest
    ? segment
    : { ...segment, firstArrival: Math.min(segment.firstArrival, latest), lastArrival: latest };

/** Closed segments `of` that become one, `into`, which begins where the first of them does. */
export interface Merge {
  readonly into: Segment;
  readonly of: readonly Segment[];
}

/**
 * Small closed segments left by compaction are merged with their neighbours, within a segment's size: otherwise a topic that is
 * compacted for years would keep a row for each segment it ever had. A segment that ages stays within its span as well.
 */
export const mergesOf = (
  segments: readonly Segment[],
  cleanTo: bigint,
  cleanup: Pick<Cleanup, 'segmentBytes' | 'segmentMs' | 'retentionMs' | 'ageBy'>,
): readonly Merge[] => {
  const groups: { into: Segment; of: Segment[] }[] = [];
  // The active segment is last, and is not merged.
  for (const segment of segments.slice(0, -1)) {
    if (segment.next > cleanTo) break;
    const last = groups.at(-1);
    const into = last && joined(last.into, segment);
    const fits =
      into !== undefined &&
      into.bytes <= cleanup.segmentBytes &&
      (cleanup.retentionMs === Infinity || lastTime(into, cleanup) - firstTime(into, cleanup) <= cleanup.segmentMs);
    if (last === undefined || !fits) groups.push({ into: segment, of: [segment] });
    else groups[groups.length - 1] = { into, of: [...last.of, segment] };
  }
  return groups.filter(({ of }) => of.length > 1);
};
const joined = (a: Segment, b: Segment): Segment => ({
  base: a.base,
  next: b.next,
  bytes: a.bytes + b.bytes,
  firstTimestamp: Math.min(a.firstTimestamp, b.firstTimestamp),
  maxTimestamp: Math.max(a.maxTimestamp, b.maxTimestamp),
  firstArrival: Math.min(a.firstArrival, b.firstArrival),
  lastArrival: Math.max(a.lastArrival, b.lastArrival),
});
