/**
 * Entries of `times` that nothing needs any more.
 *
 * An entry names the batch that first reached a time: a search for any time since the entry before it begins there. Where no
 * record is left between the batches that two entries name, the later one will do for both.
 */
export interface TimeEntry {
  readonly key: Buffer;
  readonly offset: bigint;
}
interface Span {
  readonly base: bigint;
  readonly next: bigint;
}

/** Goes through a partition once, from its start; what it is given comes in the order of offsets. */
export class Thinning {
  #last: TimeEntry | undefined;
  /** Behind the last batch with records that lies before the entry. */
  #liveTo = 0n;

  /** The entries that may go, of these and the one before them, when `live` are the batches with records since the last call. */
  take(entries: readonly TimeEntry[], live: readonly Span[]): readonly TimeEntry[] {
    const gone: TimeEntry[] = [];
    let i = 0;
    for (const entry of entries) {
      for (; i < live.length && live[i]!.base < entry.offset; i++) this.#liveTo = live[i]!.next;
      if (this.#last !== undefined && this.#liveTo <= this.#last.offset) gone.push(this.#last);
      this.#last = entry;
    }
    if (i < live.length) this.#liveTo = live.at(-1)!.next;
    return gone;
  }
  /** Something changed meanwhile: the entry before is kept. */
  forget(): void {
    this.#last = undefined;
  }
}
