/**
 * A NumberedLog compares numbers when it appends: the sequences of producers, and the end that an append expects.
 *
 * These promises are outside the port, because a log need not be able to keep them: Kafka's broker numbers batches by
 * its own producer ids, and has no conditional append. LMDB's log and the log in memory keep them; `Capability` names them
 * in the type of a `LogRef`.
 *
 *  - once       a batch of a producer that is sent again, one of its last five in a partition, is appended once; a batch that
 *               skips a sequence, or is of an earlier incarnation, is refused
 *  - condition  an append that expects an end is accepted only if the partition ends there
 */
import type { ProducerIncarnation, ProducerStamp } from '../pure/producer/producer.ts';
import type { Append, Commit, Committed, Log } from './log.ts';

export type { ProducerIncarnation, ProducerStamp };

export interface NumberedAppend extends Append {
  /** The producer, and the sequence of the first record: a repeated batch is answered with the offset that it has. */
  readonly producer?: ProducerStamp | undefined;
  /** The end that the partition must have before this commit; otherwise the whole commit is refused with both numbers (`STOPLOG_END_MOVED`). */
  readonly expectedEnd?: bigint | undefined;
}
export interface NumberedCommit extends Commit {
  readonly appends: readonly NumberedAppend[];
}
export interface NumberedLog extends Log {
  commit(commit: NumberedCommit): Promise<Committed>;
  /**
   * Begins an incarnation of the producer: its epoch fences every earlier one, and its sequences begin at 0 in each partition.
   * With `held` the producer continues its own incarnation, unless another has begun (`STOPLOG_FENCED`); a forgotten producer
   * begins a new one.
   */
  producer(name: string, held?: ProducerIncarnation): Promise<ProducerIncarnation>;
}
