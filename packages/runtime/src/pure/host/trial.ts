/**
 * Finds a record that ends the whole process, over several starts of it: `process.exit` in a handler, an abort, memory that runs out.
 *
 * Nothing is left of such a process that could name the record. So each process notes, when it begins with a partition, where it begins, and
 * removes the note when it ends in order. Who finds a note begins after a process that died there:
 *
 *   it had committed something   a death like any other, as by kill -9: begin as usual
 *   it had committed nothing     begin carefully: after a while, so that the neighbours get ahead, and with one record to a commit
 *   it died carefully            the position is the record that was being tried: try it once more
 *   it died carefully, twice     at one record: the record ends processes, and its partition has failed
 */

/** What a process notes about a partition when it begins with it. */
export interface Trial {
  /** The positions from which it begins, as text. */
  readonly at: string;
  readonly isCareful: boolean;
  /** How many processes died here carefully. */
  readonly deaths: number;
}
export type Beginning =
  | { readonly type: 'normal' }
  | { readonly type: 'careful'; readonly afterMs: number }
  | { readonly type: 'failed'; readonly deaths: number };

/** A record that a process has died at as often as this, alone, is to blame: whatever killed it once from outside does not hit one record twice. */
export const DEATHS_AT_ONE_RECORD = 2;
const FIRST_WAIT_MS = 1_000;

/** `hasRecords`: there are records to read at the partition. A process that died beside a partition without any did not die of it. */
export const begin = (before: Trial | undefined, at: string, hasRecords: boolean): readonly [Trial, Beginning] => {
  const hasMoved = before?.at !== at;
  if (before === undefined || !hasRecords || (hasMoved && !before.isCareful)) return [{ at, isCareful: false, deaths: 0 }, { type: 'normal' }];
  // Without care, any of many records may have been in progress.
  if (!before.isCareful) return careful(at, 0);
  const deaths = hasMoved ? 1 : before.deaths + 1;
  if (deaths >= DEATHS_AT_ONE_RECORD) return [{ at, isCareful: true, deaths }, { type: 'failed', deaths }];
  return careful(at, deaths);
};
const careful = (at: string, deaths: number): readonly [Trial, Beginning] => [
  { at, isCareful: true, deaths },
  { type: 'careful', afterMs: FIRST_WAIT_MS * (deaths + 1) },
];
