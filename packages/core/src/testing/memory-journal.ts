/**
 * The changes of a memory log that a power cut would roll back.
 *
 * A change is visible when it is made and durable when it is flushed. A power cut undoes a suffix of the changes that were
 * not flushed, the newest first, so a prefix of the changes survives.
 */
import type { NumberedCommit } from '../port/numbered-log.ts';

/** The answer to a commit, and its fate. */
export interface Receipt {
  /** The base offset of each append. */
  readonly offsets: readonly bigint[];
  durable: boolean;
  /** A power cut rolled the commit back. */
  lost: boolean;
}
export interface Change {
  /** The commit that made the change; undefined for a change of a group. */
  readonly commit?: NumberedCommit | undefined;
  readonly receipt: Receipt;
  readonly undo: () => void;
}

export class MemoryJournal<C extends Change> {
  readonly #atOnce: boolean;
  readonly #waiting = new Map<Receipt, () => void>();
  #unflushed: C[] = [];

  /** With `atOnce` every change is durable when it is made. */
  constructor(atOnce: boolean) {
    this.#atOnce = atOnce;
  }

  /** Changes that are visible and not durable, oldest first. */
  get unflushed(): readonly C[] {
    return this.#unflushed;
  }
  add(change: C): void {
    if (this.#atOnce) change.receipt.durable = true;
    else this.#unflushed.push(change);
  }
  /** Makes every change durable, and returns the changes that were not. */
  flush(): readonly C[] {
    const flushed = this.#unflushed;
    this.#unflushed = [];
    for (const { receipt } of flushed) {
      receipt.durable = true;
      this.#waiting.get(receipt)?.();
      this.#waiting.delete(receipt);
    }
    return flushed;
  }
  /** Keeps the first `survivors` changes that were not durable, undoes the others and returns them. */
  powerCut(survivors: number): readonly C[] {
    const lost = this.#unflushed.splice(survivors);
    for (const { undo, receipt } of lost.toReversed()) {
      undo();
      receipt.lost = true;
    }
    return lost;
  }
  /** Resolves when the change is durable; never when a power cut rolls it back. */
  durable(receipt: Receipt): Promise<void> {
    return receipt.durable ? Promise.resolve() : new Promise((resolve) => this.#waiting.set(receipt, resolve));
  }
}
