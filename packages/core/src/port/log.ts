/**
 * A Log stores topics of partitioned records, the stores folded from them, and the positions of their readers.
 *
 * Promises that every Log keeps (core/testing/log-contract.ts holds each as a test; numbered-log.ts has two that only some keep):
 *  - order      within a partition, records are read in the order of their offsets
 *  - gaps       offsets grow and may skip; a reader resumes at `next` of a batch, never at `last + 1`
 *  - atomicity  a commit's appends, store writes and positions become visible together or not at all
 *  - prefix     a prefix of the commits survives a crash: never a later one without an earlier one
 *  - fencing    a commit in an epoch in which one of its positions is not held is refused, and leaves nothing behind
 *  - continuity a commit moves a position from its present offset; one that starts at another offset is refused whole
 *  - chain      after a refused commit, every later commit of the same incarnation is refused
 *  - arrival    records of a topic with LogAppendTime have the time of the commit that appended them
 *  - isolation  `fetch` never returns a record of a commit that did not happen
 *  - one owner  no two members of a group hold one partition: the member from which it is revoked has ended its work before the
 *               partition is assigned, in a later epoch, to another
 *  - undisturbed  a partition that a member keeps stays in its epoch while other members join and leave
 *  - durability a commit whose `durable` has resolved survives a power cut
 *  - starts     the start of a partition only grows, and reading below it is refused with its range
 *  - survivors  records that retention and compaction leave keep their offset, order, timestamp, key, value and headers; a reader
 *               from the start ends with the last value of every key
 *  - endings    aborting the signal leaves the group, and `join` then ends without an error
 */
import type { AssignedPartition } from '../pure/group/group-partition.ts';
import type { TopicShape } from '../pure/topic/shape.ts';
import type { RecordCursor } from '../pure/record/record-cursor.ts';
import type { StateStore, StorePart } from './state-store.ts';

export type { AssignedPartition };

export type TopicName = string;
export type GroupId = string;
/** Grows each time partitions of a group are assigned to a member; a partition is held in the epoch in which it was assigned. */
export type Epoch = number;

export interface TopicPartition {
  readonly topic: TopicName;
  readonly partition: number;
}
/** A reader's point in a partition: the offset of the *next* record to read, not of the last one read. */
export interface Position extends TopicPartition {
  readonly offset: bigint;
}
/** Selects an offset: of the first kept record, of the next append, or of the first record at or after a time (ms since 1970). */
export type OffsetAt = 'earliest' | 'latest' | { readonly time: number };

/** The declaration of a member. */
export interface Membership {
  /**
   * All units that this member could take; each is assigned as a whole: the inputs of a task at one partition, and each partition of a
   * source (`sourcePlace`). The partitions of a unit always have one epoch. A unit that no member declares is assigned to no member.
   */
  readonly units: readonly (readonly TopicPartition[])[];
  /**
   * Makes the member static: a process that joins under the same id receives the partitions of the earlier one, at once and in new
   * epochs, and a restart within the session moves no partition. Two processes under one id at the same time are a mistake: the
   * older is refused.
   */
  readonly instanceId?: string | undefined;
  /** The session timeout: a member whose heartbeat stops for longer is removed. 10,000 ms when left out. */
  readonly sessionMs?: number | undefined;
}
/**
 * All partitions of a member from now on. Partitions of the last assignment that are listed in the same epoch continue undisturbed;
 * the work on all others must end, and the request for the next assignment acknowledges that. May be empty: other members still hold
 * everything, there are more members than units, or this one stood still for longer than its session.
 */
export interface Assignment {
  readonly group: GroupId;
  readonly partitions: readonly AssignedPartition[];
  /**
   * Releases revoked partitions that are already drained, without waiting for the others. Optional: the request for the next
   * assignment releases them all.
   */
  release(ended: readonly TopicPartition[]): Promise<void>;
}

/** The result of one `fetch`: whole encoded batches, verified. The first may begin before `from`: skip to it. */
export interface RecordBatch extends TopicPartition {
  readonly from: bigint;
  /** The position at which to resume. Equal to `from` when there was no record. */
  readonly next: bigint;
  readonly batches: readonly RecordCursor[];
}

export interface Append extends TopicPartition {
  /** An encoded batch (`BatchBuilder.finish()`); the log assigns its base offset. */
  readonly batch: Uint8Array;
}
export interface StoreWrites {
  readonly store: string;
  readonly partition: number;
  readonly keys: readonly Uint8Array[];
  /** A value for each key; `null` deletes. */
  readonly values: readonly (Uint8Array | null)[];
}
/**
 * A position moves from its present offset to a new one; a log refuses a move that starts elsewhere, including one whose `from`
 * equals its `to`: such a move states the position that the commit was made from.
 */
export interface PositionMove extends TopicPartition {
  readonly from: bigint;
  readonly to: bigint;
}
export interface Commit {
  /** The group whose positions move; '' for an append from outside, which no epoch fences. */
  readonly group: GroupId;
  /** The epoch in which every position of the commit is held; 0 for a group that no process ever joined. */
  readonly epoch: Epoch;
  /**
   * The incarnation of the actor that commits: a name that no other incarnation has. A commit builds on the one before it, so
   * after a refused commit every later one of its incarnation is refused too, regardless of the group's positions at that time.
   */
  readonly incarnation?: string | undefined;
  readonly appends: readonly Append[];
  readonly stores: readonly StoreWrites[];
  /** At least one when the commit has a group, because its positions fence it. A source names its `sourcePlace`, from 0 at first. */
  readonly positions: readonly PositionMove[];
}
export interface Committed {
  /** The base offset assigned to each append, in their order. Visible to every reader now; survives the death of the process. */
  readonly offsets: readonly bigint[];
  /** Resolves when the commit survives a power cut; acknowledgements to the outside wait for it. */
  readonly durable: Promise<void>;
}

/** The use that a group makes of its declared topics. */
export interface TopicUse {
  /** Empty for appends from outside of any group. */
  readonly group: GroupId;
  /** The topics that this group alone fills, such as the ones between its tasks: they are deleted with it. */
  readonly owns: readonly TopicName[];
  /** The other topics that the group appends to. */
  readonly appends: readonly TopicName[];
}

/** How full the queue is in which commits wait for the log. */
export interface QueueLoad {
  /** Bytes of commits that were sent, and are not answered. */
  readonly bytes: number;
  /** Further commits wait when this would be exceeded. */
  readonly limit: number;
  /** The number of waiting commits. */
  readonly waiting: number;
}

export interface Log extends AsyncDisposable {
  /** The queue of commits, which all logs of a process on the same data share; undefined where the log keeps none. */
  readonly queue?: QueueLoad;
  /**
   * Creates the topics that are missing. Refuses a topic that exists in another shape (`STOPLOG_TOPIC_SHAPE`). With `use`, a log that
   * stores owners records the group as the owner of the topics that it fills by itself, and refuses its appends to topics of another
   * group (`STOPLOG_TOPIC_OWNER`); a log that stores schemas refuses a declaration that does not fit the records of the topics
   * (`STOPLOG_TOPIC_SHAPE`).
   */
  ensure(topics: readonly TopicShape[], use?: TopicUse): Promise<void>;
  /**
   * Joins the group and yields each assignment that differs from the one before; the first as soon as it is a member. A removed
   * member receives an empty assignment and rejoins. Throws `STOPLOG_FENCED` when another process joined under its instance id.
   */
  join(group: GroupId, membership: Membership, signal: AbortSignal): AsyncIterable<Assignment>;
  /** The records at or after a position; no batches when `waitMs` ran out or the signal was aborted. */
  fetch(from: Position, limit: { readonly bytes: number; readonly waitMs: number }, signal: AbortSignal): Promise<RecordBatch>;
  /** The offset at which each partition starts, ends, or first reaches a time; the end, when no record is at or after the time. */
  offsets(partitions: readonly TopicPartition[], at: OffsetAt): Promise<readonly Position[]>;
  /** The group's positions; where it has not committed, 'earliest' (offset of the first kept record), or 0 for a source. */
  committed(group: GroupId, partitions: readonly TopicPartition[]): Promise<readonly Position[]>;
  /** A store's part for one partition, as of the last commit; restored first where necessary. */
  store(part: StorePart, signal: AbortSignal): Promise<StateStore>;
  /** Appends, writes stores and moves positions: all or nothing, fenced by the epoch of each position. */
  commit(commit: Commit): Promise<Committed>;
  /** Deletes the records before each position; a start beyond it stays. Returns the present start of each partition. */
  deleteRecords(before: readonly Position[]): Promise<readonly Position[]>;
}
