/**
 * Every message between a log and the writer of its process: one discriminated union each way.
 *
 * A request is answered once, under its id. Commits are transferred, not copied.
 */
import type { TopicUse } from '../../port/log.ts';
import type { Adopted, Adoption } from '../../port/rebuilding.ts';
import type { ErrorData } from '../../pure/errors.ts';
import type { AssignedPartition, Unit } from '../../pure/group/group-partition.ts';
import type { ResetLine } from '../../pure/group/reset.ts';
import type { Cleaned, CleanOptions } from '../../pure/retention/cleaned.ts';
import type { CleaningReport } from '../../pure/retention/cleaning-report.ts';
import type { TopicShape } from '../../pure/topic/shape.ts';
import type { ProducerIncarnation } from '../../pure/producer/producer.ts';
import type { StorePart } from '../../pure/store/store-part.ts';

export type WriterCall =
  /** Answered when the writer's queue has room for a commit of so many bytes. */
  | { readonly type: 'room'; readonly bytes: number }
  | { readonly type: 'commit'; readonly bytes: ArrayBuffer; readonly incarnation: string | undefined }
  | { readonly type: 'ensure'; readonly topics: readonly TopicShape[]; readonly use: TopicUse | undefined }
  | { readonly type: 'open-store'; readonly part: StorePart }
  /** The numbers of a group and of sources, which are assigned when they are first named: the group's for a join, or for a commit. */
  | { readonly type: 'open-group'; readonly group: string; readonly sources: readonly string[]; readonly joins: boolean }
  /** Begins a new incarnation of a producer, or continues the one that is held. */
  | { readonly type: 'open-producer'; readonly name: string; readonly held: ProducerIncarnation | undefined }
  /** Places are given by their numbers (log/group-record.ts). Until the member leaves, the writer sends its heartbeats. */
  | {
      readonly type: 'join';
      readonly groupId: number;
      readonly instance: string;
      readonly instanceId: string | undefined;
      readonly sessionMs: number;
      readonly units: readonly Unit[];
    }
  /** The member has ended its work on the revoked places: all but the ones it keeps. */
  | { readonly type: 'release'; readonly groupId: number; readonly instance: string; readonly keeps: readonly AssignedPartition[] }
  | { readonly type: 'leave'; readonly groupId: number; readonly instance: string }
  /** Moves a group without members to the positions of a plan, if it is still where the plan found it. */
  | { readonly type: 'set-positions'; readonly group: string; readonly lines: readonly ResetLine[] }
  | { readonly type: 'delete-group'; readonly group: string }
  | { readonly type: 'delete-topic'; readonly topic: string }
  | { readonly type: 'adopt-rebuild'; readonly adoption: Adoption }
  /** Frees some of the rest of deleted topics and stores. */
  | { readonly type: 'sweep' }
  /** Moves the starts of partitions up, one for each. */
  | {
      readonly type: 'delete-records';
      readonly before: readonly { readonly topicId: number; readonly topic: string; readonly partition: number; readonly offset: bigint }[];
    }
  /** Answered when every partition of the topics has been cleaned. */
  | { readonly type: 'clean'; readonly options: CleanOptions }
  /** The outcomes of cleanings that could not be stored yet. */
  | { readonly type: 'reports' }
  /** Answered when the partition holds a record at or after the offset. */
  | { readonly type: 'wait'; readonly topicId: number; readonly partition: number; readonly offset: bigint }
  /** Answered when the group has changed since this version. */
  | { readonly type: 'wait-group'; readonly groupId: number; readonly version: number };

export type WriterRequest =
  | (WriterCall & { readonly id: number })
  /** Cancels a wait: a later answer is ignored. */
  | { readonly type: 'forget'; readonly id: number }
  /** Gives back room for a commit that could not be encoded. */
  | { readonly type: 'spare'; readonly bytes: number };

/** `commit` is the number of LMDB's commit that holds what was asked for. */
export type WriterAnswer = { readonly id: number; readonly commit?: number } & (
  | { readonly type: 'committed'; readonly offsets: readonly bigint[] }
  | { readonly type: 'opened'; readonly storeId: number }
  | { readonly type: 'group'; readonly groupId: number; readonly sourceIds: readonly number[] }
  | { readonly type: 'producer'; readonly producer: ProducerIncarnation }
  | { readonly type: 'adopted'; readonly outcome: Adopted }
  | { readonly type: 'swept'; readonly left: boolean }
  | { readonly type: 'starts'; readonly starts: readonly bigint[] }
  | { readonly type: 'cleaned'; readonly cleaned: readonly Cleaned[] }
  | { readonly type: 'reports'; readonly unsaved: readonly { readonly topicId: number; readonly partition: number; readonly report: CleaningReport }[] }
  | { readonly type: 'done' }
  | { readonly type: 'failed'; readonly error: ErrorData }
);
