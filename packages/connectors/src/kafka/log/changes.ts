/** A value that others wait for: `next` resolves at the next `announce`. */
export class Changes {
  #resolve: () => void = () => {};
  #next: Promise<void> = this.#fresh();

  /** Resolves at the next change, or when the signal is aborted. */
  async next(signal?: AbortSignal): Promise<void> {
    if (signal === undefined) return this.#next;
    if (signal.aborted) return;
    let end = (): void => {};
    const aborted = new Promise<void>((resolve) => {
      end = resolve;
      signal.addEventListener('abort', end, { once: true });
    });
    await Promise.race([this.#next, aborted]);
    signal.removeEventListener('abort', end);
  }
  announce(): void {
    const resolve = this.#resolve;
    this.#next = this.#fresh();
    resolve();
  }
  #fresh(): Promise<void> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }
}
