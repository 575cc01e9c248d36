/** The limits of a turn and of a commit. */

export interface Limits {
  /** Records of one turn: a few milliseconds, then the other actors of the thread have their turns. */
  readonly turnRecords: number;
  /** How long a turn may hold the thread. */
  readonly turnMs: number;
  readonly fetchBytes: number;
  /** An actor that is behind commits when a batch has this number of records, or has been open for `commitMs`. */
  readonly commitRecords: number;
  readonly commitBytes: number;
  readonly commitMs: number;
  /** Commits only when nothing is left to read: one commit for all records found. */
  readonly commitsAtRest?: boolean;
}

/** `fetchBytes` is large enough that a scan costs little, small enough that eight actors of a thread hold a few megabytes. */
export const LIMITS: Limits = {
  turnRecords: 4_096,
  turnMs: 10,
  fetchBytes: 256 * 1024,
  commitRecords: 50_000,
  commitBytes: 4 * 1024 * 1024,
  commitMs: 100,
};
