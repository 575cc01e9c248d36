/**
 * The inspection of a log on the disk by a tool, and the repair of a damaged one.
 *
 * Neither opens the log: both only read, a `check` beside running writers, and neither relies on the stored bytes being sound.
 * `options` are those of the `LogRef`.
 */
import type { Finding } from '../pure/log/finding.ts';

export interface InspectionProgress {
  /** Bytes that were read, and approximately all. */
  readonly done: number;
  readonly total: number;
  readonly records: number;
}

export interface CheckOptions {
  readonly progress?: (progress: InspectionProgress) => void;
  /** Ends the check early: `isWhole` is then false. */
  readonly signal?: AbortSignal;
}
export interface CheckReport {
  /** At most a thousand; `omitted` are more. */
  readonly findings: readonly Finding[];
  readonly omitted: number;
  /** Sentences about parts that were not compared, because writers changed them all the time, or they were too large. */
  readonly notes: readonly string[];
  readonly topics: number;
  readonly partitions: number;
  readonly batches: number;
  readonly records: number;
  /** Entries of all tables but the log. */
  readonly entries: number;
  /** Bytes of batches. */
  readonly bytes: number;
  /** The number of the last commit. */
  readonly commit: number;
  readonly isWhole: boolean;
}

/** Offsets from `offset` up to, not including, `until`. */
export interface Span {
  readonly offset: bigint;
  readonly until: bigint;
}
/** A group that starts from nothing again, and the reason. */
export interface Restarted {
  readonly group: string;
  readonly why: string;
  /** Its own topics, which it sends records through: they are left out, because it will send them again (decision 0040). */
  readonly topics: readonly string[];
}

export interface RepairedPartition {
  readonly topic: string;
  readonly partition: number;
  readonly start: bigint;
  readonly end: bigint;
  /** False when the partition's end was lost: its new end is so far behind `reached` that no offset can be assigned twice. */
  readonly endIsKnown: boolean;
  /** The end; where it is not known, the offset behind the highest one that was seen anywhere. Later records are not counted as lost. */
  readonly reached?: bigint;
  readonly batches: number;
  readonly records: number;
  /** Batches among these that no tree led to. */
  readonly foundAgain: number;
  /** Offsets whose records are lost entirely. */
  readonly lost: readonly Span[];
}
export interface RepairedStore {
  readonly store: string;
  readonly group: string;
  readonly entries: number;
  /** False when the store was left out, to be folded again. */
  readonly isKept: boolean;
}
export interface RepairReport {
  readonly partitions: readonly RepairedPartition[];
  readonly lostOffsets: number;
  readonly stores: readonly RepairedStore[];
  readonly positionsKept: number;
  /** Positions that were left out with the stores of their group. */
  readonly positionsDropped: number;
  /** Groups that start from nothing again. */
  readonly restarted: readonly Restarted[];
  /** Entries that could not be found, by table; undefined when no stored number gives their count. */
  readonly missing: Readonly<Partial<Record<string, number | undefined>>>;
  /** Entries of kinds that this version does not know: copied unchanged. */
  readonly copied: number;
  /** Topics whose names were lost, and that are now named `recovered.NUMBER`. */
  readonly renamed: readonly string[];
  /** The commit that was read; `isLatest` is false where the root of the last one is damaged, so that this one is, or may be, earlier. */
  readonly commit: number;
  readonly isLatest: boolean;
  /** True when names and ends were lost: topics and partitions without any surviving record may have existed, in unknown number. */
  readonly mayMissPartitions: boolean;
  /** True when the list of free pages was damaged too: records that retention or compaction had removed may be among the recovered ones. */
  readonly mayHoldDeleted: boolean;
}
export interface RepairOptions {
  readonly progress?: (progress: InspectionProgress) => void;
}

export interface Inspection {
  /** Reads the whole log and reports every invariant that does not hold; throws when there is no log of ours to read. */
  check(options: unknown, how?: CheckOptions): Promise<CheckReport>;
  /** Makes a new log at `to` from everything that can be proved. The old one must not be written meanwhile. */
  repair(options: unknown, to: string, how?: RepairOptions): Promise<RepairReport>;
}
