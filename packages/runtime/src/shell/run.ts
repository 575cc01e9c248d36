/**
 * The composition root of `run`. It alone knows all parts: the plan, the log, the actors, the signals, the console.
 */
import { availableParallelism } from 'node:os';
import { type Millis, type Reset, StoplogError } from '@stoplog/core';
import type { Log, LogLink, LogModule, LogRef } from '@stoplog/core/port';
import { checkLogRef, checkMembership, checkSettings, type Known, loadLogModule, SESSION_MS } from '@stoplog/core/kit';
import { newStoreParts, topicUse } from '../pure/actor/store-part.ts';
import type { Plan } from '../pure/topology/plan.ts';
import { Threads } from './actors/threads.ts';
import { RunningApp, type App } from './app.ts';
import { tellConsole, type Teller } from './console.ts';
import { loadPlan } from './load-plan.ts';
import { orLackOfFiles } from './open-files.ts';
import { onStopSignals } from './stop-signals.ts';

export interface RunOptions {
  /** Where the topics and stores are: `lmdb('./data')`. */
  readonly log: LogRef;
  /** How many threads the actors share; as many as there are cores when left out. */
  readonly threads?: number;
  /** Aborting it drains the app, as disposing of it does. */
  readonly signal?: AbortSignal;
  /** A record that takes longer hangs: its thread is ended and replaced. 30 s when left out. */
  readonly hangAfter?: Millis;
  /** Heap of one thread, in MB: a handler that needs more ends its thread, not the process. 2,048 when left out. */
  readonly heapMb?: number;
  /**
   * Where a task goes on when the log has forgotten what it would read next: 'earliest' (the default), 'latest', `{ ago: hours(1) }`, each of
   * which is told, or 'fail': its partition is given up. What it missed is in none of its stores.
   */
  readonly reset?: Reset;
  /**
   * Makes this process a static member of its group: stopped and started again under this name within its session, it has
   * the partitions that it had, and no other's have moved. Without, they go to the others as soon as it ends.
   */
  readonly instanceId?: string;
  /** How long this process may stand still, or a static member be gone, until the others share its partitions. 10 s when left out. */
  readonly session?: Millis;
  /**
   * True: SIGINT and SIGTERM drain the app, and a second one ends the process. Left out, signals are the program's: in a server it
   * closes what it has opened, this app with it.
   */
  readonly signals?: boolean;
  /** What happens is told on standard error ('console', the default), or nowhere. */
  readonly tell?: 'console' | 'nothing';
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
  tell: true,
};

const HANG_AFTER_MS = 30_000;
const HEAP_MB = 2_048;

/** `run`, behind its door (start.ts). */
export const runApp = (url: URL, options: RunOptions): Promise<App> =>
  startApp(url, options, (plan) => (options.tell === 'nothing' ? () => {} : tellConsole(plan)));

/** As `run`, for a caller that tells in its own way what happens. */
export const startApp = async (url: URL, options: RunOptions, tellerFor: (plan: Plan) => Teller): Promise<App> => {
  const { href } = new URL(url);
  checkSettings('run(…)', options, KNOWN);
  checkLogRef(options.log);
  const threads = options.threads ?? availableParallelism();
  if (!Number.isInteger(threads) || threads < 1)
    throw new StoplogError('STOPLOG_USAGE', { threads }, `threads is ${String(threads)}: give a whole number from 1 on, or leave it out for one per core`);
  const hangAfterMs = options.hangAfter ?? HANG_AFTER_MS;
  if (!(hangAfterMs > 0))
    throw new StoplogError('STOPLOG_USAGE', { hangAfter: hangAfterMs }, 'hangAfter is 0, and every record takes longer: give seconds(30), or leave it out');
  const member = { instanceId: options.instanceId, sessionMs: options.session };
  checkMembership({ units: [], ...member });
  const plan = await withSourcePartitions(await loadPlan(href), options.signal ?? new AbortController().signal);
  // Threads take longest to be there: they are started first, and import while the log is loaded and opened.
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
  const teller = tellerFor(plan);
  try {
    const names = plan.topics.map(({ name }) => name);
    // Without the tool nobody knows which are new: none is reported.
    const there = new Set((await (await module.tools?.())?.topics?.(log))?.map(({ name }) => name) ?? names);
    await log.ensure(
      plan.topics.map(({ shape }) => shape),
      topicUse(plan),
    );
    // A store that does not fit is told here and now, not by an actor later.
    for (const task of plan.tasks) for (const part of newStoreParts(plan, task)) await log.store(part, new AbortController().signal);
    teller({ type: 'opened', topicsCreated: names.filter((name) => !there.has(name)).length });
  } catch (error) {
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
    tell: teller,
    cleanings: async () =>
      (await tools?.cleanings?.(
        log,
        plan.topics.map(({ name }) => name),
      )) ?? [],
    released: () => stopListening(),
  });
  const stop = (): void => void app[Symbol.asyncDispose]();
  const drain = (): void => {
    const { instanceId, sessionMs = SESSION_MS } = member;
    teller({ type: 'draining', stays: instanceId === undefined ? undefined : { instanceId, ms: sessionMs } });
    stop();
  };
  const offSignals = options.signals === true ? onStopSignals(drain) : (): void => {};
  options.signal?.addEventListener('abort', stop, { once: true });
  stopListening = () => {
    offSignals();
    // The signal may outlive many apps.
    options.signal?.removeEventListener('abort', stop);
  };
  if (options.signal?.aborted) stop();
  await app.started();
  return app;
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
  try {
    const module = await loadLogModule(ref);
    return { module, log: await module.open(ref.options) };
  } catch (error) {
    throw orLackOfFiles(error);
  }
};
