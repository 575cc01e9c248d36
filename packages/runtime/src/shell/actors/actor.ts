/**
 * The thread side of an actor, called by the pool once per actor: imports the pipeline, checks that it is the same one, opens the actor's
 * parts of the log, and takes turns until it is drained or killed.
 *
 * Several actors share a thread and its log. A rejected promise or a failing timer that user code started counts as a failure of the
 * actor in whose turn it was started.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { threadId } from 'node:worker_threads';
import { isStoplogError, StoplogError } from '@stoplog/core';
import type { Log, LogRef, SinkStart, StateStore, StorePart } from '@stoplog/core/port';
import { asError, errorToData, openPort, sourcePartition } from '@stoplog/core/kit';
import { compile, recordWork, storesOf, type Ground } from '../../pure/actor/compile-task.ts';
import { ArrivalWork } from '../../pure/actor/arrivals.ts';
import { LIMITS, memoryBounds } from '../../pure/actor/limits.ts';
import { streamTimePart } from '../../pure/actor/stream-time.ts';
import type { FromActor, Start, ToActor, Warming } from '../../pure/host/mailbox.ts';
import { EXIT_LACKING_FILES, lacksFiles } from '../../pure/host/lacks-files.ts';
import { readBy, type Plan, type Task } from '../../pure/topology/plan.ts';
import { loadPlanWatching, markActorThread, startsSomething } from '../load-plan.ts';
import { orLackOfFiles } from '../open-files.ts';
import { Beacon } from './beacon.ts';
import { Performer, type PerformerParts } from './performer.ts';
import { Sinks } from '../sinks/sinks.ts';
import { openSource } from './source.ts';

markActorThread();

/** The shortest time between two reports. */
const REPORT_MS = 200;

const plans = new Map<string, Promise<Plan>>();
const logs = new Map<string, Promise<Log>>();
/** The actor in whose turn a promise or timer was started; without a known origin, the failure counts for the actor that had the last turn. */
const turnOf = new AsyncLocalStorage<Performer>();
let lastTurn: Performer | undefined;
/** The error of a promise or timer that failed before any actor had a turn: the module's fault. */
let moduleFault: Error | undefined;

const blame = (error: unknown, what: string): void => {
  const cause = asError(error);
  const blamed = turnOf.getStore() ?? lastTurn;
  if (blamed === undefined) {
    moduleFault ??= cause;
    return;
  }
  const failure = new StoplogError(
    'STOPLOG_HANDLER',
    { cause: cause.message },
    `${what}: ${cause.message}. Verbs are synchronous: a handler must not start promises or timers`,
    { cause },
  );
  blamed.blame(failure);
};
process.on('unhandledRejection', (error) => blame(error, 'a promise started by a handler was rejected, and no handler awaited it'));
process.on('uncaughtException', (error) => blame(error, 'something started by a handler threw later'));

export default (start: Start | Warming): Promise<void> => ('task' in start ? live(start) : warm(start));

/** Loads everything that the first actor of this thread would have to wait for. */
const warm = async (warming: Warming): Promise<void> => {
  const { port } = warming;
  if (!new Beacon(warming.beacon).begin(threadId)) return port.close();
  const link = new Promise<unknown>((resolve) => {
    port.on('message', (message: ToActor) => {
      if (message.type === 'link') resolve(message.link);
    });
  });
  try {
    await planHere(warming);
    await logHere(warming.log, () => {
      port.postMessage({ type: 'need-link' } satisfies FromActor);
      return link;
    });
  } catch (error) {
    if (lacksFiles(error)) endThread();
    throw error;
  } finally {
    port.close();
  }
};

/** The number of actors that run in this thread. */
let running = 0;
/**
 * Node caches failed imports, so a thread that had too few files for an import can never load it. The thread ends once the tasks that
 * wait for the same import have reported the failure, and the pool starts another. A thread in which actors run has already loaded
 * everything that they share.
 */
const endThread = (): void => {
  if (running === 0) setImmediate(() => process.exit(EXIT_LACKING_FILES));
};

const live = async (start: Start): Promise<void> => {
  const { port } = start;
  const say = (message: FromActor): void => port.postMessage(message);
  const ending = new AbortController();
  let asksForIdle = false;
  let actor: Performer | undefined;
  let reports: Reports | undefined;
  const idle = (): void => {
    reports?.rested();
    if (!asksForIdle) return reports?.soon();
    reports?.now();
    say({ type: 'idle' });
    asksForIdle = false;
  };
  let linked: (link: unknown) => void = () => {};
  port.on('message', (message: ToActor) => {
    if (message.type === 'link') linked(message.link);
    else if (message.type === 'entered') {
      const entering = actor;
      if (entering !== undefined) turnOf.run(entering, () => entering.entered());
    } else if (message.type === 'ask-idle') {
      asksForIdle = true;
      if (actor?.isAtRest === true) idle();
    } else {
      ending.abort();
      const draining = actor;
      if (draining !== undefined) turnOf.run(draining, () => draining.drain());
    }
  });
  const link = (): Promise<unknown> =>
    new Promise((resolve) => {
      linked = resolve;
      say({ type: 'need-link' });
    });
  const beacon = new Beacon(start.beacon);
  if (!beacon.begin(threadId)) return port.close();
  let runs = false;
  try {
    const plan = await planHere(start);
    const log = await logHere(start.log, link);
    const work = await workOf(start, plan, log, beacon, ending.signal);
    const performer = new Performer({
      ...work,
      log,
      reset: start.reset,
      now: () => performance.now(),
      wallClock: () => Date.now(),
      turn: () => {
        lastTurn = performer;
        reports?.ifDue();
      },
      idle,
      jumped: (jump) => say({ type: 'reset', jump }),
      enter: (step) => say({ type: 'enter', step }),
      leave: (isLast) => say({ type: 'leave', isLast }),
    });
    reports = new Reports(performer, say);
    checkModule(start.url);
    say({ type: 'running' });
    runs = true;
    running++;
    actor = lastTurn = performer;
    try {
      // Nothing is buffered because nothing is pushed: the next batch is fetched when this one has been stepped through, and stepped
      // through when there is a credit for its commit.
      const ended = turnOf.run(performer, () => performer.run());
      if (ending.signal.aborted) performer.drain();
      await ended;
    } finally {
      running--;
      reports.now();
    }
  } catch (thrown) {
    // A later failure for lack of files belongs to the handler, or the log.
    const error = runs ? thrown : orLackOfFiles(thrown);
    if (!runs && lacksFiles(thrown)) endThread();
    const place = beacon.place(inputNames(await plans.get(planKey(start))?.catch(() => undefined), start), start.partition);
    const isHandlers = isStoplogError(error) && error.code === 'STOPLOG_HANDLER';
    const among = isHandlers ? error.facts['among'] : undefined;
    say({ type: 'failed', error: errorToData(error), place: isHandlers ? place : undefined, among: typeof among === 'number' ? among : 1 });
  } finally {
    port.close();
  }
};

/** Sends the actor's progress, at most every REPORT_MS. */
class Reports {
  readonly #actor: Performer;
  readonly #say: (message: FromActor) => void;
  #reported = -Infinity;
  #hasRested = false;
  #later: NodeJS.Timeout | undefined;

  constructor(actor: Performer, say: (message: FromActor) => void) {
    this.#actor = actor;
    this.#say = say;
  }
  now(): void {
    clearTimeout(this.#later);
    this.#later = undefined;
    this.#reported = performance.now();
    const progress = this.#actor.takeProgress();
    if (progress.commits > 0) this.#say({ type: 'progress', progress });
  }
  /** Reports the first rest, though nothing may have been committed: an actor that was restarted, and finds nothing to read, works again. */
  rested(): void {
    if (this.#hasRested) return;
    this.#hasRested = true;
    this.#say({ type: 'progress', progress: this.#actor.takeProgress() });
  }
  ifDue(): void {
    if (performance.now() - this.#reported >= REPORT_MS) this.now();
  }
  /** Reports at once if the last report is old enough, and otherwise as soon as it will be. */
  soon(): void {
    const left = this.#reported + REPORT_MS - performance.now();
    if (left <= 0) this.now();
    else this.#later ??= setTimeout(() => this.now(), left);
  }
}

const inputNames = (plan: Plan | undefined, start: Start): readonly string[] => {
  const task = plan?.tasks[start.task];
  return task === undefined ? [] : readBy(task);
};

const planKey = ({ url, rebuilds }: Warming): string => JSON.stringify([url, rebuilds]);
const planHere = async (start: Warming): Promise<Plan> => {
  let loading = plans.get(planKey(start));
  if (loading === undefined) {
    loading = loadPlanWatching(start.url, start.rebuilds);
    plans.set(planKey(start), loading);
  }
  const plan = await loading;
  checkModule(start.url);
  if (plan.fingerprint !== start.fingerprint) {
    throw new StoplogError(
      'STOPLOG_PIPELINE_MODULE',
      { url: start.url, here: plan.fingerprint, there: start.fingerprint },
      `${start.url} declares another pipeline each time it is imported (${plan.fingerprint} in a thread, ${start.fingerprint} in main): let nothing it declares depend on the time, on chance, or on where it runs`,
    );
  }
  return plan;
};

const checkModule = (url: string): void => {
  if (moduleFault !== undefined)
    throw startsSomething(url, `a promise or timer that it starts failed in a thread: ${moduleFault.message}`, { cause: moduleFault });
};

/** The log of this thread, opened by the first actor that asks. */
const logHere = (ref: LogRef, link: () => Promise<unknown>): Promise<Log> => {
  const name = JSON.stringify(ref);
  let log = logs.get(name);
  if (log === undefined) {
    log = openPort(ref, link());
    logs.set(name, log);
    log.catch(() => logs.delete(name));
  }
  return log;
};

const openSinks = (task: Task, log: Log, start: SinkStart): Promise<Sinks> =>
  Sinks.open(task.sinks, start, async () => {
    const [end] = await log.offsets([{ topic: start.topic, partition: start.partition }], 'latest');
    return end!.offset;
  });

/** Opens the sources, sinks and stores of the actor, and begins at the group's positions. */
const workOf = async (
  start: Start,
  plan: Plan,
  log: Log,
  beacon: Beacon,
  ending: AbortSignal,
): Promise<Pick<PerformerParts, 'work' | 'source' | 'sinks' | 'takeDropped'>> => {
  const { partition, epoch, heapMb, suspect, pace, careful } = start;
  const task = plan.tasks[start.task]!;
  const ground: Ground = { plan, task, partition };
  const open = (part: StorePart): Promise<StateStore> => log.store(part, ending);
  const opened: StateStore[] = [];
  for (const part of storesOf(ground)) opened.push(await open(part));
  const group = plan.name;
  const sinks = task.sinks.length === 0 ? undefined : await openSinks(task, log, { group, topic: task.inputs[0]!.topic.name, partition, epoch });
  const { commitBytes, generationBytes } = memoryBounds(heapMb, opened.length);
  const compiled = compile(ground, opened, { bytes: generationBytes, recovered: sinks?.recovered });
  const { functions } = compiled;
  const takeDropped: PerformerParts['takeDropped'] = () => functions.takeDropped();
  if (task.source !== undefined) {
    const { name } = task.source;
    const [committed] = await log.committed(group, [sourcePartition(name, partition)]);
    const position = committed!.offset;
    const { reader, decode } = await openSource(task.source, { group, partition, position }, start.line, ending);
    const work = new ArrivalWork({
      group,
      epoch,
      incarnation: randomUUID(),
      name,
      partition,
      position,
      decode,
      emit: functions.emits[0]!,
      outputs: compiled.outputs,
      beacon,
    });
    return { work, takeDropped, source: { name, reader } };
  }
  const positions = await log.committed(
    group,
    task.inputs.map(({ topic }) => ({ topic: topic.name, partition })),
  );
  const work = recordWork(ground, compiled, {
    epoch,
    incarnation: randomUUID(),
    positions: positions.map(({ offset }) => offset),
    timeStore: functions.asksForStreamTime ? await open(streamTimePart(plan, task, partition)) : undefined,
    suspect,
    pace,
    careful,
    beacon,
    limits: { ...LIMITS, commitBytes },
    now: () => performance.now(),
  });
  return { work, sinks, takeDropped };
};
