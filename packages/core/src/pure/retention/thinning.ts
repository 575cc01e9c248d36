/**
 * Removes entries of `times` that no search needs.
 *
 * An entry names the batch that first reached a time: a search for any time since the entry before it begins there. Where no
 * record is left between the batches of two entries, the later entry suffices. An entry whose batch was merged
 * names the empty batch that it became part of.
 */
export interface TimeEntry {
  readonly key: Buffer;
  readonly offset: bigint;
}
interface Span {
  readonly base: bigint;
  readonly next: bigint;
}

/** Entries that must name the batch that theirs was merged into. `batches` are the ones that were read, `heads` the new base offsets of some of them. */
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

/** Goes through a partition once, from its start; its input comes in the order of offsets. */
export class Thinning {
  #last: TimeEntry | undefined;
  /** The end of the last batch with records before the entry. */
  #liveTo = 0n;

  /** Returns the entries to remove, of these and the one before them, when `live` are the batches with records since the last call. */
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
  /** A copy of the present state, to continue from it twice. */
  copy(): Thinning {
    const copy = new Thinning();
    copy.#last = this.#last;
    copy.#liveTo = this.#liveTo;
    return copy;
  }
}
