/**
 * Compaction keeps the latest record of each key, and everything at the head.
 *
 * A pass has a range [start, to): `to` is before the active segment and before the first segment that is too young. The pass
 * first maps the keys of the records since the last pass to their latest offsets, then reads all batches below
 * `to`, in their order, and leaves out each record that a later one below `to` has replaced. The records that stay keep their
 * offsets, order, timestamps and headers; a batch is replaced under its own key, so that after a crash between any two steps
 * each batch is the old one or the new one.
 *
 * A tombstone stays in the first pass that meets it, which stamps its delete horizon on its batch. The pass that drops the
 * tombstone has read all batches before it: no older record of its key is left. A horizon further ahead than any pass would set
 * now was set by a clock that ran ahead, and is set again.
 */
import { BatchBuilder, type BatchView } from '../record/batch.ts';
import type { Cleanup } from './cleanup.ts';
import type { KeyOffsets } from './key-offsets.ts';
import { firstTime, lastTime, type Segment } from './segment.ts';

/** The work of a pass over a partition. */
export interface Cleanable {
  /** Keys are mapped from this offset on; below it every key has one record at most. */
  readonly from: bigint;
  /** The pass changes no record at or after this offset. */
  readonly to: bigint;
  readonly cleanBytes: number;
  readonly dirtyBytes: number;
  /** True when the share of new bytes, or their age, asks for a pass. */
  readonly due: boolean;
}

/** `segments` are the partition's in order, the active one last. */
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
    // Without a lag no record is too young, including one that is dated in the future: it would keep all later ones from being compacted.
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

/** Maps the keys of a batch from `from` up to `to`, with offsets relative to `origin`. Returns the first offset that found no room, or undefined. */
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
  /** The offset that the offsets in `keys` are relative to. */
  readonly origin: bigint;
  readonly start: bigint;
  readonly to: bigint;
  readonly now: number;
  readonly deleteRetentionMs: number;
}
/** The delete horizon of a tombstone that this pass meets first. */
const latestHorizon = ({ now, deleteRetentionMs }: Pass): number => Math.min(Number.MAX_SAFE_INTEGER, now + deleteRetentionMs);

export interface CleanedBatch {
  /** The bytes that replace the batch; undefined when it stays as it is. */
  readonly bytes: Uint8Array | undefined;
  readonly kept: number;
  readonly dropped: number;
}

/** Compacts one batch. An emptied batch stays: batches are adjacent, so that a missing one is detected. */
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
