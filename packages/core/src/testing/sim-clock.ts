/**
 * A clock moved by hand: time passes when a test says so, and not otherwise.
 *
 * The wall clock can be set apart from the monotonic clock (`setWall`), as an administrator or a time server sets it: code
 * that measures a length of time by the wall clock is found out.
 */

/** Time as an argument: a program passes the machine's, a test moves its own. */
export interface Clock {
  /** Milliseconds since 1970, as the wall says. */
  now(): number;
  /** Milliseconds that only grow, whatever happens to the wall clock. */
  monotonic(): number;
  /** Resolves after `ms`, or at once when the signal is aborted. */
  after(ms: number, signal: AbortSignal): Promise<void>;
}

interface Sleeper {
  readonly due: number;
  readonly wake: () => void;
}

export class SimClock implements Clock {
  #wall: number;
  #hand = 0;
  #sleepers: readonly Sleeper[] = [];

  constructor(wall: number = 0) {
    this.#wall = wall;
  }

  now(): number {
    return this.#wall;
  }
  monotonic(): number {
    return this.#hand;
  }
  after(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted || ms <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        signal.removeEventListener('abort', stop);
        resolve();
      };
      const sleeper: Sleeper = { due: this.#hand + ms, wake };
      const stop = (): void => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
        resolve();
      };
      signal.addEventListener('abort', stop, { once: true });
      this.#sleepers = [...this.#sleepers, sleeper];
    });
  }

  /** The number of pending waits. */
  get sleeping(): number {
    return this.#sleepers.length;
  }
  /** Moves both clocks forward and wakes the due waiters, the earliest first. */
  advance(ms: number): void {
    if (!(ms >= 0)) throw new RangeError(`a clock cannot advance by ${ms} ms`);
    this.#hand += ms;
    this.#wall += ms;
    const due = this.#sleepers.filter((sleeper) => sleeper.due <= this.#hand).sort((a, b) => a.due - b.due);
    this.#sleepers = this.#sleepers.filter((sleeper) => sleeper.due > this.#hand);
    for (const { wake } of due) wake();
  }
  /** Sets the wall clock, forwards or back; wakes no waiter. */
  setWall(to: number): void {
    this.#wall = to;
  }
}

/** @example const clock = simClock(Date.UTC(2026, 0, 1)); clock.advance(seconds(5)); */
export const simClock = (wall: number = 0): SimClock => new SimClock(wall);
