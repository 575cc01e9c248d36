/**
 * Entries of `times` that nothing needs any more.
 *
 * An entry names the batch that first reached a time: a search for any time since the entry before it begins there. Where no
 * record is left between the batches that two entries name, the later one will do for both. One whose batch is part of a
 * placeholder now names that.
 */
export interface TimeEntry {
  readonly key: Buffer;
  readonly offset: bigint;
}
interface Span {
  readonly base: bigint;
  readonly next: bigint;
}

/** Entries that are to name another batch: the one in which theirs has been folded. `batches` are those that were read, `heads` where some of them lie now. */
export const movesOf = (entries: readonly TimeEntry[], batches: readonly Span[], heads: ReadonlyMap<bigint, bigint>): readonly TimeEntry[] => {
  const moved: TimeEntry[] = [];
  let i = 0;
  for (const { key, offset } of entries) {
    while (i < batches.length && batches[i]!.next <= offset) i++;
    const holder = batches[i];
    if (holder === undefined || holder.base > offset) continue;
    const base = heads.get(holder.base) ?? holder.base;
    if (base !== offset) moved.push({ key, offset: base });
  }
  return moved;
};

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
  /** As it stands now, to go on from twice. */
  copy(): Thinning {
    const copy = new Thinning();
    copy.#last = this.#last;
    copy.#liveTo = this.#liveTo;
    return copy;
  }
}
