/** The findings of a long run, as a table and as a file. They name no folder of the machine. */
import { SOMETIMES } from './stages.ts';
import type { Stage } from './stage.ts';

export interface StageResult {
  readonly id: string;
  readonly title: string;
  unitsDone: number;
  readonly units: number;
  readonly figures: Record<string, number>;
  readonly faults: string[];
  seconds: number;
}
export const startResult = ({ id, title, units }: Stage): StageResult => ({ id, title, units, unitsDone: 0, figures: {}, faults: [], seconds: 0 });

/** With no failure in n independent trials, the chance of a failure is below 3/n, 95 times in 100. */
export const boundOf = (trials: number): string =>
  trials < 4 ? 'none' : `< ${300 / trials >= 10 ? (300 / trials).toFixed(0) : (300 / trials).toPrecision(2)} %`;

/** The independent trials of a stage: the first of these figures that it has. */
const TRIALS = ['kills', 'failpoints struck', 'threads ended', 'copies', 'images', 'readers killed', 'handlers killed', 'records that misbehaved', 'came'];
const trialsOf = ({ figures }: StageResult): number => TRIALS.map((what) => figures[what] ?? 0).find((n) => n > 0) ?? 0;

export const table = (results: readonly StageResult[]): string => {
  const rows = results.map((result) => {
    const { id, title, unitsDone, units, figures, faults, seconds } = result;
    const trials = trialsOf(result);
    const never = (SOMETIMES[id] ?? []).filter((what) => unitsDone > 0 && (figures[what] ?? 0) === 0);
    return [
      id,
      title,
      `${unitsDone}/${units}`,
      (figures['records'] ?? 0).toLocaleString('en'),
      `${trials}`,
      `${faults.length}`,
      faults.length === 0 ? boundOf(trials) : '',
      `${Math.round(seconds)} s`,
      never.length > 0 ? `never met: ${never.join(', ')}` : '',
    ];
  });
  const all = [['fault', '', 'units', 'records', 'trials', 'faults', '95 % bound', 'took', ''], ...rows];
  const widths = all[0]!.map((_, column) => Math.max(...all.map((row) => row[column]!.length)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};
/** True when no checker complained, and every required rare event happened. */
export const passed = (results: readonly StageResult[]): boolean =>
  results.every(
    ({ id, faults, unitsDone, figures }) => faults.length === 0 && (unitsDone === 0 || (SOMETIMES[id] ?? []).every((what) => (figures[what] ?? 0) > 0)),
  );
