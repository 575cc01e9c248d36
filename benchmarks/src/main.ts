/**
 * `npm run bench [name …]`: measures ours against the hand-written floor, and writes the results to a file.
 */
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Benchmark, Setting } from './harness/benchmark.ts';
import { judge, type Outcome } from './harness/judge.ts';
import { machine } from './harness/machine.ts';
import { commitHere, describeMachine, describeOutcome, writeReport, type Report } from './harness/report.ts';

const PAIRS = 5;
const here = dirname(fileURLToPath(import.meta.url));
const names = readdirSync(here)
  .filter((file) => file.endsWith('.bench.js'))
  .map((file) => file.slice(0, -'.bench.js'.length));
const load = async (name: string): Promise<Benchmark> => (await import(`./${name}.bench.js`)) as Benchmark;

const HELP = `npm run bench [-- options] [name …]     measures the named benchmarks, or all of them

  --list          what there is, and which question each answers
  --quick         a small run of each, to see that it works: its figures mean nothing
  --full          at full size, where a benchmark is smaller without: minutes each
  --pairs <n>     how often ours and the floor are measured in turns, after a warm-up (${PAIRS})
  --json          prints the results as JSON
  --out <folder>  where the result file goes (benchmarks/results)

Folders are made under the system's temporary folder, or under STOPLOG_BENCH_DIR: put it on the disk you ask about.
How to read what comes out: benchmarks/README.md
`;

const main = async (): Promise<void> => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      list: { type: 'boolean' },
      quick: { type: 'boolean', default: false },
      full: { type: 'boolean', default: false },
      pairs: { type: 'string' },
      json: { type: 'boolean' },
      out: { type: 'string', default: join(here, '..', 'results') },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) return void process.stdout.write(HELP);
  if (values.list) {
    for (const name of names) process.stdout.write(`${name.padEnd(12)}${(await load(name)).question}\n`);
    return;
  }
  const unknown = positionals.filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new Error(`there is no benchmark '${unknown.join("', '")}': take one of ${names.join(', ')}`);
  const pairs = values.pairs === undefined ? (values.quick ? 1 : PAIRS) : Number(values.pairs);
  if (!Number.isInteger(pairs) || pairs < 1) throw new Error(`--pairs ${values.pairs} is no number of pairs: give a whole number from 1 on`);

  const on = await machine();
  if (!values.json) process.stdout.write(`${describeMachine(on)}\n\n`);
  const results: Outcome[] = [];
  for (const name of positionals.length === 0 ? names : positionals) {
    const benchmark = await load(name);
    const started = performance.now();
    const figures = await benchmark.run({ quick: values.quick, full: values.full, pairs, report: reporter(name) });
    const outcome = judge(name, benchmark, figures, (performance.now() - started) / 1_000);
    results.push(outcome);
    clearLine();
    if (!values.json) process.stdout.write(`${describeOutcome(outcome, values.quick)}\n`);
  }
  const report: Report = { date: new Date().toISOString(), commit: commitHere(), quick: values.quick, pairs, machine: on, results };
  const path = writeReport(values.out, report);
  process.stdout.write(values.json ? `${JSON.stringify(report, null, 2)}\n` : `written to ${path}\n`);
};

const reporter = (name: string): Setting['report'] => (process.stderr.isTTY ? (what) => process.stderr.write(`\r\x1b[K${name}: ${what}`) : () => {});
const clearLine = (): void => {
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
};

await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? (process.env['DEBUG'] ? error.stack : error.message) : String(error)}\n`);
  process.exitCode = 1;
});
