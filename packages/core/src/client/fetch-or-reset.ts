/**
 * Fetches, and applies the reader's auto offset reset when retention has dropped the requested offset.
 */
import type { Log, Position, RecordBatch } from '../port/log.ts';
import { isBelowStart, resetTo, type Reset } from '../pure/record/auto-offset-reset.ts';

/** As `Log.fetch`; after a reset it returns a batch without records, whose `from` and `next` are the new position. */
export const fetchOrReset = async (
  log: Log,
  from: Position,
  limit: Parameters<Log['fetch']>[1],
  signal: AbortSignal,
  reset: Reset,
  now: () => number,
): Promise<RecordBatch> => {
  try {
    return await log.fetch(from, limit, signal);
  } catch (error) {
    if (reset === 'fail' || !isBelowStart(error)) throw error;
    const { topic, partition } = from;
    const [to] = await log.offsets([{ topic, partition }], resetTo(reset, now()));
    return { topic, partition, from: to!.offset, next: to!.offset, batches: [] };
  }
};
