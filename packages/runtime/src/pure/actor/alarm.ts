/** The earliest wall-clock time at which one of a task's verbs wants a tick. */
export class Alarm {
  #at = Infinity;

  get at(): number {
    return this.#at;
  }
  /** A verb wants a tick at that time, or soon after. */
  set(at: number): void {
    this.#at = Math.min(this.#at, at);
  }
  /** The tick is about to come: verbs that want another say so. */
  rang(): void {
    this.#at = Infinity;
  }
}
