/** `stoplog run x.pipeline.ts` */
import { availableParallelism } from 'node:os';
import { seconds as inSeconds } from '@stoplog/core';
import type { App, Status } from '@stoplog/runtime';
import { type AppEvent, type Plan, reportToConsole, startApp } from '@stoplog/runtime/kit';
import { durationIn } from '../text/duration-text.ts';
import { resetIn } from '../text/reset-text.ts';
import { statusJson, statusLine } from '../text/status-text.ts';
import type { Command } from './command.ts';
import { LOG_HELP, logArgument } from './log-argument.ts';
import type { Output } from './output.ts';
import { pipelineUrl } from './pipeline-argument.ts';
import { StatusRow } from './status-row.ts';
import { onParentGone } from './stopping.ts';

export const run: Command = {
  name: 'run',
  summary: 'runs a pipeline until Ctrl-C',
  operands: ['a pipeline module'],
  options: {
    log: 'text',
    threads: 'text',
    'instance-id': 'text',
    session: 'text',
    reset: 'text',
    'program-version': 'text',
    'refuse-other-versions': 'flag',
    json: 'flag',
  },
  help: `Examples
  stoplog run orders.pipeline.ts                        on the log in ./data, which is made if missing
  stoplog run orders.pipeline.ts --log lmdb:/var/lib/orders --threads 2
  stoplog run orders.pipeline.ts --instance-id a --session 45s
  stoplog run orders.pipeline.ts --json | jq .lag

Usage
  stoplog run PIPELINE [--log lmdb:FOLDER] [--threads N] [--instance-id ID] [--session D] [--reset WHERE]
                       [--program-version V] [--refuse-other-versions] [--json]

  PIPELINE              a module that exports a pipeline by default, .ts or .js
${LOG_HELP}
  --threads N           the number of threads that the actors share; one per core when left out
  --instance-id ID      a static member: restarted under this name within its session, it keeps its partitions
  --session D           session timeout: a process that stands still, or a static member that is away, for longer loses its
                        partitions to other processes: 100ms to 1h; 10s when left out
  --reset WHERE         where a task resumes when retention has deleted its next record: earliest (when left out), latest,
                        the first record of the last 15m or 2h, or fail: its partition fails
  --program-version V   the version of the program; a hash of the pipeline's file and of its relative imports when left out.
                        Processes of one group that run other versions are reported to each other
  --refuse-other-versions  do not start beside another version
  --json                one status per second on standard output, each a line of JSON

A terminal shows a status that is redrawn each second, anything else gets a line every five seconds, both on standard
error: records in and out per second, lag (records not yet processed), and how long commits take.

Several processes that run a pipeline on one folder share its partitions; a process that ends hands its partitions over.

Ctrl-C, or SIGTERM, drains: records in progress are committed, then the command ends. A second signal ends it at once (exit
code 130, or 143) and loses nothing either. The exit code is 1 when a partition failed or a fatal error occurred; the command
runs while other partitions run. Run it again, and it resumes where it stopped.`,
  async run(given, output) {
    const log = logArgument(given.text('log'), { create: true });
    const threads = given.number('threads', 1) ?? availableParallelism();
    const [instanceId, session] = [given.text('instance-id'), given.text('session')];
    const member = {
      ...(instanceId === undefined ? {} : { instanceId }),
      ...(session === undefined ? {} : { session: inSeconds(durationIn(session, 'session') / 1000) }),
    };
    const policy = given.text('reset');
    const version = given.text('program-version');
    const program = {
      ...(version === undefined ? {} : { version }),
      ...(given.flag('refuse-other-versions') ? { otherVersions: 'refuse' as const } : {}),
    };
    const reset = policy === undefined ? {} : { reset: resetIn(policy) };
    const url = pipelineUrl(given.operands[0]!);
    const row = await StatusRow.on(process.stderr);
    let reporter: RunReporter | undefined;
    const stop = new AbortController();
    output.gone.addEventListener('abort', () => stop.abort(), { once: true });
    const stopWatching = onParentGone(() => {
      row.say('the process that started this one has ended');
      reporter?.report({ type: 'draining' });
      stop.abort();
    });
    try {
      await using app = await startApp(url, { log: log.ref, threads, ...member, signals: true, signal: stop.signal, ...reset, ...program }, (plan) => {
        reporter = new RunReporter(plan, `log ${log.text}   threads ${threads}`, row, () => stop.abort());
        return (event) => reporter?.report(event);
      });
      const watching = given.flag('json') ? watchJson(app, output) : watchLines(app, row);
      try {
        await app.finished;
      } finally {
        watching.unsubscribe();
      }
    } catch (error) {
      if (reporter?.fatal === undefined) throw error; // else the error was printed when it occurred
    } finally {
      stopWatching();
      row.end();
    }
    return reporter?.failed === true ? 1 : 0;
  },
};

/** A plain line for every fifth status; statuses are a second apart. */
const PLAIN_EVERY = 5;

const watchLines = (app: App, row: StatusRow): { unsubscribe(): void } => {
  let reports = 0;
  return app.status.subscribe({
    next: (status: Status) => {
      const line = `${clock()}  ${statusLine(status)}`;
      if (row.live) row.show(line);
      else if (reports++ % PLAIN_EVERY === PLAIN_EVERY - 1) row.say(line);
    },
    error: () => {}, // `finished` rejects with the error
  });
};

const watchJson = (app: App, output: Output): { unsubscribe(): void } =>
  app.status.subscribe({ next: (status: Status) => void output.write(`${statusJson(status, new Date().toISOString())}\n`).catch(() => {}), error: () => {} });

const clock = (): string => new Date().toTimeString().slice(0, 8);

/** Prints when the actors run and how the app ended; other events are printed as `run` prints them in any program. */
class RunReporter {
  /** The error that ended the app, after it was printed. */
  fatal: Error | undefined;
  readonly #plan: Plan;
  readonly #setting: string;
  readonly #row: StatusRow;
  readonly #endNow: () => void;
  readonly #others: (event: AppEvent) => void;
  readonly #actors: number;
  #held = 0;
  readonly #running = new Set<string>();
  readonly #failed = new Set<string>();
  readonly #startedAt = performance.now();
  #drainingSince: number | undefined;
  #saidRunning = false;

  constructor(plan: Plan, setting: string, row: StatusRow, endNow: () => void) {
    this.#plan = plan;
    this.#setting = setting;
    this.#row = row;
    this.#endNow = endNow;
    this.#others = reportToConsole(plan, (line) => row.say(line));
    this.#actors = plan.tasks.reduce((sum, task) => sum + task.partitions, 0);
  }

  get failed(): boolean {
    return this.fatal !== undefined || this.#failed.size > 0;
  }

  #sayRunning(): void {
    if (this.#saidRunning || this.#running.size < this.#held) return;
    this.#saidRunning = true;
    const all = this.#held === this.#actors ? `actors ${this.#actors}` : `actors ${this.#held} of ${this.#actors}`;
    this.#row.say(`${all} running in ${seconds(performance.now() - this.#startedAt)}`);
  }
  report(event: AppEvent): void {
    switch (event.type) {
      case 'opened':
        this.#row.say(`stoplog   ${this.#plan.name} ${this.#plan.fingerprint}   ${this.#setting}`);
        if (event.topicsCreated > 0) this.#row.say(`topics created ${event.topicsCreated}`);
        return;
      case 'running':
        this.#running.add(`${event.actor.task}:${event.actor.partition}`);
        return this.#sayRunning();
      case 'rebalanced':
        this.#held = event.held;
        // New actors report that they run.
        if (event.held === event.taken) this.#running.clear();
        return this.#others(event);
      case 'waiting':
        this.#running.clear();
        this.#saidRunning = false;
        return this.#others(event);
      case 'draining':
        if (this.#drainingSince !== undefined) return;
        this.#drainingSince = performance.now();
        return this.#others(event);
      case 'ended':
        if (this.#drainingSince !== undefined)
          this.#row.say(`stoplog   ${this.#plan.name}   committed and closed in ${seconds(performance.now() - this.#drainingSince)}`);
        return;
      case 'failed':
        this.#failed.add(`${event.actor.task}:${event.actor.partition}`);
        this.#others(event);
        if (this.#failed.size === this.#held) this.#endNow(); // every partition here has failed
        return;
      case 'fatal':
        this.fatal ??= event.error;
        return this.#others(event);
      case 'restarting':
      case 'suspect':
      case 'other-version':
      case 'reset':
      case 'cleaned':
      case 'dropped':
      case 'rebuilding':
      case 'rebuild-progress':
      case 'rebuilt':
        return this.#others(event);
      case 'rebuild-failed':
        this.#failed.add('rebuild');
        return this.#others(event);
    }
  }
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;
