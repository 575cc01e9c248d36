/**
 * F18: the records of the cleaning stage, as a function of the offset alone. A reader of a record knows its expected value,
 * and the fold of any prefix of the log can be computed without the log.
 */
import { isStoplogError } from '@stoplog/core';
import type { Log, TopicShape } from '@stoplog/core/port';

export interface Written {
  readonly key: string;
  /** null is a tombstone. */
  readonly value: string | null;
}
export const writtenAt = (offset: number): Written => ({ key: `k${(offset * 7_919) % 40}`, value: offset % 11 === 0 ? null : `${offset}` });

const shape = { partitions: 1, retentionMs: undefined, keyCodec: 'string', valueCodec: 'string', keySchema: {}, valueSchema: {} } as const;
/** Compacted in small segments, as soon as any record is dirty. */
export const table: TopicShape = { ...shape, name: 'table', cleanup: 'compact', forgetting: { deleteRetentionMs: 0, segmentBytes: 4_000, minDirtyRatio: 0 } };
/** Keeps its last bytes only. */
export const recent: TopicShape = { ...shape, name: 'recent', cleanup: 'delete', forgetting: { retentionBytes: 20_000, segmentBytes: 4_000 } };

const never = new AbortController().signal;
/** The faults in the records from an offset on, as far as one fetch goes; `next` is where reading resumes. */
export const readOn = async (
  log: Log,
  topic: string,
  from: bigint,
): Promise<{ readonly next: bigint; readonly seen: readonly number[]; readonly wrong: readonly string[] }> => {
  let found: Awaited<ReturnType<Log['fetch']>>;
  try {
    found = await log.fetch({ topic, partition: 0, offset: from }, { bytes: 4_096, waitMs: 0 }, never);
  } catch (error) {
    // Retention has overtaken the reader, and reported it: reading resumes at the partition's start.
    if (!isStoplogError(error) || error.code !== 'STOPLOG_OFFSET_OUT_OF_RANGE') throw error;
    const [start] = await log.offsets([{ topic, partition: 0 }], 'earliest');
    return { next: start!.offset, seen: [], wrong: [] };
  }
  const seen: number[] = [];
  const wrong: string[] = [];
  for (const view of found.batches) {
    while (view.next()) {
      if (view.offset < from) continue;
      const offset = Number(view.offset);
      const [key, bytes] = [view.key(), view.value()];
      const expected = writtenAt(offset);
      const [readKey, readValue] = [key === null ? null : Buffer.from(key).toString(), bytes === null ? null : Buffer.from(bytes).toString()];
      if (readKey !== expected.key || readValue !== expected.value)
        wrong.push(`${topic} offset ${offset} is ${readKey}=${readValue}, not ${expected.key}=${expected.value}`);
      if (offset <= (seen.at(-1) ?? -1)) wrong.push(`${topic} offset ${offset} after ${seen.at(-1)}`);
      seen.push(offset);
    }
  }
  return { next: found.next, seen, wrong };
};
