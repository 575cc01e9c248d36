/**
 * A RecordCursor reads one batch in place: it moves from record to record, without an object for each.
 *
 * The port's `fetch` yields batches as cursors, so that a log decides how its batches lie in memory. LMDB's log and the log
 * in memory read encoded batches (`BatchView`); a log that gets records as objects makes a `RecordsView` of them.
 */
import type { Header } from './header.ts';

export interface RecordCursor {
  readonly baseOffset: bigint;
  readonly partition: number;
  /** The number of records. */
  readonly count: number;
  /** Holds every key and value of the batch; stays the same while the cursor moves. */
  readonly bytes: Uint8Array;
  /** The offset after the batch: after its last offset, also where compaction removed the record. */
  readonly nextOffset: bigint;

  /** Of the record under the cursor: its distance from `baseOffset`. */
  readonly offsetDelta: number;
  readonly offset: bigint;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
  /** Where key and value lie in `bytes`; a start of -1 is null. */
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly valueStart: number;
  readonly valueEnd: number;
  /** Where the headers are, for `headersFrom`; -1 if the record has none. */
  readonly headersAt: number;

  /** Moves to the next record; false at the end. */
  next(): boolean;
  /** Puts the cursor before the first record. */
  rewind(): void;
  /** The key under the cursor, as a piece of `bytes`. */
  key(): Uint8Array | null;
  /** The value under the cursor, as a piece of `bytes`; null is a tombstone. */
  value(): Uint8Array | null;
  headers(): readonly Header[];
  /** The headers of a record that the cursor has passed, by its `headersAt`. */
  headersFrom(at: number): readonly Header[];
}
