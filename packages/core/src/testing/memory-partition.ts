/**
 * A partition of a topic in a memory log: its batches, and how they are appended, read and found by time.
 */
import { isFull, emptySegment, grow, isEmptySegment, type Segment } from '../pure/retention/segment.ts';
import { cleanupOf } from '../pure/retention/cleanup.ts';
import { stampTime } from '../pure/record/arrival-time.ts';
import { inspectHeader, openBatch, stampBatch, type BatchView } from '../pure/record/batch.ts';
import type { TopicShape } from '../pure/topic/shape.ts';
import { copyOf } from './memory-part.ts';

export interface KeptBatch {
  readonly base: bigint;
  readonly next: bigint;
  readonly bytes: Uint8Array;
  /** Grows with every append to the log, in any topic and partition. */
  readonly order: number;
}
export interface MemoryPartition {
  readonly batches: KeptBatch[];
  start: bigint;
  end: bigint;
  cleanTo: bigint;
  readonly closed: Segment[];
  active: Segment;
}
export interface MemoryTopic {
  readonly id: number;
  shape: TopicShape;
  readonly partitions: readonly MemoryPartition[];
}

export const emptyPartition = (): MemoryPartition => ({ batches: [], start: 0n, end: 0n, cleanTo: 0n, closed: [], active: emptySegment(0n) });

export interface Appending {
  readonly partition: number;
  readonly batch: Uint8Array;
  /** Offsets left unused after the batch. */
  readonly hole: number;
  readonly order: number;
  readonly now: number;
}
/** Appends a batch at the end of its partition; returns a function that undoes it. */
export const appendTo = ({ id, shape, partitions }: MemoryTopic, { partition: number, batch, hole, order, now }: Appending): (() => void) => {
  const partition = partitions[number]!;
  const { end: base, active, closed } = partition;
  const closedBefore = closed.length;
  const bytes = shape.timestamps === 'arrival' ? stampTime(copyOf(batch), now) : copyOf(batch);
  stampBatch(bytes, { topicId: id, partition: number, baseOffset: base });
  const { lastOffsetDelta, baseTimestamp, maxTimestamp } = inspectHeader(bytes);
  const next = base + BigInt(lastOffsetDelta) + 1n;
  const arriving = { next, bytes: bytes.length, baseTimestamp, maxTimestamp, at: now };
  if (isFull(active, arriving, cleanupOf(shape))) roll(partition);
  partition.active = grow(partition.active, arriving);
  partition.batches.push({ base, next, bytes, order });
  partition.end = next + BigInt(hole);
  return () => {
    partition.batches.pop();
    partition.end = base;
    closed.length = closedBefore;
    partition.active = active;
  };
};
export const roll = (partition: MemoryPartition): void => {
  if (!isEmptySegment(partition.active)) partition.closed.push(partition.active);
  partition.active = emptySegment(partition.end);
};

/**
 * Whole batches from the one that holds `from`, up to the byte limit but at least one; then the offset at which reading
 * resumes.
 */
export const readFrom = (partition: MemoryPartition, from: bigint, bytes: number): { readonly next: bigint; readonly batches: readonly BatchView[] } => {
  const { batches } = partition;
  let at = batches.length;
  while (at > 0 && batches[at - 1]!.next > from) at--;
  const found: BatchView[] = [];
  let size = 0;
  let next = from;
  for (; at < batches.length; at++) {
    const kept = batches[at]!;
    if (found.length > 0 && size + kept.bytes.length > bytes) return { next, batches: found };
    const view = openBatch(copyOf(kept.bytes));
    // Skips empty batches.
    if (view.count > 0) found.push(view);
    size += kept.bytes.length;
    next = kept.next;
  }
  // After the last batch there may be a hole: then no batch is returned, and reading still resumes at the end.
  return { next: found.length === 0 ? partition.end : next, batches: found };
};

export const firstAt = (partition: MemoryPartition, time: number): bigint => {
  for (const { bytes } of partition.batches) {
    const view = openBatch(bytes);
    while (view.next()) if (view.timestamp >= time && view.offset >= partition.start) return view.offset;
  }
  return partition.end;
};
