/**
 * A cursor over the beginning of a batch: the batch ends at an offset inside it, where a commit of another group has cut it.
 */
import type { Header } from '../../pure/record/header.ts';
import type { RecordCursor } from '../../pure/record/record-cursor.ts';

/** The records of a batch before `end`; the batch itself if it ends before. */
export const endingAt = (batch: RecordCursor, end: bigint): RecordCursor => (batch.nextOffset <= end ? batch : new EndingCursor(batch, end));

class EndingCursor implements RecordCursor {
  readonly #batch: RecordCursor;
  readonly baseOffset: bigint;
  readonly partition: number;
  readonly count: number;
  readonly bytes: Uint8Array;
  readonly nextOffset: bigint;

  constructor(batch: RecordCursor, end: bigint) {
    this.#batch = batch;
    this.baseOffset = batch.baseOffset;
    this.partition = batch.partition;
    this.bytes = batch.bytes;
    this.nextOffset = end;
    let count = 0;
    batch.rewind();
    while (batch.next() && batch.offset < end) count++;
    batch.rewind();
    this.count = count;
  }

  get offsetDelta(): number {
    return this.#batch.offsetDelta;
  }
  get offset(): bigint {
    return this.#batch.offset;
  }
  get timestamp(): number {
    return this.#batch.timestamp;
  }
  get keyStart(): number {
    return this.#batch.keyStart;
  }
  get keyEnd(): number {
    return this.#batch.keyEnd;
  }
  get valueStart(): number {
    return this.#batch.valueStart;
  }
  get valueEnd(): number {
    return this.#batch.valueEnd;
  }
  get headersAt(): number {
    return this.#batch.headersAt;
  }
  next(): boolean {
    return this.#batch.next() && this.#batch.offset < this.nextOffset;
  }
  rewind(): void {
    this.#batch.rewind();
  }
  key(): Uint8Array | null {
    return this.#batch.key();
  }
  value(): Uint8Array | null {
    return this.#batch.value();
  }
  headers(): readonly Header[] {
    return this.#batch.headers();
  }
  headersFrom(at: number): readonly Header[] {
    return this.#batch.headersFrom(at);
  }
}
