/** Reads the batches of a partition from a position up to an end that is known beforehand. */
import type { Log, Position, RecordBatch } from '@stoplog/core/port';
import { fetchOrReset } from '@stoplog/core/kit';

const READ_BYTES = 1 << 20;

/**
 * The batches before `end`; the first and the last may hold records outside. Records that retention drops meanwhile are passed over.
 * Ends early when the signal is aborted.
 */
export async function* batchesBefore(log: Log, from: Position, end: bigint, signal: AbortSignal): AsyncGenerator<RecordBatch, void> {
  for (let at = from; at.offset < end && !signal.aborted;) {
    const batch = await fetchOrReset(log, at, { bytes: READ_BYTES, waitMs: 0 }, signal, 'earliest', Date.now);
    if (batch.next <= at.offset) return;
    yield batch;
    at = { ...at, offset: batch.next };
  }
}
