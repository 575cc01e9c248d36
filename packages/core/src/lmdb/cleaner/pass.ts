/**
 * A pass of compaction over a partition: maps the keys of the new records, as far as there is room, and goes through all batches
 * below, in slices, each of which is a commit of its own.
 *
 * After a crash between any two slices, each batch is the old one or the new one, and the next pass finds the rest of the work.
 */
import { randomBytes } from 'node:crypto';
import type { Cleanup } from '../../pure/retention/cleanup.ts';
import { cleanBatch, mapKeys, type Pass } from '../../pure/retention/compaction.ts';
import { Merging } from '../../pure/retention/merging.ts';
import { KeyOffsets } from '../../pure/retention/key-offsets.ts';
import type { Ends } from '../layout/keyspace.ts';
import { movesOf, Thinning } from '../../pure/retention/thinning.ts';
import { BatchBuilder, stampBatch, type BatchView } from '../../pure/record/batch.ts';
import { failpoint } from '../../failpoints/failpoint.ts';
import type { EndsInTransaction } from '../transaction/ends.ts';
import type { Env } from '../tables/env.ts';
import { segmentsOf } from '../tables/segments.ts';
import type { Found, PartitionId } from '../tables/reader.ts';
import { applyCleanTo, applyMerge, applyRewrites, applyThinning, timesBelow } from '../transaction/rewrite.ts';

/** The operations that a pass needs; each throws when the log is being closed. */
export interface Hands {
  readonly env: Env;
  /** Applies one step in a transaction; resolves when it is committed. */
  readonly commit: <T>(apply: (ends: EndsInTransaction) => T) => Promise<T>;
  readonly ends: (place: PartitionId) => Ends;
  /** Batches from an offset on, empty ones too. */
  readonly read: (place: PartitionId, at: bigint) => Found;
  /** Waits for the time that the bytes cost. */
  readonly pay: (bytes: number) => Promise<void>;
}
export interface Passing {
  readonly start: bigint;
  readonly from: bigint;
  readonly to: bigint;
  readonly now: number;
  readonly cleanup: Cleanup;
}

export const compactPass = async (
  { env, commit, ends, read, pay }: Hands,
  place: PartitionId,
  { start, from, to, now, cleanup }: Passing,
): Promise<{ readonly to: bigint; readonly dropped: number; readonly kept: number }> => {
  const builder = new BatchBuilder();
  failpoint('compact.select');
  const seed = randomBytes(8);
  const keys = new KeyOffsets([seed.readUInt32LE(0), seed.readUInt32LE(4)]);
  let end = to;
  for (let at = from; at < end;) {
    const { batches, next } = read(place, at);
    for (const view of batches) {
      const full = mapKeys(view, keys, start, from, to);
      if (full !== undefined && full < end) end = full;
      if (full !== undefined) break;
    }
    at = next;
    await pay(sizeOf(batches));
  }
  const pass: Pass = { keys, origin: start, start, to: end, now, deleteRetentionMs: cleanup.deleteRetentionMs };
  const bases = new Set(segmentsOf(env, place, ends(place)).map(({ base }) => base));
  const merging = new Merging(
    (base) => bases.has(base),
    (bytes, baseOffset) => stampBatch(bytes, { topicId: place.topicId, partition: place.partition, baseOffset }),
  );
  let thinning = new Thinning();
  let timeKey: Buffer | undefined;
  let dropped = 0;
  let kept = 0;
  for (let at = start; at < end;) {
    const again = { at: merging.held ?? at, timeKey, thinning: thinning.copy() };
    const counted = { dropped: 0, kept: 0 };
    const { batches, next } = read(place, at);
    const spans: { readonly base: bigint; readonly next: bigint; readonly kept: number }[] = [];
    for (const view of batches) {
      if (view.baseOffset >= end) break;
      const cleaned = cleanBatch(view, pass, builder);
      counted.dropped += cleaned.dropped;
      counted.kept += cleaned.kept;
      if (cleaned.bytes !== undefined) stampBatch(cleaned.bytes, { topicId: place.topicId, partition: place.partition, baseOffset: view.baseOffset });
      const span = { base: view.baseOffset, next: view.nextOffset, kept: cleaned.kept };
      merging.add({ ...span, was: view.bytes, bytes: cleaned.bytes });
      spans.push(span);
    }
    const rewrites = merging.take();
    const entries = timesBelow(env, place, timeKey, next < end ? next : end);
    timeKey = entries.at(-1)?.key ?? timeKey;
    const gone = thinning.take(
      entries,
      spans.filter((span) => span.kept > 0),
    );
    const heads = new Map(rewrites.flatMap(({ replaced }) => replaced.map(({ base }) => [base, replaced[0]!.base] as const)));
    const moved = movesOf(entries, spans, heads);
    failpoint('compact.copied');
    let reached = rewrites.length;
    if (reached + gone.length + moved.length > 0)
      reached = await commit((ends) => {
        const done = applyRewrites(env, place, rewrites, ends);
        if (done === rewrites.length) applyThinning(env, gone, moved);
        return done;
      });
    failpoint('compact.swapped');
    if (reached < rewrites.length) {
      // A batch has changed meanwhile, so the slice is read again: a tombstone must not be dropped before the record that it deletes.
      ({ at, timeKey, thinning } = again);
      merging.forget();
    } else {
      at = next;
      dropped += counted.dropped;
      kept += counted.kept;
    }
    await pay(sizeOf(batches));
  }
  await commit((ends) => applyCleanTo(place, end, ends));
  failpoint('compact.cleaned');
  while (await commit((ends) => applyMerge(env, place, cleanup, ends)));
  return { to: end, dropped, kept };
};

const sizeOf = (batches: readonly BatchView[]): number => batches.reduce((sum, { bytes }) => sum + bytes.length, 0);
