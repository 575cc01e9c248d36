/**
 * What a tool finds out about a log as it lies on the disk, and what it can make of one that is damaged.
 *
 * Neither opens the log: both only read, a `check` beside whoever writes, and neither depends on what it reads being sound.
 * `options` are those of the `LogRef`.
 */
import type { Finding } from '../pure/log/finding.ts';

export interface InspectionProgress {
  /** Bytes that were read, of about so many. */
  readonly done: number;
  readonly total: number;
  readonly records: number;
}

export interface CheckOptions {
  readonly progress?: (progress: InspectionProgress) => void;
  /** Ends it early: `isWhole` is false then. */
  readonly signal?: AbortSignal;
}
export interface CheckReport {
  /** At most a thousand; `omitted` are more. */
  readonly findings: readonly Finding[];
  readonly omitted: number;
  /** What others were changing all the time, or was too much to compare: sentences. */
  readonly notes: readonly string[];
  readonly topics: number;
  readonly partitions: number;
  readonly batches: number;
  readonly records: number;
  /** Of all tables but the log. */
  readonly entries: number;
  /** Bytes of batches. */
  readonly bytes: number;
  /** The number of the last commit. */
  readonly commit: number;
  readonly isWhole: boolean;
}

/** Offsets from `offset` up to, and without, `until`. */
export interface Span {
  readonly offset: bigint;
  readonly until: bigint;
}
/** A group that begins again, and the reason. */
export interface Restarted {
  readonly group: string;
  readonly why: string;
}

export interface RepairedPartition {
  readonly topic: string;
  readonly partition: number;
  readonly start: bigint;
  readonly end: bigint;
  /** False: its ends were lost. The end lies so far behind `reached` that no offset can be given twice. */
  readonly endIsKnown: boolean;
  /** Where the end is not known: behind the highest offset that was seen anywhere. What came after it is not counted as lost. */
  readonly reached?: bigint;
  readonly batches: number;
  readonly records: number;
  /** Batches that no tree led to any more, among these. */
  readonly foundAgain: number;
  /** Offsets that nothing is left of. */
  readonly lost: readonly Span[];
}
export interface RepairedStore {
  readonly store: string;
  readonly group: string;
  readonly entries: number;
  /** False: left out, to be folded anew. */
  readonly isKept: boolean;
}
export interface RepairReport {
  readonly partitions: readonly RepairedPartition[];
  readonly lostOffsets: number;
  readonly stores: readonly RepairedStore[];
  readonly positionsKept: number;
  /** Positions that were left out with the stores of their group. */
  readonly positionsDropped: number;
  /** Groups that begin anew. */
  readonly restarted: readonly Restarted[];
  /** Entries that could not be found, by table; undefined: nothing says how many there were. */
  readonly missing: Readonly<Partial<Record<string, number | undefined>>>;
  /** Entries of kinds that this version does not know: copied as they were. */
  readonly copied: number;
  /** Topics whose names were lost, and that are called `recovered.NUMBER` now. */
  readonly renamed: readonly string[];
  /** The commit that was read; false: where the last one begins is damaged, and this is one before it, or may be. */
  readonly commit: number;
  readonly isLatest: boolean;
  /** Names and ends were lost: topics and partitions of which nothing at all is left may have been, and nobody can count them. */
  readonly mayMissPartitions: boolean;
  /** The list of free pages was damaged too: among what was found again may be what retention or compaction had removed. */
  readonly mayHoldDeleted: boolean;
}
export interface RepairOptions {
  readonly progress?: (progress: InspectionProgress) => void;
}

export interface Inspection {
  /** Reads the whole log and tells every invariant that does not hold; throws where there is nothing to read, or nothing of ours. */
  check(options: unknown, how?: CheckOptions): Promise<CheckReport>;
  /** Makes a new log at `to` of everything that can be proved. Nothing may write the old one meanwhile. */
  repair(options: unknown, to: string, how?: RepairOptions): Promise<RepairReport>;
}
