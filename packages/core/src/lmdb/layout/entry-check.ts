/**
 * Checks every entry of a log, in the order of its tables, and refuses the first one that is not as it was written.
 *
 * Batches and values carry checksums. LMDB's own pages have none: damage there hides entries, which shows when the remaining
 * batches are not adjacent, or do not reach the end of their partition.
 */
import { isStoplogError, StoplogError } from '../../pure/errors.ts';
import { openBatch } from '../../pure/record/batch.ts';
import { decodeEnds, offsetOfBatchKey, unseal, type Table } from './keyspace.ts';

export class EntryCheck {
  /** The offsets that the batches of each partition cover, by the first eight bytes of their keys. */
  readonly #covered = new Map<string, { readonly from: bigint; next: bigint }>();

  /** The tables come in the order of `TABLES`, each in the order of its keys. */
  see(table: Table, key: Buffer, value: Buffer): void {
    if (table === 'log') return this.#seeBatch(key, value);
    const opened = unseal(table, key, value);
    if (table === 'ends' && opened.length > 0) this.#seeEnds(key, opened);
  }

  #seeBatch(key: Buffer, value: Buffer): void {
    const base = offsetOfBatchKey(key);
    const [topicId, partition] = [key.readUInt32BE(0), key.readUInt32BE(4)];
    const damaged = (reason: string): StoplogError =>
      new StoplogError(
        'STOPLOG_LOG_CORRUPT',
        { topicId, partition, offset: base, reason },
        `the batch at offset ${base} of partition ${partition} of topic number ${topicId} is damaged (${reason}): nothing was made. Restore an earlier backup, or repair the folder`,
      );
    let next: bigint;
    try {
      const view = openBatch(value);
      if (view.baseOffset !== base || view.topicId !== topicId || view.partition !== partition) throw damaged('misplaced');
      next = view.nextOffset;
    } catch (error) {
      throw isStoplogError(error) && error.facts['topicId'] === undefined ? damaged(String(error.facts['reason'] ?? error.message)) : error;
    }
    const name = key.toString('hex', 0, 8);
    const covered = this.#covered.get(name);
    if (covered === undefined) this.#covered.set(name, { from: base, next });
    else if (covered.next === base) covered.next = next;
    else throw damaged(`the one before it ends at ${covered.next}`);
  }
  #seeEnds(key: Buffer, value: Uint8Array): void {
    const { start, end } = decodeEnds(value);
    const covered = this.#covered.get(key.toString('hex', 0, 8));
    if (start === end || (covered !== undefined && covered.from <= start && covered.next === end)) return;
    const [topicId, partition] = [key.readUInt32BE(0), key.readUInt32BE(4)];
    throw new StoplogError(
      'STOPLOG_LOG_CORRUPT',
      { topicId, partition, start, end, reason: 'missing' },
      `partition ${partition} of topic number ${topicId} holds the offsets ${start} to ${end}, and its batches do not: nothing was made. Restore an earlier backup, or repair the folder`,
    );
  }
}
