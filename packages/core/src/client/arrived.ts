/**
 * Returns promises in the order in which they settle.
 *
 * `Promise.race` in a loop would not do: a promise that never settles (of a partition where nothing happens) would remember
 * every race it lost, and of several settled promises the first in the list would win each time.
 */
export class Arrived<T> {
  readonly #settled: Promise<T>[] = [];
  #isOver = false;
  #wake: () => void = () => {};

  add(promise: Promise<T>): void {
    const settled = (): void => {
      this.#settled.push(promise);
      this.#wake();
    };
    promise.then(settled, settled);
  }
  /** Ends a wait for the next promise, and all later ones. */
  end(): void {
    this.#isOver = true;
    this.#wake();
  }
  /** The promise that settled longest ago; waits for one, and throws its rejection. Undefined at the end. */
  async next(): Promise<T | undefined> {
    while (!this.#isOver) {
      const first = this.#settled.shift();
      if (first !== undefined) return first;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return undefined;
  }
}
