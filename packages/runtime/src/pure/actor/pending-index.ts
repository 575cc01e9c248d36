/**
 * The entries of an overlay that differ from the store below, in the order of their key bytes.
 *
 * Exists only in overlays that are read by range, so that all others pay nothing for it. An entry is inserted when it is written (a
 * binary search and a move of pointers), and removed when its commit is in the store.
 */
import { compareBytes } from '@stoplog/core/kit';

export interface Pending {
  readonly keyBytes: Uint8Array;
}
export interface ByteBounds {
  readonly gte?: Uint8Array;
  readonly gt?: Uint8Array;
  readonly lt?: Uint8Array;
}

export class PendingIndex<E extends Pending> {
  #entries: E[];

  /** In any order; each key once. */
  constructor(entries: readonly E[]) {
    this.#entries = entries.toSorted((a, b) => compareBytes(a.keyBytes, b.keyBytes));
  }

  insert(entry: E): void {
    this.#entries.splice(this.#first(entry.keyBytes, false), 0, entry);
  }
  keep(isPending: (entry: E) => boolean): void {
    this.#entries = this.#entries.filter(isPending);
  }
  between({ gte, gt, lt }: ByteBounds): readonly E[] {
    const start = Math.max(gte === undefined ? 0 : this.#first(gte, false), gt === undefined ? 0 : this.#first(gt, true));
    return this.#entries.slice(start, lt === undefined ? undefined : Math.max(start, this.#first(lt, false)));
  }

  /** The index of the first entry at a key or, with `after`, behind it. */
  #first(key: Uint8Array, after: boolean): number {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const compared = compareBytes(this.#entries[middle]!.keyBytes, key);
      if (compared < 0 || (after && compared === 0)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
