/**
 * Rebuilds a partition from the batches that could be proved: the missing offsets, and the ends, segments and times that
 * follow. Only the batches are trusted, except for the start and end of a partition.
 */
import type { Span } from '../../../port/inspection.ts';
import type { Ends } from '../../layout/keyspace.ts';
import { emptySegment, type Segment } from '../../../pure/retention/segment.ts';
import type { TimeEntry } from './time-check.ts';

/** The offsets of a batch. */
export interface Piece {
  readonly base: bigint;
  readonly next: bigint;
  readonly bytes: number;
  readonly count: number;
  readonly baseTimestamp: number;
  readonly maxTimestamp: number;
}

/** The offsets from start to end that no piece owns. */
export const gapsIn = (pieces: readonly Piece[], start: bigint, end: bigint): readonly Span[] => {
  const gaps: Span[] = [];
  let at = start;
  for (const { base, next } of pieces) {
    if (base > at) gaps.push({ offset: at, until: base < end ? base : end });
    if (next > at) at = next;
    if (at >= end) return gaps;
  }
  return at < end ? [...gaps, { offset: at, until: end }] : gaps;
};

/** The candidates that fit whole into the gaps without overlapping; of two that overlap, the first. */
export const fitting = <P extends Piece>(candidates: readonly P[], gaps: readonly Span[], start: bigint): readonly P[] => {
  const sorted = [...candidates].sort((a, b) => (a.base < b.base ? -1 : a.base > b.base ? 1 : 0));
  const taken: P[] = [];
  for (const { offset, until } of gaps) {
    let at = offset;
    for (const one of sorted) {
      // Only the first batch of a partition may begin below its start.
      if ((one.base < at && at !== start) || one.next > until || one.next <= at) continue;
      taken.push(one);
      at = one.next;
    }
  }
  return taken;
};

/** Ends, closed segments and times of a partition with exactly these adjacent pieces. */
export const rebuild = (
  pieces: readonly Piece[],
  ends: Ends,
  closed: readonly Segment[],
): { readonly ends: Ends; readonly segments: readonly Segment[]; readonly times: readonly TimeEntry[] } => {
  const bytes = pieces.reduce((sum, piece) => sum + piece.bytes, 0);
  const times: TimeEntry[] = [];
  let maxTimestamp = -Infinity;
  for (const piece of pieces) {
    if (piece.maxTimestamp <= maxTimestamp) continue;
    maxTimestamp = piece.maxTimestamp;
    times.push({ time: maxTimestamp, base: piece.base });
  }
  const kept = closed.filter(({ next }) => next > ends.start);
  const tiles = [...kept, ends.active];
  const fits =
    ends.active.next === ends.end &&
    (tiles[0]!.base <= ends.start || ends.start === ends.end) &&
    tiles.every(({ base, next }, i) => next >= base && (i === tiles.length - 1 || tiles[i + 1]!.base === next));
  const whole = (base: bigint): Segment =>
    bytes === 0
      ? emptySegment(base)
      : {
          base,
          next: ends.end,
          bytes,
          firstTimestamp: pieces.find(({ count }) => count > 0)?.baseTimestamp ?? Infinity,
          maxTimestamp,
          firstArrival: maxTimestamp,
          lastArrival: maxTimestamp,
        };
  const counted = tiles.map((segment, i): Segment => {
    const until = tiles[i + 1]?.base;
    const own = pieces.filter(({ base }) => base >= segment.base && (until === undefined || base < until));
    const latest = own.reduce((max, piece) => Math.max(max, piece.maxTimestamp), segment.maxTimestamp);
    return { ...segment, bytes: own.reduce((sum, piece) => sum + piece.bytes, 0), maxTimestamp: latest };
  });
  const segments = fits ? counted.slice(0, -1) : [];
  const active = fits ? counted.at(-1)! : ends.start === ends.end && pieces.length === 0 ? emptySegment(ends.end) : whole(ends.start);
  return { ends: { ...ends, maxTimestamp, bytes, active }, segments, times };
};
