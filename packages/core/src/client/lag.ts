/** Computes a group's lag in each partition, over any Log. */
import type { GroupId, Log, Position, TopicPartition } from '../port/log.ts';
import { isStoplogError } from '../pure/errors.ts';
import { ageOf, readsFrom, recordsBehind } from '../pure/group/lag.ts';

export interface PartitionLag extends TopicPartition {
  /** The next record the group reads. */
  readonly position: bigint;
  readonly end: bigint;
  /** Offsets not yet read; a compacted partition counts its holes. */
  readonly records: number;
  /** Milliseconds since the first unread record was stamped; 0 when there is none. */
  readonly age: number;
}

/** Positions are read before ends, so a lag of zero was zero at one moment. */
export const readLag = async (log: Log, group: GroupId, partitions: readonly TopicPartition[], now: () => number): Promise<readonly PartitionLag[]> => {
  const [stands, starts] = [await log.committed(group, partitions), await log.offsets(partitions, 'earliest')];
  const ends = await log.offsets(partitions, 'latest');
  return Promise.all(
    partitions.map(async ({ topic, partition }, i): Promise<PartitionLag> => {
      const place = { position: stands[i]!.offset, start: starts[i]!.offset, end: ends[i]!.offset };
      const position = readsFrom(place);
      const records = Number(recordsBehind(place));
      const first = records === 0 ? undefined : await firstAt(log, { topic, partition, offset: position });
      return { topic, partition, position, end: place.end, records, age: ageOf(first, now()) };
    }),
  );
};

/** The timestamp of the first record at or after a position; reads only the batch that holds it. */
const firstAt = async (log: Log, from: Position): Promise<number | undefined> => {
  for (let offset = from.offset; ;) {
    const { batches, next } = await log.fetch({ ...from, offset }, { bytes: 1, waitMs: 0 }, never).catch(gone);
    for (const view of batches) while (view.next()) if (view.offset >= from.offset) return view.timestamp;
    if (next <= offset) return undefined;
    offset = next;
  }
};
const never: AbortSignal = new AbortController().signal;
/** Retention dropped the record between the two reads: it is not unread any more. */
const gone = (error: unknown): { readonly batches: readonly never[]; readonly next: bigint } => {
  if (isStoplogError(error) && error.code === 'STOPLOG_OFFSET_OUT_OF_RANGE') return { batches: [], next: -1n };
  throw error;
};
