/**
 * The measured records: about 100 bytes each, the same in every run on every machine.
 */

/** Repeatable random numbers: mulberry32 from a seed, in [0, 1). */
export const chance = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** Ranks 0 … count - 1; rank r has a probability in proportion to (r + 1)^-exponent. */
export const zipf = (count: number, exponent: number, seed: number): (() => number) => {
  const next = chance(seed);
  const upTo = new Float64Array(count);
  let sum = 0;
  for (let i = 0; i < count; i++) upTo[i] = sum += (i + 1) ** -exponent;
  return () => {
    const wanted = next() * sum;
    let low = 0;
    let high = count - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (upTo[middle]! < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  };
};

/** Twelve bytes of text for the number of a key. */
export const keyName = (n: number): string => `key-${String(n).padStart(8, '0')}`;

export interface Reading {
  readonly sensor: string;
  readonly at: number;
  readonly celsius: number;
  readonly ok: boolean;
  readonly site: 'north' | 'south';
  readonly seq: number;
}
/** A reading whose JSON takes some 88 bytes. */
export const reading = (n: number): Reading => ({
  sensor: `s-${String(n % 1_000).padStart(4, '0')}`,
  at: 1_700_000_000_000 + n,
  celsius: (n % 4_000) / 100 + 1.25,
  ok: n % 7 !== 0,
  site: n % 2 === 0 ? 'north' : 'south',
  seq: n % 9_973,
});

/** `total` references to a pool of `pool` different values, so that a run does not measure how fast they are made. */
export const many = <T>(total: number, pool: number, make: (n: number) => T): readonly T[] => {
  const made = Array.from({ length: Math.min(pool, total) }, (_, n) => make(n));
  return Array.from({ length: total }, (_, n) => made[n % made.length]!);
};
