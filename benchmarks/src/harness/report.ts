/** The results of a run: a table on the terminal, and a file for comparisons. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Judged, Outcome, Spread } from './judge.ts';
import type { Machine } from './machine.ts';

export interface Report {
  readonly date: string;
  readonly commit: string;
  readonly quick: boolean;
  readonly pairs: number;
  readonly machine: Machine;
  readonly results: readonly Outcome[];
}

/**
 * Writes results/<date>-<commit>.json and returns its path; for a second run on that day, -2.json. The file of a changed
 * working tree says so.
 */
export const writeReport = (folder: string, report: Report): string => {
  mkdirSync(folder, { recursive: true });
  const text = `${JSON.stringify(report, (_, value: unknown) => (typeof value === 'number' ? Number(value.toPrecision(5)) : value), 2)}\n`;
  for (let run = 1; ; run++) {
    const path = join(folder, `${report.date.slice(0, 10)}-${report.commit}${run === 1 ? '' : `-${run}`}.json`);
    try {
      writeFileSync(path, text, { flag: 'wx' });
      return path;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
};

export const commitHere = (): string => {
  try {
    const git = (...args: readonly string[]): string => execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
    return `${git('rev-parse', '--short=7', 'HEAD')}${git('status', '--porcelain', '--', 'packages', 'benchmarks/src') === '' ? '' : '-dirty'}`;
  } catch {
    return 'unknown';
  }
};

export const describeMachine = ({ cpu, cores, memoryGiB, kernel, node, lmdb, fdatasyncMs }: Machine): string =>
  `${cpu}, ${cores} cores, ${memoryGiB} GiB, ${kernel}, node ${node}, lmdb ${lmdb}, fdatasync p50 ${fdatasyncMs.p50.toFixed(2)} ms, p99 ${fdatasyncMs.p99.toFixed(2)} ms`;

export const describeOutcome = (outcome: Outcome, quick: boolean): string => {
  const lines = [`${outcome.name}  ${outcome.question}`, `  sketch  ${outcome.sketch}`, `  bound   ${outcome.bound}`];
  const rows = outcome.figures.map((figure) => rowOf(figure, quick));
  const widths = rows.reduce<number[]>((all, row) => row.map((cell, i) => Math.max(all[i] ?? 0, cell.length)), []);
  for (const row of rows)
    lines.push(
      `  ${row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd()}`,
    );
  if (outcome.limitedBy !== undefined && !quick) lines.push(`  what stands in the way: ${outcome.limitedBy}`);
  return `${lines.join('\n')}\n`;
};

const rowOf = ({ name, unit, durability, ours, floor, ratio, bounds }: Judged, quick: boolean): readonly string[] => [
  name,
  `ours ${amount(ours)} ${unit}`,
  floor === undefined ? '' : `floor ${amount(floor)}`,
  ratio === undefined ? '' : `ratio ${ratio.median.toFixed(2)} (${ratio.min.toFixed(2)}..${ratio.max.toFixed(2)})`,
  durability,
  quick ? 'quick: not judged' : bounds.map(({ of, is, limit, met }) => `${met ? 'met' : 'MISSED'}: ${of} ${is} ${short(limit)}`).join(', '),
];

const amount = ({ median, min, max }: Spread): string => (min === max ? short(median) : `${short(median)} (${short(min)}..${short(max)})`);

const short = (n: number): string =>
  n >= 1e6 ? `${(n / 1e6).toFixed(2)} M` : n >= 1e4 ? `${(n / 1e3).toFixed(0)} k` : n >= 100 ? n.toFixed(0) : String(Number(n.toPrecision(3)));
