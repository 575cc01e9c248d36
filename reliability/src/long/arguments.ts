/** The command line of the long run. */
export interface LongArguments {
  readonly minutes: number;
  readonly kills: number;
  readonly records: number;
  readonly only: readonly string[] | undefined;
  readonly seed: number;
}
const FLAGS = ['minutes', 'kills', 'records', 'seed'] as const;
export const USAGE = `npm run reliability -- --long [--minutes 60] [--kills 1000] [--records 10000000] [--only F1,F7] [--seed N] [--anew]

The short suite is 'npx pnpm@12.4.2 reliability:check'. The long one goes through the fault matrix, unit by unit in turns, until all units
are done or the minutes are over. Started again on the same commit it goes on where it was; --anew forgets.`;

export const parseArguments = (args: readonly string[], seed: number): LongArguments => {
  const found = new Map<string, string>();
  for (let i = 0; i < args.length; i++) {
    const name = args[i]!.replace(/^--/, '');
    if (name === 'long' || name === 'anew') continue;
    if (name !== 'only' && !FLAGS.some((flag) => flag === name)) throw new Error(`'${args[i]}' is not understood.\n\n${USAGE}`);
    const value = args[++i];
    if (value === undefined || (name !== 'only' && !(Number(value) > 0))) throw new Error(`--${name} needs a value.\n\n${USAGE}`);
    found.set(name, value);
  }
  const number = (name: (typeof FLAGS)[number], otherwise: number): number => Number(found.get(name) ?? otherwise);
  return {
    minutes: number('minutes', 60),
    kills: number('kills', 1_000),
    records: number('records', 10_000_000),
    seed: number('seed', seed),
    only: found.get('only')?.split(','),
  };
};
