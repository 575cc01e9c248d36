/** `stoplog rebuild STORE --pipeline FILE` */
import { availableParallelism } from 'node:os';
import { seconds, StoplogError } from '@stoplog/core';
import { type AppEvent, grouped, type LoneRebuild, oneLine, openRebuild, type RebuildOptions, secondsText, sentence } from '@stoplog/runtime/kit';
import { comparisonText, differenceData, differenceText, neededText } from '../text/rebuild-text.ts';
import { durationIn } from '../text/duration-text.ts';
import type { Arguments, OptionTypes } from './arguments.ts';
import type { Command } from './command.ts';
import { exitCodeOf } from './interrupted.ts';
import { LOG_HELP, logArgument } from './log-argument.ts';
import type { Output } from './output.ts';
import { pipelineUrl } from './pipeline-argument.ts';
import { rebuildCancel } from './rebuild-cancel.ts';
import { rebuildStatus } from './rebuild-status.ts';
import { jsonOut } from './rows.ts';
import { StatusRow } from './status-row.ts';
import { onStop } from './stopping.ts';

const OPTIONS: OptionTypes = { log: 'text', pipeline: 'text', to: 'text', from: 'text', keep: 'text', threads: 'text', json: 'flag' };
const OPTIONS_HELP = `  --pipeline FILE       the program that is to serve: its store declares the new version
  --to VERSION          refuse unless the program declares this version
  --from earliest       rebuild from the records that are left, where retention or compaction has removed some
  --keep D              how long the replaced version is kept, so that it can be taken back; 7d when left out
  --threads N           the threads that replay; 1 when left out, so that a pipeline beside it goes on
${LOG_HELP}`;

const swap: Command = {
  name: 'rebuild swap',
  summary: 'replays what is left of a rebuild, and lets the rebuilt stores serve',
  operands: ['a store'],
  options: OPTIONS,
  help: `Examples
  stoplog rebuild swap by-word --pipeline words.pipeline.ts

Usage
  stoplog rebuild swap STORE --pipeline FILE [--to VERSION] [--keep D] [--threads N] [--json] [--log lmdb:FOLDER]

${OPTIONS_HELP}
  --json                print the outcome as an object

Readers see the old stores until one commit exchanges both. Processes that run the old program stop at that moment, with
STOPLOG_STORE_VERSION: run the new one. What was replaced is kept, and 'stoplog rebuild undo' takes it back.`,
  run: (given, output) => replay(given, output, 'swap'),
};
const undo: Command = {
  name: 'rebuild undo',
  summary: 'takes back a version that a rebuild has replaced',
  operands: ['a store'],
  options: OPTIONS,
  help: `Examples
  stoplog rebuild undo by-word --pipeline words-before.pipeline.ts

Usage
  stoplog rebuild undo STORE --pipeline FILE [--to VERSION] [--keep D] [--threads N] [--json] [--log lmdb:FOLDER]

${OPTIONS_HELP}
  --json                print the outcome as an object

FILE is the program of the version that is taken back: it replays the records that came after the exchange, without
repeating what it had appended elsewhere, and serves again. A version can be taken back for as long as it is kept.`,
  run: (given, output) => replay(given, output, 'undo'),
};

export const rebuild: Command = {
  name: 'rebuild',
  summary: 'builds a store anew by replay, beside the one that serves',
  operands: ['a store'],
  options: { ...OPTIONS, 'dry-run': 'flag', diff: 'flag', sample: 'text' },
  actions: [rebuildStatus, swap, undo, rebuildCancel],
  help: `Examples
  stoplog rebuild by-word --pipeline words.pipeline.ts --dry-run    what would be replayed
  stoplog rebuild by-word --pipeline words.pipeline.ts              builds the new version beside the old one
  stoplog rebuild by-word --pipeline words.pipeline.ts --diff       and shows what differs
  stoplog rebuild swap by-word --pipeline words.pipeline.ts         lets the new version serve
  stoplog rebuild status                                            rebuilds, and versions that are kept

Usage
  stoplog rebuild STORE --pipeline FILE [--dry-run] [--diff [--sample N]] [--to VERSION] [--from earliest]
                        [--threads N] [--json] [--log lmdb:FOLDER]

  STORE                 a store whose version is raised in FILE, or that is new in it
${OPTIONS_HELP}
  --dry-run             tell what would be done, and do nothing
  --diff                compare with what serves: keys added, removed and changed, and the records of each
  --sample N            the number of differences to show; 20 when left out. --json shows all, a line each
  --json                progress and outcome as JSON

The program replays everything that leads to the store, up to where the pipeline is, and appends nothing but the topics
between its own tasks. The pipeline may run meanwhile. Ctrl-C stops the rebuild, and the same command continues it. A program
with a raised version that is simply run ('stoplog run') does all of this by itself.`,
  run: (given, output) => replay(given, output, given.flag('diff') ? 'diff' : 'build'),
};

type What = 'build' | 'diff' | 'swap' | 'undo';

const replay = async (given: Arguments, output: Output, what: What): Promise<number> => {
  const [store] = given.operands as readonly [string];
  const file = given.text('pipeline');
  if (file === undefined)
    throw new StoplogError(
      'STOPLOG_USAGE',
      {},
      `--pipeline is missing: name the program that declares the new version of '${oneLine(store)}', as in --pipeline words.pipeline.ts`,
    );
  const argument = logArgument(given.text('log'), { create: false });
  const row = await StatusRow.on(process.stderr);
  const reporter = new Progress(row, given.flag('json') ? output : undefined);
  const opened = await openRebuild(pipelineUrl(file), { log: argument.ref, rebuild: rebuildOptions(given), report: (event) => reporter.report(event) });
  if (opened === undefined) {
    if (what === 'undo' || what === 'swap') throw nothingToDo(store, file, argument.text);
    output.say(`every store of ${oneLine(file)} serves in the version that the program declares: raise the version of '${oneLine(store)}' there to rebuild it`);
    return 0;
  }
  await using lone = opened;
  checkStore(lone, store, given.number('to', 1), what);
  if (given.flag('dry-run')) {
    if (given.flag('json')) await output.write(jsonOut({ ...lone.needed, records: lone.records }));
    else output.say(`${neededText(lone.needed.stores)}: ${grouped(lone.records)} records would be replayed. Nothing was changed`);
    return 0;
  }
  const stop = new AbortController();
  let signal: NodeJS.Signals | undefined;
  const offStop = onStop((received) => {
    signal = received;
    stop.abort();
  });
  output.gone.addEventListener('abort', () => stop.abort(), { once: true });
  try {
    await lone.run(what === 'swap' || what === 'undo', stop.signal);
    if (stop.signal.aborted) {
      output.say('stopped; what was replayed is kept, and the same command continues it');
      return signal === undefined ? 1 : exitCodeOf(signal);
    }
    if (what === 'diff') await tellDifferences(lone, given, output);
    else if (what === 'build' && !given.flag('json'))
      output.say(
        `${lone.needed.tag} is built, and does not serve yet: look at it with --diff, then 'stoplog rebuild swap ${oneLine(store)} --pipeline ${oneLine(file)}'`,
      );
    return 0;
  } finally {
    offStop();
    row.end();
  }
};

const rebuildOptions = (given: Arguments): RebuildOptions => {
  const from = given.text('from');
  if (from !== undefined && from !== 'earliest')
    throw new StoplogError(
      'STOPLOG_USAGE',
      { from },
      `--from is '${oneLine(from)}': a store is rebuilt from the earliest records, so give --from earliest or leave it out`,
    );
  const keep = given.text('keep');
  return {
    threads: Math.min(given.number('threads', 1) ?? 1, availableParallelism()),
    ...(from === undefined ? {} : { from }),
    ...(keep === undefined ? {} : { keep: seconds(durationIn(keep, 'keep') / 1_000) }),
  };
};

const checkStore = ({ needed, plan }: LoneRebuild, store: string, to: number | undefined, what: What): void => {
  const found = needed.stores.find((one) => one.store === store);
  if (found === undefined)
    throw new StoplogError(
      'STOPLOG_USAGE',
      { store, stores: needed.stores.map((one) => one.store) },
      `pipeline '${plan.name}' does not rebuild '${oneLine(store)}': its program declares another version of ${needed.stores.map((one) => `'${one.store}'`).join(', ')}`,
    );
  if (to !== undefined && to !== found.to)
    throw new StoplogError(
      'STOPLOG_USAGE',
      { store, to, declared: found.to },
      `the program declares version ${found.to} of '${store}', and --to is ${to}: give the program of that version`,
    );
  if (what === 'undo' && !(found.from !== undefined && found.to < found.from))
    throw new StoplogError(
      'STOPLOG_USAGE',
      { store, from: found.from, to: found.to },
      `this program declares version ${found.to} of '${store}', which comes after the one that serves: name the program of an earlier version, or swap`,
    );
};
const nothingToDo = (store: string, file: string, log: string): StoplogError =>
  new StoplogError(
    'STOPLOG_REBUILD',
    { store },
    `there is nothing to exchange for '${oneLine(store)}' in ${log}: it serves in the version that ${oneLine(file)} declares. 'stoplog rebuild status' lists what lies beside`,
  );

const SAMPLE = 20;
const tellDifferences = async (lone: LoneRebuild, given: Arguments, output: Output): Promise<void> => {
  const sample = given.number('sample', 0) ?? SAMPLE;
  let shown = 0;
  for await (const one of lone.differences()) {
    if (output.gone.aborted) return;
    if (given.flag('json')) await output.write(`${differenceData(one)}\n`);
    else if (shown++ < sample) await output.write(`${differenceText(one)}\n`);
  }
  if (shown > sample) await output.write(`… and ${grouped(shown - sample)} more: --sample N shows more, --json all\n`);
  for (const one of lone.comparisons())
    await output.write(given.flag('json') ? `${JSON.stringify({ type: 'compared', ...one })}\n` : `${comparisonText(one)}\n`);
};

/** Shows the progress of a rebuild in a row that is redrawn, or as lines. */
class Progress {
  readonly #row: StatusRow;
  readonly #json: Output | undefined;

  constructor(row: StatusRow, json: Output | undefined) {
    this.#row = row;
    this.#json = json;
  }
  report(event: AppEvent): void {
    if (this.#json !== undefined && (event.type === 'rebuilding' || event.type === 'rebuild-progress' || event.type === 'rebuilt'))
      return void this.#json.write(`${JSON.stringify(event)}\n`).catch(() => {});
    switch (event.type) {
      case 'rebuilding':
        return this.#row.say(`${neededText(event.stores)}: ${event.continues ? 'continues with' : 'replays'} ${grouped(event.records)} records`);
      case 'rebuild-progress': {
        const share = event.total === 0 ? 100 : Math.floor((100 * event.done) / event.total);
        const left = event.secondsLeft === undefined ? '' : `   ${secondsText(event.secondsLeft)} left`;
        return this.#row.show(`${share} %   ${grouped(event.done)} of ${grouped(event.total)} records   ${grouped(Math.round(event.perSecond))}/s${left}`);
      }
      case 'rebuilt':
        return this.#row.say(`${event.stores.map(({ store, to }) => `'${store}' serves at version ${to}`).join(', ')}`);
      case 'rebuild-failed':
        return this.#row.say(sentence(event.error));
      default:
    }
  }
}
