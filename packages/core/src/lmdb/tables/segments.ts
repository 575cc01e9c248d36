/** The closed segments of a partition, as rows. */
import type { Segment } from '../../pure/retention/segment.ts';
import { batchKey, decodeSegment, encodeSegment, partitionKey, prefixEnd, samePrefix, unseal, type Ends } from '../layout/keyspace.ts';
import type { Env } from './env.ts';
import type { PartitionId } from './reader.ts';
import { put } from './sealed.ts';

/** The segments from the start on, the active one last. */
export const segmentsOf = (env: Env, { topicId, partition }: PartitionId, { start, active }: Ends): readonly Segment[] => {
  const prefix = partitionKey(topicId, partition);
  const closed = [...env.tables.segments.getRange({ start: prefix, end: prefixEnd(prefix), snapshot: false })].map(({ key, value }) =>
    decodeSegment(key, unseal('segments', key, value)),
  );
  return [...closed.filter(({ next }) => next > start), active];
};

/** Subtracts bytes from the closed segment that holds the offset, unless the segment is to be deleted whole. */
export const shrink = (env: Env, { topicId, partition }: PartitionId, offset: bigint, bytes: number, start: bigint): void => {
  const prefix = partitionKey(topicId, partition);
  for (const { key, value } of [...env.tables.segments.getRange({ start: batchKey(topicId, partition, offset), reverse: true, limit: 1, snapshot: false })]) {
    if (!samePrefix(key, prefix)) return;
    const segment = decodeSegment(key, unseal('segments', key, value));
    if (segment.next > start) put(env, 'segments', Buffer.from(key), encodeSegment({ ...segment, bytes: segment.bytes - bytes }));
  }
};
