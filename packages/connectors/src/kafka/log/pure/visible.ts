/**
 * Selects the batches that a reader of committed records sees, of all that a broker sent.
 *
 * The broker sends everything below the last stable offset, with a list of aborted transactions: a producer's id and the offset of
 * its first record. A batch of that producer is skipped from there up to the control batch that ends the transaction. Control
 * batches own offsets and hold no record, so where to go on comes from the last batch of any kind.
 */
import type { FetchedPartition, KafkaBatch } from '../../client.ts';

const TRANSACTIONAL = 0x10;
const CONTROL = 0x20;

export interface Visible {
  readonly batches: readonly KafkaBatch[];
  readonly next: bigint;
}

export const visibleOf = ({ records, abortedTransactions }: Pick<FetchedPartition, 'records' | 'abortedTransactions'>, from: bigint): Visible => {
  const aborted = [...(abortedTransactions ?? [])].sort((a, b) => (a.firstOffset < b.firstOffset ? -1 : 1));
  const open = new Set<bigint>();
  const batches: KafkaBatch[] = [];
  let next = from;
  for (const batch of records ?? []) {
    const end = endOf(batch);
    while (aborted.length > 0 && aborted[0]!.firstOffset < end) open.add(aborted.shift()!.producerId);
    if ((batch.attributes & CONTROL) !== 0) open.delete(batch.producerId);
    else if (end > from && batch.records.length > 0 && !((batch.attributes & TRANSACTIONAL) !== 0 && open.has(batch.producerId))) batches.push(batch);
    if (end > next) next = end;
  }
  return { batches, next };
};

/** The offset after the last offset of a batch. */
export const endOf = ({ firstOffset, lastOffsetDelta }: Pick<KafkaBatch, 'firstOffset' | 'lastOffsetDelta'>): bigint =>
  firstOffset + BigInt(lastOffsetDelta) + 1n;
