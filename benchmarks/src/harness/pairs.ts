/**
 * Measures ours and the floor alternately, A B A B: other work on the machine affects both.
 *
 * The first pair warms up code and file system and is discarded. The result is the ratio within a pair, not between two runs
 * minutes apart.
 */
import type { Setting } from './benchmark.ts';

export interface Pairs {
  readonly ours: readonly number[];
  readonly floor: readonly number[];
}

export const interleave = async (setting: Setting, ours: () => Promise<number>, floor: () => Promise<number>): Promise<Pairs> => {
  const pairs = { ours: [] as number[], floor: [] as number[] };
  for (let i = setting.quick ? 1 : 0; i <= setting.pairs; i++) {
    setting.report(i === 0 ? 'warm-up' : `pair ${i} of ${setting.pairs}`);
    const a = await settle(ours);
    const b = await settle(floor);
    if (i === 0) continue;
    pairs.ours.push(a);
    pairs.floor.push(b);
  }
  return pairs;
};

/** Measures several times, for a benchmark without a floor. */
export const repeat = async (setting: Setting, measure: () => Promise<number>): Promise<readonly number[]> => {
  const figures: number[] = [];
  for (let i = 0; i < setting.pairs; i++) {
    setting.report(`round ${i + 1} of ${setting.pairs}`);
    figures.push(await settle(measure));
  }
  return figures;
};

/** The garbage of one run must not slow the next one down. */
const settle = <T>(measure: () => Promise<T>): Promise<T> => {
  (globalThis as { readonly gc?: () => void }).gc?.();
  return measure();
};

/** Records per second of the time that `work` takes. */
export const rate = async (records: number, work: () => Promise<void>): Promise<number> => {
  const started = performance.now();
  await work();
  return (records / (performance.now() - started)) * 1_000;
};

export const median = (numbers: readonly number[]): number => quantile(numbers, 0.5);

/** Between two neighbours the quantile is on the line that joins them. */
export const quantile = (numbers: readonly number[], part: number): number => {
  const sorted = numbers.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * part;
  const low = sorted[Math.floor(at)] ?? Number.NaN;
  const high = sorted[Math.ceil(at)] ?? Number.NaN;
  return low + (high - low) * (at - Math.floor(at));
};
