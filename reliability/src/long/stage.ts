/**
 * A stage of the long run: one kind of fault, in units that each begin with an empty folder and a seed of their own, so
 * that a run that was ended goes on with the next unit, and a unit that failed can be repeated alone.
 */
import type { Fault } from '../checkers/fault.ts';
import { UsageError } from './arguments.ts';

export interface UnitSetting {
  readonly unit: number;
  readonly folder: string;
  readonly random: () => number;
  readonly tell: (line: string) => void;
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
  /** How much of the time it gets beside the others; 1 when left out. */
  readonly share?: number;
  readonly run: (setting: UnitSetting) => Promise<UnitOutcome>;
}

/** Those that were asked for; a name that none has would be a run that tries nothing, and passes. */
export const stagesNamed = (stages: readonly Stage[], only: readonly string[] | undefined): readonly Stage[] => {
  const unknown = only?.find((name) => !stages.some(({ id }) => id === name));
  if (unknown !== undefined) throw new UsageError(`there is no stage '${unknown}': --only takes ${stages.map(({ id }) => id).join(',')}`);
  return stages.filter(({ id }) => only === undefined || only.includes(id));
};
