/**
 * Limits work to a number of bytes a second: bytes that were read or removed are owed as time, and paid by waiting.
 *
 * Small debts add up, since a timer costs more than they do; a wait that took too long pays for its excess once,
 * and not ahead.
 */
const LEAST_MS = 5;

export class Pace {
  readonly #bytesPerSecond: number;
  #owedMs = 0;

  constructor(bytesPerSecond: number) {
    this.#bytesPerSecond = bytesPerSecond;
  }

  /** The time to wait now, in milliseconds: 0, or the whole debt. */
  owe(bytes: number): number {
    this.#owedMs += (bytes / this.#bytesPerSecond) * 1_000;
    return this.#owedMs < LEAST_MS ? 0 : this.#owedMs;
  }
  waited(ms: number): void {
    this.#owedMs = Math.max(0, this.#owedMs - ms);
  }
}
