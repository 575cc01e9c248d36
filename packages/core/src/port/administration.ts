/**
 * The operations of a tool on a log besides appending and reading: list groups, set their positions, delete.
 *
 * No operation here is for programs that process records, and a group with active members is refused
 * (`STOPLOG_GROUP_ACTIVE`): its members, and whether its positions are still those that a plan saw, are compared where the
 * change is made. A change of a group raises its epoch and revokes all its partitions, so that a member that was thought dead is
 * refused if it was alive.
 */
import type { ResetLine } from '../pure/group/reset.ts';
import type { Adopted, Adoption } from './rebuilding.ts';
import type { Usage } from './usage.ts';
import type { CleaningReport } from '../pure/retention/cleaning-report.ts';
import type { Epoch, GroupId, AssignedPartition, Log, Position, TopicName, TopicPartition } from './log.ts';
import type { Watch } from './watch.ts';

export type { CleaningReport };

export interface GroupDescription {
  readonly group: GroupId;
  readonly epoch: Epoch;
  /** The active members in the order in which they joined; a member whose process is gone is listed only if it is static, within its session. */
  readonly members: readonly GroupMember[];
  /** The committed positions; the group reads a partition that is not listed from its start. */
  readonly positions: readonly Position[];
  /** The stores that the group has folded, as of exactly these positions. */
  readonly stores: readonly { readonly store: string; readonly version: number; readonly fingerprint: string }[];
  /** A runtime has left notes about partitions of the group. */
  readonly hasNotes?: true;
  /** The topics that the group fills by itself: they are deleted with it. */
  readonly owns: readonly TopicName[];
  /** The group is an earlier version of stores, which a rebuild replaced: it is kept until then, ms since 1970. */
  readonly keptUntil?: number;
}
export interface GroupMember {
  /** The id of this join: each later join of the same process, or of the same instance id, has another. */
  readonly instance: string;
  readonly instanceId?: string;
  readonly pid: number;
  readonly sessionMs: number;
  /** By the member's wall clock, ms since 1970: the times of its join and of its last heartbeat. */
  readonly since: number;
  readonly beatAt: number;
  /** The assigned partitions of the member, and the revoked ones on which it is still ending its work. */
  readonly holds: readonly AssignedPartition[];
}

/** The contents of a backup. */
export interface Restored {
  /** The folder, absolute. */
  readonly path: string;
  /** When the backup was taken, as ISO 8601: it has every commit before that moment whole, and no later one. */
  readonly taken: string;
  /** The size of its data file. */
  readonly bytes: number;
  /** Entries of each table, by the table's name. */
  readonly entries: Readonly<Record<string, number>>;
}
export interface Backup extends Restored {
  /** The hash of its data file, as in its manifest. */
  readonly sha256: string;
}
export interface Shrunk {
  readonly path: string;
  /** The size of the data file, up to its last page. */
  readonly bytesBefore: number;
  readonly bytes: number;
}
/** The outcome of the cleaning of a partition, and the forecast of the next one. */
export interface PartitionCleaning extends TopicPartition, CleaningReport {
  /** All batches of the partition. */
  readonly bytes: number;
  /** Bytes of closed segments that compaction has not read yet, and their share; undefined for a topic that is not compacted. */
  readonly dirtyBytes: number | undefined;
  readonly dirtyRatio: number | undefined;
  /** When a cleaning will be due if nothing is appended, ms since 1970; undefined when time alone makes none due. */
  readonly dueAt: number | undefined;
}

export interface Administration {
  /** All groups, by name. */
  groups(log: Log): Promise<readonly GroupDescription[]>;
  /** The last effect of retention and compaction on each partition, by any process, and the time of the next; of all topics, or of these. */
  cleanings(log: Log, topics?: readonly TopicName[]): Promise<readonly PartitionCleaning[]>;
  /** Executes a plan whole; refuses it when the group's positions have changed since (`STOPLOG_FENCED`). Creates a missing group. */
  setPositions(log: Log, group: GroupId, lines: readonly ResetLine[]): Promise<void>;
  /**
   * Deletes the group's positions, its stores and the topics that it owns: run again, the pipeline starts from nothing. Refused while
   * another group has positions in such a topic (`STOPLOG_TOPIC_OWNER`).
   */
  deleteGroup(log: Log, group: GroupId): Promise<void>;
  /**
   * Deletes the topic's records and every group's position in it. A group that has positions in it and stores is deleted whole, and so
   * is the group that owns it: a store is kept only together with the positions that it was folded up to. Later appends to the topic
   * are refused.
   */
  deleteTopic(log: Log, topic: TopicName): Promise<void>;
  /**
   * Puts rebuilt stores, and the topics between the tasks that fill them, in the place of those of the group, in one commit; the members of
   * the group join again. Changes nothing, and tells how far the rebuild is behind, unless both have processed exactly the same records.
   * Refused while another group reads a topic that would be replaced (`STOPLOG_TOPIC_OWNER`).
   */
  adoptRebuild(log: Log, adoption: Adoption): Promise<Adopted>;
  /** The size of the log on the disk, and the part of it that is in use; as of now, at the cost of a few reads. */
  usage(log: Log): Promise<Usage>;
  /**
   * Copies the log, as of one commit, into a folder that does not exist or is empty; other processes continue to read and append. Every
   * checksum is compared on the way: a damaged log is refused (`STOPLOG_LOG_CORRUPT`).
   */
  backup(log: Log, folder: string, watch?: Watch): Promise<Backup>;
  /** Makes a log of a backup, in a folder that has none, and verifies the log before it appears. `options` are those of its `LogRef`. */
  restore(folder: string, options: unknown, watch?: Watch): Promise<Restored>;
  /** Copies the log into a smaller file, which replaces it. Refused while a process has it open (`STOPLOG_LOG_UNAVAILABLE`). */
  shrink(options: unknown, watch?: Watch): Promise<Shrunk>;
}
