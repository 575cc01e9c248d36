/**
 * Between what pushes and what is asked: a ring of arrivals that never grows beyond its capacity.
 *
 * When it is full somebody has to lose: the oldest arrival, the newest one, or the source, which fails. Every arrival has
 * a number, also one that is dropped, so a gap between two keys is as long as what was lost there.
 */
import type { Arrival } from '@stoplog/core/port';

export type Overflow = 'drop-oldest' | 'drop-newest' | 'fail';
/** 'overflowed': there was no room, and nothing may be dropped. */
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
