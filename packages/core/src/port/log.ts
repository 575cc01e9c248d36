/**
 * A Log keeps topics of partitioned records, the stores folded from them, and the positions of those who read them.
 *
 * Promises every Log keeps (core/testing/log-contract.ts holds each as a test; numbered-log.ts has two that only some keep):
 *  - order      within a partition, records are read in the order of their offsets
 *  - gaps       offsets grow and may skip; `next` of a batch, never `last + 1`, is where to go on
 *  - atomicity  a commit's appends, store writes and positions become visible together or not at all
 *  - prefix     what survives a crash is a prefix of the commits: never a later one without an earlier one
 *  - fencing    a commit in an epoch in which one of its positions is not held is refused, and leaves nothing behind
 *  - continuity a commit moves a position from where it stands; one that starts elsewhere is refused whole
 *  - chain      after a commit that was refused, no later one of the same life is taken
 *  - arrival    records of a topic that has arrival times have the time of the commit that took them in
 *  - isolation  `fetch` never returns a record of a commit that did not happen
 *  - one owner  no two members of a group hold one partition: who is asked for it has ended its work before it is given, in a
 *               later epoch, to another
 *  - undisturbed  what a member has and keeps stays in its epoch, whoever comes and goes
 *  - durability what `durable` has resolved for outlives a power cut
 *  - starts     where a partition starts only grows, and reading below it is refused with its range
 *  - survivors  what retention and compaction leave keeps its offset, order, timestamp, key, value and headers; a reader from
 *               the start ends with the last value of every key
 *  - endings    aborting the signal leaves the group, and `join` then ends without an error
 */
import type { Holding } from '../pure/group/place.ts';
import type { TopicShape } from '../pure/topic/shape.ts';
import type { RecordCursor } from '../pure/record/record-cursor.ts';
import type { StateStore, StorePart } from './state-store.ts';

export type { Holding };

export type TopicName = string;
export type GroupId = string;
/** Grows each time partitions of a group are given to a member; a partition is held in the epoch in which it was given. */
export type Epoch = number;

export interface TopicPartition {
  readonly topic: TopicName;
  readonly partition: number;
}
/** A place in a partition: the offset of the *next* record to read, not of the last one read. */
export interface Position extends TopicPartition {
  readonly offset: bigint;
}
/** Where to look for an offset: the first that is kept, the one the next append gets, or the first record at or after a time (ms since 1970). */
export type OffsetAt = 'earliest' | 'latest' | { readonly time: number };

/** What takes part in a group says of itself. */
export interface Membership {
  /**
   * What is assigned as one, all that this member could take: the inputs of a task at one partition, and each partition of a
   * source (`sourcePlace`). Its places always have one epoch. A unit that no member declares is given to nobody.
   */
  readonly units: readonly (readonly TopicPartition[])[];
  /**
   * Makes the member static: who joins under the same id gets what that one had, at once and in new epochs, and a restart
   * within the session moves nothing. Two that run under one id at the same time are a mistake: the older is refused.
   */
  readonly instanceId?: string | undefined;
  /** How long its beat may stand still until others take what it has; 10,000 ms unless said otherwise. */
  readonly sessionMs?: number | undefined;
}
/**
 * All that a member has from now on. What was in the last assignment too, in the same epoch, goes on undisturbed; what is not
 * in this one is to be ended, and asking for the next assignment says that it has. May be empty: others have everything
 * still, or there is more of them than to do, or this one stood still for longer than its session.
 */
export interface Assignment {
  readonly group: GroupId;
  readonly partitions: readonly Holding[];
  /**
   * Says that these, which this assignment takes away, have ended while others have not: they are given on without waiting for
   * those. Nobody has to say so of each; asking for the next assignment says it of all.
   */
  release(ended: readonly TopicPartition[]): Promise<void>;
}

/** What one `fetch` found: whole encoded batches, verified. The first may begin before `from`: skip to it. */
export interface RecordBatch extends TopicPartition {
  readonly from: bigint;
  /** Where to go on. Equal to `from` when nothing was there. */
  readonly next: bigint;
  readonly batches: readonly RecordCursor[];
}

export interface Append extends TopicPartition {
  /** One encoded batch (`BatchBuilder.finish()`); the log gives it its base offset. */
  readonly batch: Uint8Array;
}
export interface StoreWrites {
  readonly store: string;
  readonly partition: number;
  readonly keys: readonly Uint8Array[];
  /** One for each key; `null` deletes. */
  readonly values: readonly (Uint8Array | null)[];
}
/**
 * A position moves from where it stands to where it goes; a log refuses a move that does not start where it stands, also one
 * that goes nowhere: it says that the commit was made from there.
 */
export interface PositionMove extends TopicPartition {
  readonly from: bigint;
  readonly to: bigint;
}
export interface Commit {
  /** The group whose positions move; '' for an append from outside, which no epoch fences. */
  readonly group: GroupId;
  /** In which every position that it names is held; 0 for a group that nobody ever joined. */
  readonly epoch: Epoch;
  /**
   * Whose commit it is: a name that no other life of an actor has. A commit is made from the one before it, so of one life
   * none is taken after one that was refused, wherever the group stands by then.
   */
  readonly life?: string | undefined;
  readonly appends: readonly Append[];
  readonly stores: readonly StoreWrites[];
  /** Of a group, at least one: they are what it is fenced by. A source names its `sourcePlace`, from 0 at first. */
  readonly positions: readonly PositionMove[];
}
export interface Committed {
  /** The base offset given to each append, in their order. Visible to every reader now; survives the death of the process. */
  readonly offsets: readonly bigint[];
  /** Survives a power cut; what acknowledges to the outside waits for it. */
  readonly durable: Promise<void>;
}

/** What a group does with the topics that it declares. */
export interface TopicUse {
  /** Empty: whoever appends from outside of any group. */
  readonly group: GroupId;
  /** Filled by this group alone, as the topics between its tasks are: they are deleted with it. */
  readonly owns: readonly TopicName[];
  /** Appended to, besides. */
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
   * Creates what is missing. Refuses a topic that exists in another shape (`STOPLOG_TOPIC_SHAPE`). With `use`, a log that keeps owners records
   * the group as the owner of the topics that it fills by itself, and refuses to let it append to those of another (`STOPLOG_TOPIC_OWNER`); and
   * one that keeps schemas refuses a declaration which does not fit what the topics hold (`STOPLOG_TOPIC_SHAPE`).
   */
  ensure(topics: readonly TopicShape[], use?: TopicUse): Promise<void>;
  /**
   * Joins the group and yields each assignment that differs from the one before; the first as soon as it is a member. Expelled, it
   * is told so by an assignment without anything, and joins anew. `STOPLOG_FENCED` when another came under its instance id.
   */
  join(group: GroupId, membership: Membership, signal: AbortSignal): AsyncIterable<Assignment>;
  /** The records at or after a position; no batches when `waitMs` ran out or the signal was aborted. */
  fetch(from: Position, limit: { readonly bytes: number; readonly waitMs: number }, signal: AbortSignal): Promise<RecordBatch>;
  /** Where each partition starts, ends, or first reaches a time; for a time none of whose records come after it, the end. */
  offsets(partitions: readonly TopicPartition[], at: OffsetAt): Promise<readonly Position[]>;
  /** Where the group stands; 'earliest' (offset of the first kept record) for what it never committed, 0 for a source that it never committed. */
  committed(group: GroupId, partitions: readonly TopicPartition[]): Promise<readonly Position[]>;
  /** A store's part for one partition, as of the last commit; restored first where it must be. */
  store(part: StorePart, signal: AbortSignal): Promise<StateStore>;
  /** Appends, writes stores and moves positions: all or nothing, fenced by the epoch of each position. */
  commit(commit: Commit): Promise<Committed>;
  /** Forgets the records before each position; a start that lies further stays. Where each partition starts now. */
  deleteRecords(before: readonly Position[]): Promise<readonly Position[]>;
}
