/**
 * Batches that compaction has emptied, side by side, become one: a *placeholder* without records that owns all their offsets.
 *
 * One has to stay: batches lie side by side, so that one that damage has hidden is seen, and a reader that is parked
 * anywhere in the span finds the batch that holds its offset and goes on behind it. One is enough, however many there were.
 * It never reaches from one segment into another: each segment begins with a batch of its own.
 */
import { BatchBuilder } from '../record/batch.ts';
import { MAX_OFFSET_DELTA } from '../record/batch-layout.ts';

/** A batch, and what a pass has made of it. */
export interface Passed {
  readonly base: bigint;
  readonly next: bigint;
  /** As it was read. */
  readonly was: Uint8Array;
  /** What is to lie in its place; undefined when it is what lies there. */
  readonly bytes: Uint8Array | undefined;
  readonly kept: number;
}

/** One batch is to lie in the place of one, or of several that lie side by side: under the base of the first. */
export interface Rewrite {
  readonly replaced: readonly Pick<Passed, 'base' | 'was'>[];
  readonly bytes: Uint8Array;
}

/** Makes rewrites of batches as they come, in their order; what is emptied is held back until it is known how far the emptiness goes. */
export class Folding {
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

  /** What is to be written by now. A placeholder at the end is taken up again by the batches that come next. */
  take(): readonly Rewrite[] {
    const carried = this.#endRun();
    const done = this.#done;
    this.#done = [];
    this.#run = carried === undefined ? [] : [carried];
    return done;
  }
  /** The placeholder that is held back for the next slice. */
  get held(): bigint | undefined {
    return this.#run[0]?.base;
  }
  /** Something has changed meanwhile, and is read again. */
  forget(): void {
    this.#run = [];
  }

  /** The emptied batch that then lies there. */
  #endRun(): Passed | undefined {
    const [head, ...others] = this.#run;
    const last = others.at(-1) ?? head;
    this.#run = [];
    if (head === undefined || last === undefined) return undefined;
    const bytes = others.length === 0 ? head.bytes : placeholder(head.base, last.next);
    if (bytes === undefined) return head;
    this.#stamp(bytes, head.base);
    this.#done.push({ replaced: [head, ...others], bytes });
    return { base: head.base, next: last.next, was: bytes, bytes: undefined, kept: 0 };
  }
}

const placeholder = (base: bigint, next: bigint): Uint8Array => new BatchBuilder(0).finish(Number(next - base - 1n));
