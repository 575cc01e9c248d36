/** The two times that a task's verbs ask for: the stream time, and the next tick by the wall clock. */
export class TaskClock {
  /** The largest timestamp so far, including the record in progress; -Infinity before the first record. */
  streamTime: number = -Infinity;
  #wakeAt = Infinity;

  /** The earliest wall-clock time at which a verb wants a tick; Infinity for none. */
  get wakeAt(): number {
    return this.#wakeAt;
  }
  /** A verb wants a tick at that time, or soon after. */
  wake(at: number): void {
    this.#wakeAt = Math.min(this.#wakeAt, at);
  }
  /** A tick is about to come: a verb that wants another one calls `wake` again. */
  woken(): void {
    this.#wakeAt = Infinity;
  }
}
