/** Chance for a run: numbers that its seed repeats, and that seed. */
import { Chance } from '@stoplog/runtime/testing';

/** Numbers from 0 to 1. */
export const chance = (seed: number): (() => number) => {
  const source = new Chance(seed);
  return () => source.next();
};
/** The seed of a run: the one that SEED gives, so that what failed can be repeated, or a new one. */
export const seedFor = (name: string): number => {
  const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));
  console.log(`${name}: SEED=${seed}`);
  return seed;
};
