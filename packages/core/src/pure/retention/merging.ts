/**
 * Merging makes one *empty batch*, which owns all their offsets, of several adjacent batches that compaction has emptied.
 *
 * One has to stay: batches are adjacent, so that a batch hidden by damage is detected, and a reader whose position is
 * anywhere in the span finds the batch that holds its offset and resumes behind it. One empty batch is enough for any number of
 * emptied ones. It never reaches from one segment into another: each segment begins with a batch of its own.
 */
import { BatchBuilder } from '../record/batch.ts';
import { MAX_OFFSET_DELTA } from '../record/batch-layout.ts';

/** A batch, and the result of a pass over it. */
export interface Passed {
  readonly base: bigint;
  readonly next: bigint;
  /** The batch as it was read. */
  readonly was: Uint8Array;
  /** The bytes that replace the batch; undefined when it stays as it is. */
  readonly bytes: Uint8Array | undefined;
  readonly kept: number;
}

/** A replacement of one batch, or of several adjacent ones, by one batch under the base offset of the first. */
export interface Rewrite {
  readonly replaced: readonly Pick<Passed, 'base' | 'was'>[];
  readonly bytes: Uint8Array;
}

/** Makes rewrites of batches in the order in which they come; emptied batches are held back until the end of the empty span is known. */
export class Merging {
  readonly #beginsSegment: (base: bigint) => boolean;
  readonly #stamp: (bytes: Uint8Array, base: bigint) => void;
  #run: Passed[] = [];
  #done: Rewrite[] = [];

  constructor(beginsSegment: (base: bigint) => boolean, stamp: (bytes: Uint8Array, base: bigint) => void) {
    this.#beginsSegment = beginsSegment;
    this.#stamp = stamp;
  }

  add(batch: Passed): void {
    const [head] = this.#run;
    const joins = head !== undefined && batch.kept === 0 && !this.#beginsSegment(batch.base) && batch.next - head.base - 1n <= BigInt(MAX_OFFSET_DELTA);
    if (!joins) this.#endRun();
    if (batch.kept === 0) this.#run.push(batch);
    else if (batch.bytes !== undefined) this.#done.push({ replaced: [batch], bytes: batch.bytes });
  }

  /** Returns the rewrites to write now. An empty batch at the end is continued by the next batches. */
  take(): readonly Rewrite[] {
    const carried = this.#endRun();
    const done = this.#done;
    this.#done = [];
    this.#run = carried === undefined ? [] : [carried];
    return done;
  }
  /** The empty batch that is held back for the next slice. */
  get held(): bigint | undefined {
    return this.#run[0]?.base;
  }
  /** Drops the held batch, because it has changed meanwhile and is read again. */
  forget(): void {
    this.#run = [];
  }

  /** The empty batch that is stored after the rewrites. */
  #endRun(): Passed | undefined {
    const [head, ...others] = this.#run;
    const last = others.at(-1) ?? head;
    this.#run = [];
    if (head === undefined || last === undefined) return undefined;
    const bytes = others.length === 0 ? head.bytes : emptyBatch(head.base, last.next);
    if (bytes === undefined) return head;
    this.#stamp(bytes, head.base);
    this.#done.push({ replaced: [head, ...others], bytes });
    return { base: head.base, next: last.next, was: bytes, bytes: undefined, kept: 0 };
  }
}

const emptyBatch = (base: bigint, next: bigint): Uint8Array => new BatchBuilder(0).finish(Number(next - base - 1n));
