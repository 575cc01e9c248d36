/** The command line of the long run. */

/** An impossible request: printed without a stack. */
export class UsageError extends Error {}

export interface LongArguments {
  readonly minutes: number;
  readonly kills: number;
  readonly records: number;
  readonly only: readonly string[] | undefined;
  readonly seed: number;
  /** A single unit of one stage, counted from 1, as its fault names it. */
  readonly unit: number | undefined;
}
const [KILLS, RECORDS] = [1_000, 10_000_000];
const FLAGS = ['minutes', 'kills', 'records', 'seed', 'unit'] as const;
export const USAGE = `npm run reliability -- --long [--minutes 60] [--kills 1000] [--records 10000000] [--only F1,F7] [--seed N] [--anew]
npm run reliability -- --long --only F18 --unit 4 --seed N

The short suite is 'npx pnpm@12.4.2 reliability:check'. The long one goes through the fault matrix, unit by unit in turns, until all units
are done or the minutes are over. Started again on the same commit it resumes; --anew starts over. With --unit a single unit of one stage is
run, and nothing is kept of it: so a unit that failed is repeated.`;

export const parseArguments = (args: readonly string[], seed: number): LongArguments => {
  const found = new Map<string, string>();
  for (let i = 0; i < args.length; i++) {
    const name = args[i]!.replace(/^--/, '');
    if (name === 'long' || name === 'anew') continue;
    if (name !== 'only' && !FLAGS.some((flag) => flag === name)) throw new UsageError(`'${args[i]}' is not understood.\n\n${USAGE}`);
    const value = args[++i];
    if (value === undefined || (name !== 'only' && !(Number(value) > 0))) throw new UsageError(`--${name} needs a value.\n\n${USAGE}`);
    found.set(name, value);
  }
  const number = (name: (typeof FLAGS)[number], otherwise: number): number => Number(found.get(name) ?? otherwise);
  const only = found.get('only')?.split(',');
  if (found.has('unit') && (only?.length !== 1 || !found.has('seed')))
    throw new UsageError(`--unit goes with one stage and a seed: --only F18 --seed N.\n\n${USAGE}`);
  return {
    minutes: number('minutes', 60),
    kills: number('kills', KILLS),
    records: number('records', RECORDS),
    seed: number('seed', seed),
    only,
    unit: found.has('unit') ? number('unit', 1) : undefined,
  };
};

/** The command that repeats a unit, counted from 1. */
export const commandFor = (stage: string, unit: number, { seed, kills, records }: Pick<LongArguments, 'seed' | 'kills' | 'records'>): string =>
  `npm run reliability -- --long --only ${stage} --unit ${unit} --seed ${seed}${kills === KILLS ? '' : ` --kills ${kills}`}${records === RECORDS ? '' : ` --records ${records}`}`;
