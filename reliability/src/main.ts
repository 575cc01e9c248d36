/**
 * The long run: `npm run reliability -- --long`. Goes through the stages unit by unit, in turns, so that a short run has a
 * little of each; stores its results after every unit, and ends in a table and a file under reliability/results.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, release, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { heard } from './checkers/fault.ts';
import { failpointCost } from './long/failpoint-cost.ts';
import { chance } from './harness/chance.ts';
import { withFolder } from './harness/folder.ts';
import { commandFor, parseArguments, USAGE, UsageError, type LongArguments } from './long/arguments.ts';
import { passed, startResult, table, type StageResult } from './long/report.ts';
import { stagesNamed, type Stage, type UnitOutcome } from './long/stage.ts';
import { stagesOf } from './long/stages.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const STATE = `${ROOT}.cache/reliability/state.json`;

const commit = (): string => execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim();
/** Whether the working tree differs from the commit. */
const isChanged = (): boolean => execFileSync('git', ['status', '--porcelain', 'packages', 'reliability/src'], { cwd: ROOT, encoding: 'utf8' }).trim() !== '';
const progress = (line: string): void =>
  void process.stderr.write(process.stderr.isTTY ? `\r\u001b[K${line.slice(0, process.stderr.columns - 1)}` : `${line}\n`);

interface State {
  readonly seed: number;
  readonly kills: number;
  readonly records: number;
  readonly commit: string;
  readonly results: readonly StageResult[];
}
/**
 * The stored state of a run of the same commit, the same size, and the same seed if one is requested: other figures are not
 * added to it.
 */
const keptState = ({ kills, records }: LongArguments, seed: number | undefined): State | undefined => {
  if (process.argv.includes('--anew') || !existsSync(STATE)) return undefined;
  const state = JSON.parse(readFileSync(STATE, 'utf8')) as State;
  return state.commit === commit() && state.kills === kills && state.records === records && (seed === undefined || state.seed === seed) ? state : undefined;
};

const runUnit = (stage: Stage, unit: number, seed: number): Promise<UnitOutcome> => {
  const send = (line: string): void => progress(`${stage.id} unit ${unit + 1} of ${stage.units}: ${line}`);
  send('begins');
  return withFolder((folder) => stage.run({ unit, folder, random: chance(seed + 7_919 * unit), send }));
};
/** Runs one unit alone, and prints all its findings. */
const repeatUnit = async (stage: Stage, number: number, seed: number): Promise<void> => {
  if (!Number.isInteger(number) || number > stage.units) throw new UsageError(`${stage.id} has ${stage.units} units: --unit takes 1 to ${stage.units}`);
  const { faults, figures } = await runUnit(stage, number - 1, seed);
  progress('');
  console.log(JSON.stringify(figures));
  for (const fault of heard(faults)) console.log(fault);
  console.log(`${stage.id} unit ${number}: ${faults.length} faults`);
  process.exitCode = faults.length === 0 ? 0 : 1;
};
const runUnits = async (stages: readonly Stage[], results: readonly StageResult[], { minutes, seed, kills, records }: LongArguments): Promise<void> => {
  const until = performance.now() + minutes * 60_000;
  while (performance.now() < until) {
    // The stage with the least time so far, relative to its share, is next: a short run has a little of each.
    const [i] = stages
      .flatMap(({ units }, at) => (results[at]!.unitsDone < units && results[at]!.faults.length === 0 ? [at] : []))
      .toSorted((a, b) => results[a]!.seconds / (stages[a]!.share ?? 1) - results[b]!.seconds / (stages[b]!.share ?? 1));
    if (i === undefined) return;
    const [stage, result] = [stages[i]!, results[i]!];
    const unit = result.unitsDone;
    const since = performance.now();
    const { faults, figures } = await runUnit(stage, unit, seed);
    for (const [what, n] of Object.entries(figures)) result.figures[what] = (result.figures[what] ?? 0) + n;
    result.faults.push(...heard(faults).map((fault) => `unit ${unit + 1}: ${fault}`));
    result.seconds += (performance.now() - since) / 1_000;
    result.unitsDone++;
    mkdirSync(`${ROOT}.cache/reliability`, { recursive: true });
    writeFileSync(STATE, JSON.stringify({ seed, kills, records, commit: commit(), results } satisfies State));
  }
};

const main = async (): Promise<void> => {
  const args = process.argv.slice(2);
  if (!args.includes('--long')) {
    console.log(USAGE);
    return;
  }
  const asked = parseArguments(args, Math.floor(Math.random() * 2 ** 31));
  if (asked.unit !== undefined) return repeatUnit(stagesNamed(stagesOf(asked), asked.only)[0]!, asked.unit, asked.seed);
  const kept = keptState(asked, args.includes('--seed') ? asked.seed : undefined);
  const setting = { ...asked, seed: kept?.seed ?? asked.seed };
  console.log(`SEED=${setting.seed}${kept === undefined ? '' : ', resuming an earlier run'}`);
  const stages = stagesNamed(stagesOf(setting), setting.only);
  const results = stages.map((stage) => {
    const before = kept?.results.find(({ id }) => id === stage.id);
    return before === undefined ? startResult(stage) : { ...before, units: stage.units };
  });
  await runUnits(stages, results, setting);
  const cost = failpointCost();
  progress('');
  console.log(`${table(results)}\n\na failpoint that is off costs ${cost.toFixed(2)} ns`);
  for (const { id, faults, unitsDone } of results) {
    for (const fault of faults) console.log(`${id} ${fault}`);
    // A stage ends with the first unit that has a finding.
    if (faults.length > 0) console.log(`again: ${commandFor(id, unitsDone, setting)}`);
  }
  const isPassed = passed(results);
  const isWhole = results.every(({ unitsDone, units }) => unitsDone >= units);
  mkdirSync(`${ROOT}reliability/results`, { recursive: true });
  const name = `${new Date().toISOString().slice(0, 10)}-${commit()}.json`;
  const machine = {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    kernel: `${process.platform} ${release()} ${process.arch}`,
    node: process.version,
  };
  writeFileSync(
    `${ROOT}reliability/results/${name}`,
    `${JSON.stringify({ commit: commit(), isChanged: isChanged(), seed: setting.seed, machine, passed: isPassed, isWhole, failpointNs: Number(cost.toFixed(2)), results }, null, 1)}\n`,
  );
  console.log(`written to reliability/results/${name}`);
  if (isWhole) rmSync(STATE, { force: true });
  process.exitCode = isPassed ? 0 : 1;
};
try {
  await main();
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
