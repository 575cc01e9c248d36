/**
 * A random generator by a seed: the same seed gives the same numbers, on every machine and in every release. Print the seed of each
 * test that uses one.
 *
 * @example
 * const chance = new Chance(7);
 * const orders = Array.from({ length: 100 }, () => ({ amount: chance.between(1, 50), paid: chance.is(0.9) }));
 */
export class Chance {
  #state: number;

  constructor(seed: number) {
    // Adjacent seeds must not begin with similar numbers.
    this.#state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.floor(seed / 2 ** 32);
  }

  /** At least 0 and less than 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  /** A whole number, at least 0 and less than `limit`. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }
  /** True with this probability, from 0 to 1. */
  is(probability: number): boolean {
    return this.next() < probability;
  }
  /** A random value of a list that is not empty. */
  pick<T>(values: readonly T[]): T {
    const value = values[this.below(values.length)];
    if (value === undefined) throw new Error('invariant broken: there is something to pick from');
    return value;
  }
  /** The index of one of the weights, which are not all 0. */
  weighted(weights: readonly number[]): number {
    let left = this.next() * weights.reduce((sum, weight) => sum + weight, 0);
    const found = weights.findIndex((weight) => (left -= weight) < 0);
    return found < 0 ? weights.findLastIndex((weight) => weight > 0) : found;
  }
}
