/**
 * Finds a record that ends the whole process, over several starts of it: `process.exit` in a handler, an abort, memory that runs out.
 *
 * Nothing is left of such a process that could name the record. So each process notes, when it begins with a partition, where it begins, and
 * removes the note when it ends in order. Who finds a note begins after a process that died there:
 *
 *   it had committed something   a death like any other, as by kill -9: begin as usual
 *   it had committed nothing     the partition is a suspect: it is tried with one record to a commit, while no other suspect is
 *   it died while it was tried   its position is the record that was being tried: try it once more, after the other suspects
 *   it died so twice             at one record: the record ends processes, and its partition has failed
 */

/** What a process notes about a partition when it begins with it. */
export interface Trial {
  /** The positions from which it begins, as text. */
  readonly at: string;
  /** 'waiting' for the suspects before it; 'tried' from before its first record until it is past the suspicious ones. */
  readonly state: 'running' | 'waiting' | 'tried';
  /** How many processes died while it was tried at these positions. */
  readonly deaths: number;
}
/** A note in the log: who has the partition, besides. */
export interface Note extends Trial {
  /** The program of the process: the fingerprint of its pipeline and its version. */
  readonly program: string;
}
export type Beginning =
  | { readonly type: 'normal' }
  /** Suspects are tried one after the other, those with fewer deaths first. */
  | { readonly type: 'suspect'; readonly deaths: number }
  | { readonly type: 'failed'; readonly deaths: number };

/** A record at which this many processes died, while nothing else was suspect, is to blame: a kill from outside does not hit one record twice. */
export const DEATHS_AT_ONE_RECORD = 2;

/** `hasRecords`: there are records to read at the partition. A process that died beside a partition without any did not die of it. */
export const begin = (before: Trial | undefined, at: string, hasRecords: boolean): readonly [Trial, Beginning] => {
  const hasMoved = before?.at !== at;
  if (before === undefined || !hasRecords || (hasMoved && before.state !== 'tried')) return [{ at, state: 'running', deaths: 0 }, { type: 'normal' }];
  // While it ran as usual, any of many records may have been in progress, and while it waited, none.
  const deaths = before.state !== 'tried' ? before.deaths : hasMoved ? 1 : before.deaths + 1;
  return [{ at, state: 'waiting', deaths }, deaths >= DEATHS_AT_ONE_RECORD ? { type: 'failed', deaths } : { type: 'suspect', deaths }];
};
