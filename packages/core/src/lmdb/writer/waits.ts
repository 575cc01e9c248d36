/**
 * The waits for growth, by partition and group.
 *
 * Inside the process the writer knows the partitions that it has just appended to, and answers their waits. The commit of another
 * process shows as a new transaction id (foreign.ts): then all waits are checked.
 */
export interface Wait {
  readonly key: string;
  /** True when the wait is over in the present log. */
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
  /** Answers the waits that are over, among the given keys or among all. */
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
