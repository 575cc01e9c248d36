/**
 * Every message between a log and the writer of its process: one discriminated union each way.
 *
 * A request is answered once, under its id. Commits are transferred, not copied.
 */
import type { ErrorData } from '../errors.ts';
import type { Ownership } from '../group/ownership.ts';
import type { ResetLine } from '../group/reset.ts';
import type { Cleaned, CleanOptions } from './cleaned.ts';
import type { CleaningReport } from './cleaning-report.ts';
import type { TopicShape } from '../topic/shape.ts';
import type { ProducerLife } from './producer.ts';
import type { StorePart } from '../store/store-part.ts';

export type WriterCall =
  | { readonly type: 'commit'; readonly bytes: ArrayBuffer; readonly life: string | undefined }
  | { readonly type: 'ensure'; readonly topics: readonly TopicShape[] }
  | { readonly type: 'open-store'; readonly part: StorePart }
  | { readonly type: 'open-group'; readonly group: string }
  /** Begins another life of a producer, or goes on with the one that is held. */
  | { readonly type: 'open-producer'; readonly name: string; readonly held: ProducerLife | undefined }
  /** Takes the group over, if its epoch is still the one that was seen. */
  | { readonly type: 'take'; readonly groupId: number; readonly instance: string; readonly seen: number }
  | { readonly type: 'leave'; readonly groupId: number; readonly instance: string }
  /** Puts a group that nobody is in where a plan says, if it still stands where the plan saw it. */
  | { readonly type: 'set-positions'; readonly group: string; readonly lines: readonly ResetLine[] }
  | { readonly type: 'delete-group'; readonly group: string }
  | { readonly type: 'delete-topic'; readonly topic: string }
  /** Frees some of what deleted topics and stores have left. */
  | { readonly type: 'sweep' }
  /** Moves the starts of partitions up, one for each. */
  | {
      readonly type: 'delete-records';
      readonly before: readonly { readonly topicId: number; readonly topic: string; readonly partition: number; readonly offset: bigint }[];
    }
  /** Answered when every partition of the topics has been gone through. */
  | { readonly type: 'clean'; readonly options: CleanOptions }
  /** What became of cleanings that could not be written down yet. */
  | { readonly type: 'reports' }
  /** Answered when the partition holds something at or after the offset. */
  | { readonly type: 'wait'; readonly topicId: number; readonly partition: number; readonly offset: bigint }
  /** Answered when the group has another epoch than this one, or no owner. */
  | { readonly type: 'wait-lost'; readonly groupId: number; readonly epoch: number };

export type WriterRequest =
  | (WriterCall & { readonly id: number })
  /** Takes back a wait: the answer, if it still comes, is for nobody. */
  | { readonly type: 'forget'; readonly id: number };

export type WriterAnswer = { readonly id: number } & (
  | { readonly type: 'committed'; readonly offsets: readonly bigint[] }
  | { readonly type: 'opened'; readonly storeId: number }
  | { readonly type: 'group'; readonly groupId: number }
  | { readonly type: 'producer'; readonly producer: ProducerLife }
  | { readonly type: 'owned'; readonly taken: boolean; readonly now: Ownership }
  | { readonly type: 'swept'; readonly left: boolean }
  | { readonly type: 'starts'; readonly starts: readonly bigint[] }
  | { readonly type: 'cleaned'; readonly cleaned: readonly Cleaned[] }
  | { readonly type: 'reports'; readonly unsaved: readonly { readonly topicId: number; readonly partition: number; readonly report: CleaningReport }[] }
  | { readonly type: 'done' }
  | { readonly type: 'failed'; readonly error: ErrorData }
);
