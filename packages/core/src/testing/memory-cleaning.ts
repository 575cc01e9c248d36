/**
 * Retention and compaction of a memory log, all at once, by the same pure rules as every log.
 */
import type { Cleaned } from '../port/tools.ts';
import { cleanupOf } from '../pure/retention/cleanup.ts';
import { cleanable, cleanBatch, mapKeys } from '../pure/retention/compaction.ts';
import { Merging } from '../pure/retention/merging.ts';
import { KeyOffsets } from '../pure/retention/key-offsets.ts';
import { segmentsToForget, startAfter } from '../pure/retention/retention.ts';
import { emptySegment, isOverdue, mergesOf } from '../pure/retention/segment.ts';
import { inspectHeader, openBatch, stampBatch } from '../pure/record/batch.ts';
import type { TopicShape } from '../pure/topic/shape.ts';
import { roll, type MemoryPartition, type MemoryTopic } from './memory-partition.ts';

export const cleanTopic = ({ shape, partitions }: MemoryTopic, rolls: boolean, now: number): readonly Cleaned[] =>
  partitions.map((partition, number) => {
    const before = { startBefore: partition.start, bytesBefore: bytesOf(partition) };
    if (rolls || isOverdue(partition.active, cleanupOf(shape), now)) roll(partition);
    forget(partition, shape, now);
    const counts = shape.cleanup === 'compact' ? compact(partition, shape, now) : { dropped: 0, kept: 0 };
    return { topic: shape.name, partition: number, ...before, ...counts, start: partition.start, bytes: bytesOf(partition) };
  });

export const moveStart = (partition: MemoryPartition, start: bigint): void => {
  if (start <= partition.start) return;
  partition.start = start;
  partition.batches.splice(0, partition.batches.findLastIndex(({ next }) => next <= start) + 1);
  partition.closed.splice(0, partition.closed.findLastIndex(({ next }) => next <= start) + 1);
  if (partition.active.next <= start) partition.active = emptySegment(partition.end);
};

const bytesOf = ({ batches }: MemoryPartition): number => batches.reduce((sum, { bytes }) => sum + bytes.length, 0);
const forget = (partition: MemoryPartition, shape: TopicShape, now: number): void => {
  const segments = [...partition.closed, partition.active];
  const count = segmentsToForget(segments, cleanupOf(shape), now);
  moveStart(partition, count === segments.length ? partition.end : startAfter(segments, count, partition.start));
};
const compact = (partition: MemoryPartition, shape: TopicShape, now: number): { readonly dropped: number; readonly kept: number } => {
  const { start } = partition;
  const cleanup = cleanupOf(shape);
  const { from, to } = cleanable([...partition.closed, partition.active], partition, cleanup, now);
  if (to <= start) return { dropped: 0, kept: 0 };
  const keys = new KeyOffsets([1, 2]);
  for (const { next, bytes } of partition.batches) if (next > from) mapKeys(openBatch(bytes), keys, 0n, from, to);
  const pass = { keys, origin: 0n, start, to, now, deleteRetentionMs: cleanup.deleteRetentionMs };
  const below = partition.batches.filter(({ base }) => base < to);
  let dropped = 0;
  let kept = 0;
  const stamp = (bytes: Uint8Array, baseOffset: bigint): void => stampBatch(bytes, { ...inspectHeader(below[0]!.bytes), baseOffset });
  const bases = new Set(partition.closed.map(({ base }) => base));
  const merging = new Merging((base) => bases.has(base), stamp);
  for (const { base, next, bytes } of below) {
    const cleaned = cleanBatch(openBatch(bytes), pass);
    dropped += cleaned.dropped;
    kept += cleaned.kept;
    if (cleaned.bytes !== undefined) stamp(cleaned.bytes, base);
    merging.add({ base, next, was: bytes, bytes: cleaned.bytes, kept: cleaned.kept });
  }
  for (const { replaced, bytes } of merging.take()) {
    const first = partition.batches.findIndex(({ base }) => base === replaced[0]!.base);
    const { base, order } = partition.batches[first]!;
    const { next } = partition.batches[first + replaced.length - 1]!;
    partition.batches.splice(first, replaced.length, { base, next, bytes, order });
  }
  partition.cleanTo = to;
  for (const { into, of } of mergesOf([...partition.closed, partition.active], to, cleanup))
    partition.closed.splice(partition.closed.indexOf(of[0]!), of.length, into);
  return { dropped, kept };
};
