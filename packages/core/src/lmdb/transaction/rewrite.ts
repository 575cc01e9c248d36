/**
 * Compaction, inside a write transaction: a batch is replaced under its key, if it is still the one that was read.
 *
 * Two processes may clean one partition at once, and either may be killed between any two steps: a step that finds its
 * batch changed has no effect, and is made again from the stored batches.
 */
import type { Cleanup } from '../../pure/retention/cleanup.ts';
import type { Rewrite } from '../../pure/retention/merging.ts';
import { batchKey, decodeOffset, encodeOffset, encodeSegment, partitionKey, prefixEnd, unseal } from '../layout/keyspace.ts';
import { mergesOf, type Segment } from '../../pure/retention/segment.ts';
import type { TimeEntry } from '../../pure/retention/thinning.ts';
import { HEADER_SIZE } from '../../pure/record/batch.ts';
import type { EndsInTransaction } from './ends.ts';
import { peek, type Env } from '../tables/env.ts';
import { segmentsOf, shrink } from '../tables/segments.ts';
import type { PartitionId } from '../tables/reader.ts';
import { put, putRaw } from '../tables/sealed.ts';

/** Replaces batches by their rewrites; returns the number of rewrites done, up to the first batch that another process has changed. */
export const applyRewrites = (env: Env, place: PartitionId, rewrites: readonly Rewrite[], all: EndsInTransaction): number => {
  const { topicId, partition } = place;
  const { log } = env.tables;
  let freed = 0;
  let ofActive = 0;
  let done = 0;
  for (const { replaced, bytes } of rewrites) {
    const [{ base }] = replaced as [Rewrite['replaced'][number]];
    const found = replaced.map((one) => sizeUnchanged(env, place, one));
    // The batch was trimmed, or merged into the one before it, meanwhile: there is nothing left to do.
    const isGone = found.length === 1 && found[0] === 'gone';
    if (!isGone) {
      if (found.some((size) => typeof size === 'string')) break;
      const saved = (found as number[]).reduce((sum, size) => sum + size, 0) - bytes.length;
      putRaw(env, 'log', batchKey(topicId, partition, base), bytes as Buffer);
      for (const one of replaced.slice(1)) log.removeSync(batchKey(topicId, partition, one.base));
      freed += saved;
      if (base >= all.get(topicId, partition).active.base) ofActive += saved;
      else shrink(env, place, base, saved, 0n);
    }
    done++;
  }
  const ends = all.get(topicId, partition);
  all.set(topicId, partition, { ...ends, bytes: ends.bytes - freed, active: { ...ends.active, bytes: ends.active.bytes - ofActive } });
  return done;
};
/** The size of the stored batch, if its header, which has a checksum of the whole batch, is the one that was read. */
const sizeUnchanged = (env: Env, { topicId, partition }: PartitionId, { base, was }: Rewrite['replaced'][number]): number | 'gone' | 'changed' => {
  const found = peek(env.tables.log, batchKey(topicId, partition, base));
  if (found === undefined) return 'gone';
  return Buffer.compare(found.subarray(0, HEADER_SIZE), was.subarray(0, HEADER_SIZE)) === 0 ? found.length : 'changed';
};
/** The number of entries that are read beside a slice of batches. */
const MOST_TIMES = 1024;
/** Entries of `times` behind a key that name batches below an offset. */
export const timesBelow = (env: Env, { topicId, partition }: PartitionId, after: Buffer | undefined, below: bigint): readonly TimeEntry[] => {
  const prefix = partitionKey(topicId, partition);
  const range = env.tables.times.getRange({ start: after ?? prefix, end: prefixEnd(prefix), limit: MOST_TIMES, snapshot: false });
  const entries: TimeEntry[] = [];
  for (const { key, value } of range) {
    const offset = decodeOffset(unseal('times', key, value));
    if (offset >= below) break;
    if (after === undefined || !after.equals(key)) entries.push({ key: Buffer.from(key), offset });
  }
  return entries;
};
export const applyThinning = (env: Env, gone: readonly TimeEntry[], moved: readonly TimeEntry[]): void => {
  // An entry that was trimmed meanwhile must not be restored.
  for (const { key, offset } of moved) if (peek(env.tables.times, key) !== undefined) put(env, 'times', key, encodeOffset(offset));
  for (const { key } of gone) env.tables.times.removeSync(key);
};

const MOST_MERGED = 256;
/** Merges closed segments that compaction has left small into one row; true when there may be more. */
export const applyMerge = (env: Env, place: PartitionId, cleanup: Cleanup, all: EndsInTransaction): boolean => {
  const ends = all.get(place.topicId, place.partition);
  const key = ({ base }: Segment): Buffer => batchKey(place.topicId, place.partition, base);
  let merged = 0;
  for (const { into, of } of mergesOf(segmentsOf(env, place, ends), ends.cleanTo, cleanup)) {
    if (merged > 0 && merged + of.length > MOST_MERGED) return true;
    put(env, 'segments', key(into), encodeSegment(into));
    for (const gone of of.slice(1)) env.tables.segments.removeSync(key(gone));
    merged += of.length;
  }
  return false;
};

/** Records that every key has one record at most below the offset. */
export const applyCleanTo = ({ topicId, partition }: PartitionId, cleanTo: bigint, all: EndsInTransaction): void => {
  const ends = all.get(topicId, partition);
  if (cleanTo > ends.cleanTo) all.set(topicId, partition, { ...ends, cleanTo });
};
