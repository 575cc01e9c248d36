/**
 * Who waits for what to grow.
 *
 * Inside the process the writer knows what it has just appended and answers those who wait for it. What another process
 * appended shows as a new transaction id (foreign.ts): then all are asked whether their wait is over.
 */
export interface Wait {
  readonly key: string;
  /** True when the wait is over, as the log is now. */
  readonly isOver: () => boolean;
  readonly answer: () => void;
}

export class Waits {
  readonly #byKey = new Map<string, Set<Wait>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }
  add(wait: Wait): () => void {
    const waits = this.#byKey.get(wait.key) ?? new Set();
    this.#byKey.set(wait.key, waits);
    waits.add(wait);
    this.#size++;
    return () => this.#remove(wait);
  }
  /** Answers those whose wait is over, among the given keys or among all. */
  wake(keys: Iterable<string> = [...this.#byKey.keys()]): void {
    for (const key of keys) {
      for (const wait of [...(this.#byKey.get(key) ?? [])]) {
        if (!wait.isOver()) continue;
        this.#remove(wait);
        wait.answer();
      }
    }
  }
  #remove(wait: Wait): void {
    const waits = this.#byKey.get(wait.key);
    if (!waits?.delete(wait)) return;
    this.#size--;
    if (waits.size === 0) this.#byKey.delete(wait.key);
  }
}

export const partitionWaitKey = (topicId: number, partition: number): string => `p${topicId}:${partition}`;
export const groupWaitKey = (groupId: number): string => `g${groupId}`;
