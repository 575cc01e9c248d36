import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Counters } from './simulation-counters.ts';

/**
 * The error of a simulation that found a broken promise: the promise, the last steps, and the command that repeats them.
 *
 * @example
 * expect(() => simulate(doubling, { seed: 1, inputs })).toThrow(SimulationFailed);
 */
export class SimulationFailed extends Error {
  override readonly name: string = 'SimulationFailed';
  readonly seed: number;
  /** Every step up to the failure. */
  readonly history: readonly string[];
  readonly counters: Counters;

  constructor(seed: number, what: string, history: readonly string[], counters: Counters, cause: unknown) {
    super(
      `${what}\n\nThe last steps of ${history.length}:\n${history
        .slice(-SHOWN)
        .map((line) => `  ${line}`)
        .join('\n')}\n\nAgain: ${again(seed)}\n`,
      { cause },
    );
    this.seed = seed;
    this.history = history;
    this.counters = counters;
  }
}

const SHOWN = 25;

/** The command that runs the calling test with this seed alone. */
const again = (seed: number): string => `STOPLOG_SEED=${seed} npx vitest run ${callerOf(new Error().stack ?? '') ?? ''}`.trim();

/** The file that called `simulate`: the first test file, or else the first file that is not of this folder. */
const callerOf = (stack: string): string | undefined => {
  const here = new URL('.', import.meta.url).href;
  const files = stack
    .split('\n')
    .map((line) => /((?:file:\/\/)?\/[^):]+):\d+:\d+\)?$/.exec(line)?.[1])
    .filter((file) => file !== undefined)
    .map((file) => (file.startsWith('file:') ? file : `file://${file}`));
  const file = files.find((one) => /\.test\.[cm]?[jt]sx?$/.test(one)) ?? files.find((one) => !one.startsWith(here) && !one.includes('/node_modules/'));
  return file === undefined ? undefined : relative(process.cwd(), fileURLToPath(file));
};
