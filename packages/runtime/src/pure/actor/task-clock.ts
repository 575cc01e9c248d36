/** The two times that a task's verbs ask for: the stream time, and when the wall clock is to wake them. */
export class TaskClock {
  /** The largest timestamp so far, that of the record in progress included; -Infinity before the first record. */
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
  /** The tick is about to come: a verb that wants another one says so. */
  woken(): void {
    this.#wakeAt = Infinity;
  }
}
