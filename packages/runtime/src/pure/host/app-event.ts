/**
 * The events of an app, as data: programs subscribe to them (`app.events`), and the console, loggers and the command make their texts of
 * them (event-text.ts).
 */
import type { Jump } from '../actor/place.ts';
import type { NeededStore } from '../replay/needed.ts';
import type { RebuildProgress } from '../replay/progress.ts';

/** Names an actor: a task of the plan at a partition. */
export interface ActorName {
  readonly task: number;
  readonly partition: number;
}

export type AppEvent =
  /** The log is open, and the topics are there. */
  | { readonly type: 'opened'; readonly topicsCreated: number }
  /** An actor has loaded its pipeline and reads. */
  | { readonly type: 'running'; readonly actor: ActorName }
  /** The partitions of this process have changed: how many actors it began, handed over to other processes, has now, and of how many. */
  | { readonly type: 'rebalanced'; readonly taken: number; readonly handedOver: number; readonly held: number; readonly of: number }
  /** Processes of this group run another program: `others` are the fingerprints and versions, `own` is that of this process. */
  | { readonly type: 'other-version'; readonly own: string; readonly others: readonly string[] }
  /** Stores are rebuilt beside those that serve: so many records are left to replay. `continues`: an earlier run, or version, has begun it. */
  | { readonly type: 'rebuilding'; readonly stores: readonly NeededStore[]; readonly records: number; readonly continues: boolean }
  /** A rebuild goes on, every few seconds. */
  | ({ readonly type: 'rebuild-progress' } & RebuildProgress)
  /** Rebuilt stores serve from now on. */
  | { readonly type: 'rebuilt'; readonly stores: readonly NeededStore[]; readonly ms: number }
  /** A rebuild has stopped. What served until now serves on, and is not updated by this program. */
  | { readonly type: 'rebuild-failed'; readonly stores: readonly NeededStore[]; readonly error: Error }
  /** Other processes have all partitions. */
  | { readonly type: 'waiting' }
  /** An actor failed, for the `failures`-th time in a row, and is started again from its last commit. */
  | { readonly type: 'restarting'; readonly actor: ActorName; readonly error: Error; readonly failures: number; readonly afterMs: number }
  /** Processes died in a row at this partition, without any progress of it: it takes its next `records` records a few at a time. */
  | { readonly type: 'suspect'; readonly actor: ActorName; readonly records: number }
  /** A partition has failed for good: its actor is not started again. `skip` is the command that leaves out the record, where one is known. */
  | { readonly type: 'failed'; readonly actor: ActorName; readonly error: Error; readonly failures: number; readonly skip: string | undefined }
  /** Retention had deleted the next record of an actor, which resumes elsewhere. */
  | { readonly type: 'reset'; readonly actor: ActorName; readonly jump: Jump }
  /** A verb left out records without a key: `records` since the last such event, `all` since the start. */
  | { readonly type: 'dropped'; readonly actor: ActorName; readonly verb: string; readonly topic: string; readonly records: number; readonly all: number }
  /** Retention or compaction has cleaned a topic, or failed at it. */
  | { readonly type: 'cleaned'; readonly line: string }
  /** The app was asked to end: records in progress are committed first. `stays`: the time in ms for which the partitions of a static member wait. */
  | { readonly type: 'draining'; readonly stays?: { readonly instanceId: string; readonly ms: number } | undefined }
  /** The app cannot go on. */
  | { readonly type: 'fatal'; readonly error: Error }
  | { readonly type: 'ended' };
