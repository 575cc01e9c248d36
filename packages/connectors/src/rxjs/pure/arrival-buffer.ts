/**
 * The buffer between pushes and pulls: a ring of arrivals that never grows beyond its capacity.
 *
 * When the buffer is full an arrival must be lost: the oldest, the newest, or the source fails. Every arrival has a number,
 * even a dropped one, so a gap between two keys is as long as the number of lost arrivals.
 */
import type { Arrival } from '@stoplog/core/port';

export type Overflow = 'drop-oldest' | 'drop-newest' | 'fail';
/** 'overflowed': there was no room, and no arrival may be dropped. */
export type Offered = 'kept' | 'dropped' | 'overflowed';

export class ArrivalBuffer {
  readonly #capacity: number;
  readonly #overflow: Overflow;
  readonly #slots: (Arrival | undefined)[] = [];
  #first = 0;
  #size = 0;
  #seen = 0;

  constructor(capacity: number, overflow: Overflow) {
    this.#capacity = capacity;
    this.#overflow = overflow;
  }

  get size(): number {
    return this.#size;
  }
  offer(value: unknown, timestamp: number): Offered {
    const arrival: Arrival = { key: String(this.#seen++), value, timestamp };
    if (this.#size < this.#capacity) {
      this.#slots[(this.#first + this.#size) % this.#capacity] = arrival;
      this.#size++;
      return 'kept';
    }
    if (this.#overflow === 'fail') return 'overflowed';
    if (this.#overflow === 'drop-oldest') {
      this.#slots[this.#first] = arrival;
      this.#first = (this.#first + 1) % this.#capacity;
    }
    return 'dropped';
  }
  /** The oldest arrivals, at most `most` of them; they leave the buffer. */
  take(most: number): readonly Arrival[] {
    const taken: Arrival[] = [];
    for (let n = Math.min(most, this.#size); n > 0; n--) {
      taken.push(this.#slots[this.#first]!);
      this.#slots[this.#first] = undefined;
      this.#first = (this.#first + 1) % this.#capacity;
    }
    this.#size -= taken.length;
    return taken;
  }
}
