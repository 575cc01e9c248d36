/**
 * A stage of the long run: one kind of fault, in units that each begin with an empty folder and a seed of their own, so that
 * an interrupted run resumes with the next unit, and a failed unit can be repeated alone.
 */
import type { Fault } from '../checkers/fault.ts';
import { UsageError } from './arguments.ts';

export interface UnitSetting {
  readonly unit: number;
  readonly folder: string;
  readonly random: () => number;
  readonly send: (line: string) => void;
}
export interface UnitOutcome {
  readonly faults: readonly Fault[];
  /** Added up over the units of a stage. */
  readonly figures: Readonly<Record<string, number>>;
}
export interface Stage {
  readonly id: string;
  readonly title: string;
  readonly units: number;
  /** The stage's share of the time, relative to the others; 1 by default. */
  readonly share?: number;
  readonly run: (setting: UnitSetting) => Promise<UnitOutcome>;
}

/** The requested stages. An unknown name is refused, since a run without stages would try nothing and pass. */
export const stagesNamed = (stages: readonly Stage[], only: readonly string[] | undefined): readonly Stage[] => {
  const unknown = only?.find((name) => !stages.some(({ id }) => id === name));
  if (unknown !== undefined) throw new UsageError(`there is no stage '${unknown}': --only takes ${stages.map(({ id }) => id).join(',')}`);
  return stages.filter(({ id }) => only === undefined || only.includes(id));
};
