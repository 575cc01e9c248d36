/**
 * Promises in the order in which they are settled.
 *
 * Not `Promise.race` in a loop: one that is never settled (a partition where nothing happens) would remember every race it
 * has lost, and of several that are settled the first in the list would win each time.
 */
export class Arrived<T> {
  readonly #settled: Promise<T>[] = [];
  #wake: () => void = () => {};

  add(promise: Promise<T>): void {
    const settled = (): void => {
      this.#settled.push(promise);
      this.#wake();
    };
    promise.then(settled, settled);
  }
  /** What was settled longest ago; waits for it, and throws what it was rejected with. */
  async next(): Promise<T> {
    for (;;) {
      const first = this.#settled.shift();
      if (first !== undefined) return first;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
