/**
 * Compaction keeps the latest record of each key, and everything at the head.
 *
 * A pass has a range [start, to): `to` lies before the active segment and before the first segment that is too young. It
 * first maps the keys of what is new since the last pass to their latest offsets, then goes through all batches below
 * `to`, in their order, and leaves out what a later record below `to` has replaced. Offsets, order, timestamps and headers
 * of what stays are untouched; a batch is replaced under its own key, so that whatever step a crash falls between, each
 * batch is the old one or the new one.
 *
 * A tombstone stays for the first pass that meets it, which stamps on its batch when it may go. The pass that drops it has
 * gone through everything before it: no older record of its key is left. A time to go that lies further ahead than any pass would set
 * it now was set by a clock that ran ahead, and is set anew.
 */
import { BatchBuilder, type BatchView } from '../record/batch.ts';
import type { Cleanup } from './cleanup.ts';
import type { KeyOffsets } from './key-offsets.ts';
import { firstTime, lastTime, type Segment } from './segment.ts';

/** What a pass over a partition would do. */
export interface Cleanable {
  /** Keys are mapped from here on; below it every key has one record at most. */
  readonly from: bigint;
  /** Nothing at or after this is touched. */
  readonly to: bigint;
  readonly cleanBytes: number;
  readonly dirtyBytes: number;
  /** The share of what is new, or its age, asks for a pass. */
  readonly due: boolean;
}

/** `segments` are those of the partition in order, the active one last. */
export const cleanable = (
  segments: readonly Segment[],
  at: { readonly start: bigint; readonly cleanTo: bigint },
  cleanup: Pick<Cleanup, 'minCompactionLagMs' | 'maxCompactionLagMs' | 'minDirtyRatio' | 'ageBy'>,
  now: number,
): Cleanable => {
  const from = at.cleanTo > at.start ? at.cleanTo : at.start;
  const active = segments.at(-1);
  let to = active === undefined ? from : active.base;
  let cleanBytes = 0;
  let dirtyBytes = 0;
  let oldest = Infinity;
  for (const segment of segments.slice(0, -1)) {
    if (segment.next <= from) {
      cleanBytes += segment.bytes;
      continue;
    }
    // Without a lag nothing is too young, also what is dated in the future: it would keep all behind it from being compacted.
    if (cleanup.minCompactionLagMs > 0 && lastTime(segment, cleanup) > now - cleanup.minCompactionLagMs) {
      to = segment.base;
      break;
    }
    dirtyBytes += segment.bytes;
    oldest = Math.min(oldest, firstTime(segment, cleanup));
  }
  if (to < from) to = from;
  const due = dirtyBytes > 0 && (dirtyBytes / (cleanBytes + dirtyBytes) >= cleanup.minDirtyRatio || now - oldest > cleanup.maxCompactionLagMs);
  return { from, to, cleanBytes, dirtyBytes, due };
};

/** Notes the keys of a batch from `from` up to `to`; the first offset that found no room, or undefined when all did. Offsets in the map are counted from `origin`. */
export const mapKeys = (view: BatchView, keys: KeyOffsets, origin: bigint, from: bigint, to: bigint): bigint | undefined => {
  const base = Number(view.baseOffset - origin);
  const first = Number(from - view.baseOffset);
  const end = Number(to - view.baseOffset);
  view.rewind();
  while (view.next()) {
    if (view.offsetDelta < first || view.keyStart < 0) continue;
    if (view.offsetDelta >= end) return undefined;
    if (!keys.put(view.bytes, view.keyStart, view.keyEnd, base + view.offsetDelta)) return view.offset;
  }
  return undefined;
};

export interface Pass {
  readonly keys: KeyOffsets;
  /** What offsets in `keys` are counted from. */
  readonly origin: bigint;
  readonly start: bigint;
  readonly to: bigint;
  readonly now: number;
  readonly deleteRetentionMs: number;
}
/** When a tombstone may go that this pass meets first. */
const latestHorizon = ({ now, deleteRetentionMs }: Pass): number => Math.min(Number.MAX_SAFE_INTEGER, now + deleteRetentionMs);

export interface CleanedBatch {
  /** What is to lie in its place; undefined when it is what lies there. */
  readonly bytes: Uint8Array | undefined;
  readonly kept: number;
  readonly dropped: number;
}

/** What a pass makes of one batch. An emptied one keeps its place: batches lie side by side, so that one that is missing is seen. */
export const cleanBatch = (view: BatchView, pass: Pass, builder: BatchBuilder = new BatchBuilder()): CleanedBatch => {
  const { keys, now } = pass;
  const base = Number(view.baseOffset - pass.origin);
  const first = Number(pass.start - view.baseOffset);
  const end = Number(pass.to - view.baseOffset);
  const noted = view.deleteHorizon !== undefined && view.deleteHorizon <= latestHorizon(pass) ? view.deleteHorizon : undefined;
  const forgetsTombstones = noted !== undefined && now >= noted;
  let dropped = 0;
  let tombstones = 0;
  const keeps = (): boolean => {
    if (view.offsetDelta >= end) return true;
    if (view.offsetDelta < first || view.keyStart < 0) return false;
    if (forgetsTombstones && view.valueStart < 0) return false;
    return keys.get(view.bytes, view.keyStart, view.keyEnd) <= base + view.offsetDelta;
  };
  builder.reset();
  view.rewind();
  while (view.next()) {
    if (!keeps()) {
      dropped++;
      continue;
    }
    if (view.valueStart < 0) tombstones++;
    builder.appendAt(view.offsetDelta, view.key(), view.value(), view.timestamp, view.headers());
  }
  const kept = builder.count;
  const stamps = tombstones > 0 && noted === undefined;
  if (dropped === 0 && !stamps) return { bytes: undefined, kept, dropped };
  const horizon = tombstones === 0 ? undefined : (noted ?? latestHorizon(pass));
  return { bytes: builder.finish(view.lastOffsetDelta, horizon), kept, dropped };
};
