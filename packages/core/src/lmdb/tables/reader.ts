/**
 * Reads the log by the memory map, in any thread, without asking another thread.
 *
 * Each call copies the batches that it found and releases the snapshot: a held snapshot would keep every page freed since from
 * being used again. A batch is verified as it is copied, and its own partition and offset are compared with its key, so that
 * neither a flipped bit nor a swapped page ever reaches a reader.
 */
import { isStoplogError, StoplogError } from '../../pure/errors.ts';
import { batchKey, decodeOffset, offsetOfBatchKey, prefixEnd, partitionKey, samePrefix, timeKey, type Ends, unseal } from '../layout/keyspace.ts';
import { openBatch, type BatchView } from '../../pure/record/batch.ts';
import { readEnds } from './rows.ts';
import { failpoint } from '../../failpoints/failpoint.ts';
import { peek, asLogError, type Env } from './env.ts';
import { refresh } from './seen.ts';

export interface PartitionId {
  readonly topic: string;
  readonly topicId: number;
  readonly partition: number;
}
export interface Found {
  readonly next: bigint;
  readonly batches: readonly BatchView[];
}

/** Batches from the one that holds `from` on, at least one if there is any, up to `bytes`. */
export const readBatches = (env: Env, place: PartitionId, from: bigint, bytes: number): Found => {
  try {
    failpoint('storage.read');
    return read(env, place, from, bytes);
  } catch (error) {
    throw asLogError(env, error);
  }
};

/** The number of bytes of empty batches that one call passes over before it returns the position at which to resume. */
const EMPTIED_BYTES: number = 1024 * 1024;

/** Batches for cleaning: as they are stored, empty ones too, and at most `count`. */
export const readEveryBatch = (env: Env, place: PartitionId, from: bigint, limit: { readonly bytes: number; readonly batches: number }): Found =>
  read(env, place, from, limit.bytes, limit.batches);

const read = (env: Env, place: PartitionId, from: bigint, bytes: number, every?: number): Found => {
  refresh(env);
  const ends = readEnds(env, place.topicId, place.partition);
  checkRange(place, from, ends);
  const batches: BatchView[] = [];
  let size = 0;
  let next = from;
  while (next < ends.end && batches.length < (every ?? Infinity) && (size < bytes || (batches.length === 0 && size < bytes + EMPTIED_BYTES))) {
    const view = readBatchAt(env, place, next);
    if (isMissing(view, next)) throw missing(place, next, ends.end);
    // An empty batch is passed over.
    if (view.count > 0 || every !== undefined) batches.push(view);
    size += view.bytes.length;
    next = view.nextOffset;
  }
  return { next, batches };
};

/**
 * Batches are adjacent up to the end. A missing one was hidden by damage to a page of LMDB's own, which has no
 * checksum and may even lead back to a batch that was read before.
 */
const isMissing = (view: BatchView | undefined, offset: bigint): view is undefined =>
  view === undefined || view.baseOffset > offset || view.nextOffset <= offset;

const missing = ({ topic, partition }: PartitionId, offset: bigint, until: bigint): StoplogError =>
  new StoplogError(
    'STOPLOG_LOG_CORRUPT',
    { topic, partition, offset, until, reason: 'missing' },
    `the batches of ${topic}[${partition}] from offset ${offset} to ${until} cannot be found: the disk or a foreign program changed the data file. Restore the folder from a backup, keep the rest with 'stoplog repair', or read on behind them`,
  );

/** The batch that holds the offset, or the first one after it. */
const readBatchAt = (env: Env, place: PartitionId, offset: bigint): BatchView | undefined => {
  const key = batchKey(place.topicId, place.partition, offset);
  const exact = peek(env.tables.log, key);
  if (exact !== undefined) return openAt(place, offset, exact);
  const prefix = partitionKey(place.topicId, place.partition);
  for (const { key: floor, value } of env.tables.log.getRange({ start: key, reverse: true, limit: 1, snapshot: false })) {
    if (!samePrefix(floor, prefix)) break;
    const view = openAt(place, baseIn(place, floor, offset), value);
    if (view.nextOffset > offset) return view;
  }
  for (const { key: above, value } of env.tables.log.getRange({ start: key, end: prefixEnd(prefix), limit: 1, snapshot: false })) {
    return openAt(place, baseIn(place, above, offset), value);
  }
  return undefined;
};

/** The base offset in a key of the log. A key of another length came there with a page of another table. */
const baseIn = (place: PartitionId, key: Buffer, offset: bigint): bigint => {
  if (key.length === KEY_BYTES) return offsetOfBatchKey(key);
  throw missing(place, offset, offset + 1n);
};
const KEY_BYTES = 16;

/** A verified copy. LMDB returns its own memory, which the next read overwrites. */
const openAt = (place: PartitionId, baseOffset: bigint, found: Buffer): BatchView => {
  const copy = Buffer.allocUnsafeSlow(found.length);
  copy.set(found);
  try {
    const view = openBatch(copy);
    if (view.baseOffset === baseOffset && view.topicId === place.topicId && view.partition === place.partition) return view;
    throw new StoplogError('STOPLOG_LOG_CORRUPT', { reason: 'misplaced' }, 'it belongs to another place of the log');
  } catch (error) {
    if (!isStoplogError(error)) throw error;
    const { topic, partition } = place;
    throw new StoplogError(
      'STOPLOG_LOG_CORRUPT',
      { ...error.facts, topic, partition, offset: baseOffset },
      `the batch at ${topic}[${partition}] offset ${baseOffset} is damaged (${String(error.facts['reason'] ?? error.message)}): the disk or a foreign program changed it. ` +
        `Nothing of it was returned; restore the folder from a backup, keep the rest with 'stoplog repair', or read on behind it`,
      { cause: error },
    );
  }
};

const checkRange = ({ topic, partition }: PartitionId, from: bigint, { start, end }: Ends): void => {
  if (typeof from !== 'bigint')
    throw new StoplogError(
      'STOPLOG_USAGE',
      { topic, partition, offset: from },
      'an offset is a bigint, such as 0n: beyond 2^53 a number would name its neighbour',
    );
  if (from >= start && from <= end) return;
  throw new StoplogError(
    'STOPLOG_OFFSET_OUT_OF_RANGE',
    { topic, partition, offset: from, start, end },
    `${topic}[${partition}] holds the offsets ${start} to ${end}, and ${from} is ${from < start ? 'before' : 'after'} them: read from 'earliest', 'latest' or an offset between`,
  );
};

/** The first offset at or after a time: in the first batch that ever reached the time, because times need not grow with offsets. */
export const offsetForTime = (env: Env, place: PartitionId, time: number): bigint => {
  refresh(env);
  const ends = readEnds(env, place.topicId, place.partition);
  const prefix = partitionKey(place.topicId, place.partition);
  for (const { key, value } of env.tables.times.getRange({
    start: timeKey(place.topicId, place.partition, time),
    end: prefixEnd(prefix),
    limit: 1,
    snapshot: false,
  })) {
    const reached = decodeOffset(unseal('times', key, value));
    let at = reached < ends.start ? ends.start : reached;
    while (at < ends.end) {
      const view = readBatchAt(env, place, at);
      if (isMissing(view, at)) throw missing(place, at, ends.end);
      while (view.next()) if (view.timestamp >= time && view.offset >= ends.start) return view.offset;
      at = view.nextOffset;
    }
  }
  return ends.end;
};
