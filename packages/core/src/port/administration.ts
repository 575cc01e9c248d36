/**
 * What a tool may do to a log beside appending and reading: look at groups, put them elsewhere, delete.
 *
 * Nothing here is for programs that process records, and nothing of it is done to a group that somebody is in
 * (`STOPLOG_GROUP_ACTIVE`): whether one is, and whether the group still stands where a plan saw it, is compared where the
 * change is made. What changes a group raises its epoch and takes everything from everybody, so that a member thought dead is
 * refused if it was not.
 */
import type { ResetLine } from '../pure/group/reset.ts';
import type { Usage } from './usage.ts';
import type { CleaningReport } from '../pure/retention/cleaning-report.ts';
import type { Epoch, GroupId, Holding, Log, Position, TopicName, TopicPartition } from './log.ts';
import type { Watch } from './watch.ts';

export type { CleaningReport };

export interface GroupStanding {
  readonly group: GroupId;
  readonly epoch: Epoch;
  /** Who is in it, as they came: not whose process is no more, unless it is static and its session runs. */
  readonly members: readonly GroupMember[];
  /** Where it has committed; a partition that is not here it reads from the start. */
  readonly positions: readonly Position[];
  /** What the group has folded: as of these positions, and of no others. */
  readonly stores: readonly { readonly store: string; readonly version: number }[];
  /** The topics that it fills by itself: they are deleted with it. */
  readonly owns: readonly TopicName[];
}
export interface GroupMember {
  /** Of this join: another one of the same process, or of the same instance id, has another. */
  readonly instance: string;
  readonly instanceId?: string;
  readonly pid: number;
  readonly sessionMs: number;
  /** By the member's wall clock, ms since 1970: when it came, and when it last gave a beat. */
  readonly since: number;
  readonly beatAt: number;
  /** What it has; also what it was asked to hand over and is still ending. */
  readonly holds: readonly Holding[];
}

/** What a backup holds. */
export interface Restored {
  /** The folder, absolute. */
  readonly path: string;
  /** When the backup was taken, as ISO 8601: all that was committed before is in it, whole commits, and none that came later. */
  readonly taken: string;
  /** Of its data file. */
  readonly bytes: number;
  /** Entries of each table, by the table's name. */
  readonly entries: Readonly<Record<string, number>>;
}
export interface Backup extends Restored {
  /** Of its data file, as its manifest says. */
  readonly sha256: string;
}
export interface Shrunk {
  readonly path: string;
  /** Of the data file, up to its last page. */
  readonly bytesBefore: number;
  readonly bytes: number;
}
/** What became of the cleaning of a partition, and what is to come. */
export interface CleaningStanding extends TopicPartition, CleaningReport {
  /** All batches of the partition. */
  readonly bytes: number;
  /** Bytes of closed segments that compaction has not been through, and their share; undefined where nothing is compacted. */
  readonly dirtyBytes: number | undefined;
  readonly dirtyRatio: number | undefined;
  /** When there will be something to do if nothing is appended, ms since 1970; undefined: not by time alone. */
  readonly dueAt: number | undefined;
}

export interface Administration {
  /** Every group there is, by name. */
  groups(log: Log): Promise<readonly GroupStanding[]>;
  /** What retention and compaction last did to each partition, whichever process did it, and when they will again; of all topics, or of these. */
  cleanings(log: Log, topics?: readonly TopicName[]): Promise<readonly CleaningStanding[]>;
  /** Carries out a plan whole, or refuses it: the group stands elsewhere by now (`STOPLOG_FENCED`). Makes a group that is missing. */
  setPositions(log: Log, group: GroupId, lines: readonly ResetLine[]): Promise<void>;
  /**
   * Deletes its positions, its stores and the topics that it owns: run again, the pipeline starts from nothing. Refused while another
   * group has positions in such a topic (`STOPLOG_TOPIC_OWNER`).
   */
  deleteGroup(log: Log, group: GroupId): Promise<void>;
  /**
   * Deletes its records and every group's position in it. A group that has positions in it and stores is deleted whole, and so is the
   * group that owns it: a store is kept only together with the positions that it was folded up to. Whoever still writes to the topic is refused.
   */
  deleteTopic(log: Log, topic: TopicName): Promise<void>;
  /** How large the log is on the disk, and how much of that is in use; as of now, at the cost of a few reads. */
  usage(log: Log): Promise<Usage>;
  /**
   * Copies the log, as of one commit, into a folder that does not exist or is empty; others go on reading and appending. Every
   * checksum is compared on the way: a log that is damaged is refused (`STOPLOG_LOG_CORRUPT`).
   */
  backup(log: Log, folder: string, watch?: Watch): Promise<Backup>;
  /** Makes a log of a backup, in a place where there is none, and verifies it before it is there. `options` are those of its `LogRef`. */
  restore(folder: string, options: unknown, watch?: Watch): Promise<Restored>;
  /** Copies the log into a smaller file, which takes its place. Refused while anybody has it open (`STOPLOG_LOG_UNAVAILABLE`). */
  shrink(options: unknown, watch?: Watch): Promise<Shrunk>;
}
