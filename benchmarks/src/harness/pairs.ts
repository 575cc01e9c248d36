/**
 * Ours and the floor in turns, A B A B: whatever else the machine does meanwhile falls on both.
 *
 * The first pair warms up code and file system and is thrown away. What counts is the ratio within a pair, not between
 * two runs that lie minutes apart.
 */
import type { Setting } from './benchmark.ts';

export interface Pairs {
  readonly ours: readonly number[];
  readonly floor: readonly number[];
}

export const interleave = async (setting: Setting, ours: () => Promise<number>, floor: () => Promise<number>): Promise<Pairs> => {
  const pairs = { ours: [] as number[], floor: [] as number[] };
  for (let i = setting.quick ? 1 : 0; i <= setting.pairs; i++) {
    setting.tell(i === 0 ? 'warm-up' : `pair ${i} of ${setting.pairs}`);
    const a = await settle(ours);
    const b = await settle(floor);
    if (i === 0) continue;
    pairs.ours.push(a);
    pairs.floor.push(b);
  }
  return pairs;
};

/** One after the other, for what has no floor. */
export const repeat = async (setting: Setting, measure: () => Promise<number>): Promise<readonly number[]> => {
  const figures: number[] = [];
  for (let i = 0; i < setting.pairs; i++) {
    setting.tell(`round ${i + 1} of ${setting.pairs}`);
    figures.push(await settle(measure));
  }
  return figures;
};

/** The garbage of one run is not the next one's. */
const settle = <T>(measure: () => Promise<T>): Promise<T> => {
  (globalThis as { readonly gc?: () => void }).gc?.();
  return measure();
};

/** Records for each second of what `work` takes. */
export const rate = async (records: number, work: () => Promise<void>): Promise<number> => {
  const started = performance.now();
  await work();
  return (records / (performance.now() - started)) * 1_000;
};

export const median = (numbers: readonly number[]): number => quantile(numbers, 0.5);

/** Between two neighbours it lies on the line that joins them. */
export const quantile = (numbers: readonly number[], part: number): number => {
  const sorted = numbers.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * part;
  const low = sorted[Math.floor(at)] ?? Number.NaN;
  const high = sorted[Math.ceil(at)] ?? Number.NaN;
  return low + (high - low) * (at - Math.floor(at));
};
