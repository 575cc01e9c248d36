/**
 * Retention inside a write transaction: small steps, each of which leaves a log that keeps every promise.
 *
 * First the start moves, in one put: from then on no reader reads below it. The batches below are then removed a few at
 * a time, because LMDB pays for a large removal with slow commits long after.
 */
import { StoplogError } from '../../pure/errors.ts';
import type { Cleanup } from '../../pure/retention/cleanup.ts';
import { batchKey, decodeOffset, decodeSegment, encodeSegment, offsetOfBatchKey, partitionKey, prefixEnd, unseal, type Ends } from '../layout/keyspace.ts';
import { segmentsToForget, startAfter } from '../../pure/retention/retention.ts';
import { emptySegment, isEmptySegment, notAfter } from '../../pure/retention/segment.ts';
import type { EndsInTransaction } from '../transaction/ends.ts';
import { peek, type Env } from '../tables/env.ts';
import { segmentsOf, shrink } from '../tables/segments.ts';
import type { PartitionId } from '../tables/reader.ts';
import { put } from '../tables/sealed.ts';

/** Moves the start behind the segments that retention deletes. */
export const applyRetention = (env: Env, place: PartitionId, cleanup: Cleanup, now: number, all: EndsInTransaction): void => {
  const ends = all.get(place.topicId, place.partition);
  const segments = segmentsOf(env, place, ends);
  const start = startAfter(segments, segmentsToForget(segments, cleanup, now), ends.start);
  if (start > ends.start) moveStart(all, place, ends, start);
};

/** Moves starts to the requested offsets, all or none; returns the present starts. */
export const applyDeleteRecords = (before: readonly (PartitionId & { readonly offset: bigint })[], all: EndsInTransaction): readonly bigint[] => {
  for (const place of before) checkBefore(place, place.offset, all.get(place.topicId, place.partition));
  return before.map((place) => {
    const ends = all.get(place.topicId, place.partition);
    if (place.offset <= ends.start) return ends.start;
    moveStart(all, place, ends, place.offset);
    return place.offset;
  });
};
const checkBefore = ({ topic, partition }: PartitionId, before: bigint, ends: Ends): void => {
  if (before < 0n || before > ends.end) {
    throw new StoplogError(
      'STOPLOG_OFFSET_OUT_OF_RANGE',
      { topic, partition, offset: before, start: ends.start, end: ends.end },
      `${topic}[${partition}] ends at ${ends.end}, and ${before} is ${before < 0n ? 'before its beginning' : 'after it'}: give an offset up to the end`,
    );
  }
};
const moveStart = (all: EndsInTransaction, { topicId, partition }: PartitionId, ends: Ends, start: bigint): void =>
  all.set(topicId, partition, { ...ends, start, active: start === ends.end ? emptySegment(ends.end) : ends.active });

/** Closes the active segment, unless it is empty. */
export const applyRoll = (env: Env, { topicId, partition }: PartitionId, all: EndsInTransaction): void => {
  const ends = all.get(topicId, partition);
  if (isEmptySegment(ends.active)) return;
  put(env, 'segments', batchKey(topicId, partition, ends.active.base), encodeSegment(ends.active));
  all.set(topicId, partition, { ...ends, active: emptySegment(ends.end) });
};

/** Sets the arrival of segments that are stamped with a later time to `latest`. */
export const applyRestamp = (env: Env, place: PartitionId, latest: number, all: EndsInTransaction): void => {
  const { topicId, partition } = place;
  const ends = all.get(topicId, partition);
  for (const segment of segmentsOf(env, place, ends).slice(0, -1)) {
    const right = notAfter(segment, latest);
    if (right !== segment) put(env, 'segments', batchKey(topicId, partition, segment.base), encodeSegment(right));
  }
  const active = notAfter(ends.active, latest);
  if (active !== ends.active) all.set(topicId, partition, { ...ends, active });
};

export interface Trimmed {
  readonly bytes: number;
  /** True when no batch is left below the start. */
  readonly done: boolean;
}
const MOST_TIMES = 64;

/** Removes a few batches that are whole below the start, and the rows of other tables that only served them. */
export const applyTrim = (env: Env, place: PartitionId, limit: { readonly batches: number; readonly bytes: number }, all: EndsInTransaction): Trimmed => {
  const { topicId, partition } = place;
  const { log, segments, times } = env.tables;
  const prefix = partitionKey(topicId, partition);
  const ends = all.get(topicId, partition);
  const keys = [...log.getKeys({ start: prefix, end: prefixEnd(prefix), limit: limit.batches + 1, snapshot: false })].map((key) => Buffer.from(key));
  let bytes = 0;
  let removed = 0;
  let ofActive = 0;
  for (const [i, key] of keys.entries()) {
    const next = keys[i + 1];
    // A batch ends where the next one begins, or before: a damaged one is removed like any other.
    const isBelow = next === undefined ? keys.length <= limit.batches && ends.start === ends.end : offsetOfBatchKey(next) <= ends.start;
    if (!isBelow || bytes >= limit.bytes || removed === limit.batches) break;
    const size = peek(log, key)?.length ?? 0;
    log.removeSync(key);
    bytes += size;
    removed++;
    const base = offsetOfBatchKey(key);
    if (base >= ends.active.base) ofActive += size;
    else shrink(env, place, base, size, ends.start);
  }
  let done = removed === 0;
  for (const { key, value } of [...segments.getRange({ start: prefix, end: prefixEnd(prefix), limit: limit.batches, snapshot: false })]) {
    if (decodeSegment(key, unseal('segments', key, value)).next > ends.start) break;
    segments.removeSync(key);
    done = false;
  }
  const entries = [...times.getRange({ start: prefix, end: prefixEnd(prefix), limit: MOST_TIMES, snapshot: false })];
  for (const [i, { key }] of entries.entries()) {
    // The last entry that leads to the start or before it stays: a search for its time begins there.
    const after = entries[i + 1];
    if (after === undefined || decodeOffset(unseal('times', after.key, after.value)) > ends.start) break;
    times.removeSync(key);
    done = false;
  }
  if (removed > 0) all.set(topicId, partition, { ...ends, bytes: ends.bytes - bytes, active: { ...ends.active, bytes: ends.active.bytes - ofActive } });
  return { bytes, done };
};
