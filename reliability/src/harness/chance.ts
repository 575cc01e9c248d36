/** Random numbers for a run, and the seed that repeats them. */
import { Chance } from '@stoplog/runtime/testing';

/** Numbers from 0 to 1. */
export const chance = (seed: number): (() => number) => {
  const source = new Chance(seed);
  return () => source.next();
};
/** The seed of a run: SEED, so that a failure can be repeated, or a new one. */
export const seedFor = (name: string): number => {
  const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));
  console.log(`${name}: SEED=${seed}`);
  return seed;
};
