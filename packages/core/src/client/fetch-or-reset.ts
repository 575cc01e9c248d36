/**
 * A fetch that goes on where a reader's reset policy says when the log has forgotten what it asks for.
 */
import type { Log, Position, RecordBatch } from '../port/log.ts';
import { isBelowStart, resetTo, type Reset } from '../pure/record/auto-offset-reset.ts';

/** As `Log.fetch`; after a reset a batch without records, whose `from` and `next` are where to go on. */
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
