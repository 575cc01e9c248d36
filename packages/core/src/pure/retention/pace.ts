/**
 * At most so many bytes a second: what was read or removed is owed as time, and paid by waiting.
 *
 * Small debts are gathered, since a timer costs more than they do; a wait that took longer than it should pays for it once,
 * and not ahead.
 */
const LEAST_MS = 5;

export class Pace {
  readonly #bytesPerSecond: number;
  #owedMs = 0;

  constructor(bytesPerSecond: number) {
    this.#bytesPerSecond = bytesPerSecond;
  }

  /** How long to wait now, in milliseconds: 0, or what all that is owed comes to. */
  owe(bytes: number): number {
    this.#owedMs += (bytes / this.#bytesPerSecond) * 1_000;
    return this.#owedMs < LEAST_MS ? 0 : this.#owedMs;
  }
  waited(ms: number): void {
    this.#owedMs = Math.max(0, this.#owedMs - ms);
  }
}
