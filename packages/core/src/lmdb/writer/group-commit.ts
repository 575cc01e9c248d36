/**
 * Selects the waiting calls that share one transaction.
 *
 * All waiting calls share it, up to a size: a single commit goes at once, and while the disk flushes the
 * next ones gather, so that load makes transactions larger, not later. There is no timer and no linger: the flush is the linger.
 */
export interface Waiting {
  readonly bytes: number;
}

/** Bytes of one transaction: 8–16 batches of 64 KB already share a flush well, beyond that latency only grows. */
export const SHARE_BYTES: number = 4 * 1024 * 1024;

/** The number of calls at the head of the queue for the next transaction: at least one. */
export const takeShare = (queue: readonly Waiting[], limit: number = SHARE_BYTES): number => {
  let bytes = 0;
  for (let i = 0; i < queue.length; i++) {
    bytes += queue[i]!.bytes;
    if (bytes > limit) return Math.max(1, i);
  }
  return queue.length;
};
