/**
 * A SinkWriter puts records outside the log: a queue, a foreign topic, a table of a database.
 *
 * The actor writes to its sinks before it commits, and passes the position behind the batch's input records with each batch. A
 * target that stores the position with the records (in one transaction) returns it from `recover`. After a crash between
 * the two, the actor reads the same records again and leaves out the ones that the target already has, so the effect is exactly
 * once. A target without positions gets the last batch twice: at least once.
 */
import type { Header } from '../record/record.ts';

export interface SinkRecord {
  readonly key: unknown;
  /** null deletes the key, where the sink is written from a table. */
  readonly value: unknown;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
  readonly headers: readonly Header[];
  /** The offset of the input record; with `index`, a number that stays the same when the record is processed again. */
  readonly offset: bigint;
  /** Counts the records made from one input record, from 0. */
  readonly index: number;
}
/** The actor that writes to a sink, named by its input. */
export interface SinkStart {
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
  /** Grows with each owner of the partition: a target that keeps positions refuses an older owner (`STOPLOG_FENCED`) once a newer one has opened. */
  readonly epoch: number;
}
export interface SinkBatch {
  readonly records: readonly SinkRecord[];
  /** The next offset that the actor reads: after this batch, the outputs of all records below it are written. */
  readonly position: bigint;
}

export interface SinkWriter extends AsyncDisposable {
  /** The position of the last batch that is in the target; undefined where the target keeps none, or has none yet. */
  recover(): Promise<bigint | undefined>;
  /** Resolves when the target has the batch for good. Rejects, and has kept all or nothing of it, where the target can do so. */
  write(batch: SinkBatch, signal: AbortSignal): Promise<void>;
}
