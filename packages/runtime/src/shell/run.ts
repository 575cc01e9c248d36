/**
 * The composition root of `run`: the only file that knows all parts, the plan, the log, the actors, the signals and the console.
 */
import { availableParallelism } from 'node:os';
import { type Millis, type Reset, StoplogError } from '@stoplog/core';
import type { Log, LogLink, LogModule, LogRef } from '@stoplog/core/port';
import { checkLogRef, checkMembership, checkSettings, type Known, loadLogModule, onAbort, SESSION_MS } from '@stoplog/core/kit';
import { newStoreParts, topicUse } from '../pure/actor/store-part.ts';
import type { Plan } from '../pure/topology/plan.ts';
import { Threads } from './actors/threads.ts';
import type { AppEvent } from '../pure/host/app-event.ts';
import { RunningApp, type App, type Rebuilding } from './app.ts';
import { checkLogging, reporterOf, type Logging, type Reporter } from './logger.ts';
import { loadPlan } from './load-plan.ts';
import { freeKept } from './replay/kept.ts';
import { prepareRebuild, type RebuildOptions } from './replay/prepare.ts';
import { versionOf } from './program.ts';
import { onStopSignals } from './stop-signals.ts';

export interface RunOptions {
  /** Where the topics and stores are: `lmdb('./data')`. */
  readonly log: LogRef;
  /** The number of threads that the actors share; one per core when left out. */
  readonly threads?: number;
  /** Aborting it drains the app, as disposing of it does. */
  readonly signal?: AbortSignal;
  /** A record that takes longer hangs: its thread is ended and replaced. 30 s when left out. */
  readonly hangAfter?: Millis;
  /** Heap of one thread, in MB: a handler that needs more ends its thread, not the process. 2,048 when left out. */
  readonly heapMb?: number;
  /**
   * Auto offset reset: where a task resumes when retention has deleted its next record: 'earliest' (the default), 'latest' or
   * `{ ago: hours(1) }`, which are logged, or 'fail', which stops the partition. The skipped records are in none of the stores.
   */
  readonly reset?: Reset;
  /**
   * Makes this process a static member of its group: restarted under this name within its session, it keeps its partitions, and no
   * partition of another process moves. Without an id, its partitions are assigned to other processes as soon as it ends.
   */
  readonly instanceId?: string;
  /** Session timeout: how long this process may stand still, or a static member be away, before others get its partitions. 10 s when left out. */
  readonly session?: Millis;
  /**
   * True: SIGINT and SIGTERM drain the app, and a second one ends the process. Left out, signals are the program's: a server
   * closes its resources, and this app with them.
   */
  readonly signals?: boolean;
  /**
   * The version of the program; a hash of the pipeline's file, and of the files that it imports by relative paths, when left out. Processes of
   * one group that run other versions are reported to each other.
   */
  readonly version?: string;
  /** 'refuse': this process does not start beside another version. 'warn', the default, reports it. */
  readonly otherVersions?: 'warn' | 'refuse';
  /** How stores are rebuilt whose version was raised. */
  readonly rebuild?: RebuildOptions;
  /** Logs events to standard error ('console', the default), not at all ('none'), or to a logger of pino's shape. `app.events` has them as data. */
  readonly logger?: Logging;
}

const KNOWN: Known<RunOptions> = {
  log: true,
  threads: true,
  signal: true,
  hangAfter: true,
  heapMb: true,
  reset: true,
  instanceId: true,
  session: true,
  signals: true,
  version: true,
  otherVersions: true,
  rebuild: true,
  logger: true,
};
const OF_REBUILDS: Known<RebuildOptions> = { keep: true, from: true, threads: true };

const HANG_AFTER_MS = 30_000;
const HEAP_MB = 2_048;

/** The implementation of `run` (start.ts). */
export const runApp = async (url: URL, options: RunOptions): Promise<App> => {
  // In plain JavaScript the options may be missing, which startApp refuses.
  const logging = checkLogging((options as RunOptions | undefined)?.logger);
  return startApp(url, options, (plan) => reporterOf(logging, plan));
};

/** `run` for a caller that logs events in its own way. */
export const startApp = async (url: URL, options: RunOptions, reporterFor: (plan: Plan) => Reporter): Promise<App> => {
  const { href } = new URL(url);
  checkSettings('run(…)', options, KNOWN);
  checkLogRef(options.log);
  checkVersions(options);
  if (options.rebuild !== undefined) checkSettings('run(…, { rebuild })', options.rebuild, OF_REBUILDS);
  const threads = options.threads ?? availableParallelism();
  if (!Number.isInteger(threads) || threads < 1)
    throw new StoplogError('STOPLOG_USAGE', { threads }, `threads is ${String(threads)}: give a whole number from 1 on, or leave it out for one per core`);
  const hangAfterMs = options.hangAfter ?? HANG_AFTER_MS;
  if (!(hangAfterMs > 0))
    throw new StoplogError('STOPLOG_USAGE', { hangAfter: hangAfterMs }, 'hangAfter is 0, and every record takes longer: give seconds(30), or leave it out');
  const member = { instanceId: options.instanceId, sessionMs: options.session };
  checkMembership({ units: [], ...member });
  const plan = await withSourcePartitions(await loadPlan(href), options.signal ?? new AbortController().signal);
  // Threads take longest to start: they are started first, and import their modules while the log is loaded and opened.
  const pool = new Threads(plan, threads, options.heapMb ?? HEAP_MB);
  const opening = openAs(options.log);
  const link = async (): Promise<LogLink> => {
    const { module, log } = await opening;
    return module.share(log);
  };
  const ready = pool.warm({ url: href, fingerprint: plan.fingerprint, log: options.log }, link);
  let module: LogModule;
  let log: Log;
  try {
    ({ module, log } = await opening);
  } catch (error) {
    await pool.close();
    throw error;
  }
  const report = reporterFor(plan);
  const program = `${plan.fingerprint} ${versionOf(href, options.version)}`;
  const told: { report(event: AppEvent): void } = { report };
  const closing = new AbortController();
  let rebuild: Rebuilding | undefined;
  try {
    const names = plan.topics.map(({ name }) => name);
    // Without the tool the new topics are not known, and none is reported.
    const there = new Set((await (await module.tools?.())?.topics?.(log))?.map(({ name }) => name) ?? names);
    await log.ensure(
      plan.topics.map(({ shape }) => shape),
      topicUse(plan),
    );
    await freeKept(log, await module.tools?.(), plan.name, closing.signal);
    rebuild = await prepareRebuild({
      url: href,
      plan,
      ref: options.log,
      log,
      tools: await module.tools?.(),
      heapMb: options.heapMb ?? HEAP_MB,
      hangAfterMs,
      sessionMs: options.session,
      program,
      report: (event) => told.report(event),
      options: options.rebuild,
    });
    const rebuilt = new Set(rebuild?.needed.stores.map(({ store }) => store));
    // A store that does not fit is refused here, not later by an actor.
    for (const task of plan.tasks)
      for (const part of newStoreParts(plan, task)) if (!rebuilt.has(part.store)) await log.store(part, new AbortController().signal);
    report({ type: 'opened', topicsCreated: names.filter((name) => !there.has(name)).length });
  } catch (error) {
    closing.abort();
    await pool.close();
    await log[Symbol.asyncDispose]();
    throw error;
  }
  const tools = await module.tools?.();
  let stopListening = (): void => {};
  const app = new RunningApp({
    plan,
    log,
    host: {
      url: href,
      log: options.log,
      link,
      threads: pool,
      hangAfterMs,
      reset: options.reset ?? 'earliest',
    },
    ready,
    ...member,
    program,
    rebuild,
    refusesOthers: options.otherVersions === 'refuse',
    report,
    cleanings: async () =>
      (await tools?.cleanings?.(
        log,
        plan.topics.map(({ name }) => name),
      )) ?? [],
    released: () => {
      closing.abort();
      stopListening();
    },
  });
  told.report = (event) => app.report(event);
  const stop = (): void => void app[Symbol.asyncDispose]();
  const drain = (): void => {
    const { instanceId, sessionMs = SESSION_MS } = member;
    app.report({ type: 'draining', stays: instanceId === undefined ? undefined : { instanceId, ms: sessionMs } });
    stop();
  };
  const offSignals = options.signals === true ? onStopSignals(drain) : (): void => {};
  // The signal may serve many apps, and outlive them.
  const offAbort = onAbort(options.signal, stop);
  stopListening = () => {
    offSignals();
    offAbort();
  };
  await app.started();
  return app;
};

const checkVersions = ({ version, otherVersions }: RunOptions): void => {
  if (version !== undefined && (typeof version !== 'string' || version === ''))
    throw new StoplogError('STOPLOG_USAGE', { version }, `version is ${JSON.stringify(version)}: give a text, such as '1.4.2', or leave it out`);
  if (otherVersions !== undefined && otherVersions !== 'warn' && otherVersions !== 'refuse')
    throw new StoplogError('STOPLOG_USAGE', { otherVersions }, `otherVersions is '${String(otherVersions)}': take 'warn' or 'refuse'`);
};

/** The plan with the partitions that its sources have now: each is read by an actor of its own. */
const withSourcePartitions = async (plan: Plan, signal: AbortSignal): Promise<Plan> => ({
  ...plan,
  tasks: await Promise.all(
    plan.tasks.map(async (task) => {
      const partitions = await task.source?.partitions?.(signal);
      if (partitions === undefined) return task;
      if (!Number.isInteger(partitions) || partitions < 1)
        throw new StoplogError(
          'STOPLOG_SOURCE',
          { source: task.source!.name, partitions },
          `source '${task.source!.name}' says it has ${partitions} partitions: its connector must give a whole number from 1 on`,
        );
      return { ...task, partitions };
    }),
  ),
});

const openAs = async (ref: LogRef): Promise<{ readonly module: LogModule; readonly log: Log }> => {
  const module = await loadLogModule(ref);
  return { module, log: await module.open(ref.options) };
};
