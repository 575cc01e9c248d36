/** Judges the measurements: medians, the ratio with its spread, and whether each bound is met. */
import type { Benchmark, Bound, Figure } from './benchmark.ts';
import { median } from './pairs.ts';

export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}
export interface Judged {
  readonly name: string;
  readonly unit: string;
  readonly durability: string;
  readonly ours: Spread;
  readonly floor?: Spread;
  /** Ours over floor, within each pair. */
  readonly ratio?: Spread;
  readonly bounds: readonly (Bound & { readonly measured: number; readonly met: boolean })[];
  /** Every measurement, in the order in which it was taken. */
  readonly all: { readonly ours: readonly number[]; readonly floor?: readonly number[] };
}
export interface Outcome {
  readonly name: string;
  readonly question: string;
  readonly sketch: string;
  readonly bound: string;
  readonly met: boolean;
  /** The largest cost in a profile, where a bound is not met. */
  readonly limitedBy?: string;
  readonly seconds: number;
  readonly figures: readonly Judged[];
}

export const judge = (name: string, { question, sketch, bound, limitedBy }: Benchmark, figures: readonly Figure[], seconds: number): Outcome => {
  const judged = figures.map(judgeFigure);
  const met = judged.every(({ bounds }) => bounds.every((one) => one.met));
  return { name, question, sketch, bound, met, ...(met ? {} : { limitedBy }), seconds, figures: judged };
};

const judgeFigure = ({ name, unit, durability, ours, floor, bounds }: Figure): Judged => {
  const ratios = floor?.map((figure, i) => (ours[i] ?? Number.NaN) / figure);
  return {
    name,
    unit,
    durability,
    ours: spread(ours),
    ...(floor === undefined ? {} : { floor: spread(floor) }),
    ...(ratios === undefined ? {} : { ratio: spread(ratios) }),
    bounds: bounds.map((bound) => {
      const measured = bound.of === 'ours' ? median(ours) : median(ratios ?? []);
      return { ...bound, measured, met: bound.is === 'at least' ? measured >= bound.limit : measured <= bound.limit };
    }),
    all: { ours, ...(floor === undefined ? {} : { floor }) },
  };
};

const spread = (numbers: readonly number[]): Spread => ({ median: median(numbers), min: Math.min(...numbers), max: Math.max(...numbers) });
