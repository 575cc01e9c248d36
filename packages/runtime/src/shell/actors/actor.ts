/**
 * The thread side of an actor, called by the pool once per actor: imports the pipeline, checks that it is the same one, opens
 * its parts of the log, and turns until it is told to end.
 *
 * Several actors live in one thread; they share its log. A promise that user code let go, or a timer of its that throws, is
 * laid at the door of the actor in whose turn it was started.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { threadId } from 'node:worker_threads';
import { isStoplogError, StoplogError } from '@stoplog/core';
import type { Log, LogRef } from '@stoplog/core/port';
import { asError, errorToData, openPort, sourcePlace } from '@stoplog/core/kit';
import type { FromActor, Jump, Place, Start, ToActor, Warming } from '../../pure/mailbox.ts';
import { compileTask } from '../../pure/nodes/compile.ts';
import { EXIT_LACKING_FILES, lacksFiles } from '../../pure/supervision/lacks-files.ts';
import { Input } from '../../pure/task/input.ts';
import { StoreOverlay } from '../../pure/task/overlay.ts';
import { TopicOutput } from '../../pure/task/outputs.ts';
import { storePart } from '../../pure/task/store-part.ts';
import { readBy, type Plan, type Task } from '../../pure/topology/plan.ts';
import { loadPlanWatching, markActorThread, startsSomething } from '../load-plan.ts';
import { orLackOfFiles } from '../open-files.ts';
import { Beacon } from './beacon.ts';
import { EndingSignal } from './ending.ts';
import { openSource, SourceActor } from './source-actor.ts';
import { TaskActor } from './task-actor.ts';

markActorThread();

/** Reports go out at most this often. */
const REPORT_MS = 200;

const plans = new Map<string, Promise<Plan>>();
const logs = new Map<string, Promise<Log>>();
interface Blamed {
  fail(error: unknown): void;
}
/** Whose turn something was started in; what lost its origin is the fault of whoever had the last turn. */
const turnOf = new AsyncLocalStorage<Blamed>();
let lastTurn: Blamed | undefined;
/** What failed before any actor had a turn is the module's. */
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
    `${what}: ${cause.message}. Verbs are synchronous: nothing they start is waited for`,
    { cause },
  );
  blamed.fail(failure);
};
process.on('unhandledRejection', (error) => blame(error, 'a promise started by a handler was rejected, and nobody looked at it'));
process.on('uncaughtException', (error) => blame(error, 'something started by a handler threw later'));

export default (start: Start | Warming): Promise<void> => ('task' in start ? live(start) : warm(start));

/** Makes ready what the first actor here would wait for. */
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
    if (lacksFiles(error)) giveUpThread();
    throw error;
  } finally {
    port.close();
  }
};

/** How many actors run in this thread. */
let running = 0;
/**
 * Node remembers what it could not import, so a thread that had too few files for that never has enough. It ends once those
 * that wait for the same have told it, and the pool gives another. One in which actors run has all that they share.
 */
const giveUpThread = (): void => {
  if (running === 0) setImmediate(() => process.exit(EXIT_LACKING_FILES));
};

const live = async (start: Start): Promise<void> => {
  const { port } = start;
  const say = (message: FromActor): void => port.postMessage(message);
  const ending = new EndingSignal();
  const asked = { idle: false };
  let resting = (): boolean => false;
  let idle: () => void = () => {};
  let linked: (link: unknown) => void = () => {};
  port.on('message', (message: ToActor) => {
    if (message.type === 'link') linked(message.link);
    else if (message.type === 'tell-idle') {
      asked.idle = true;
      if (resting()) idle();
    } else ending.end(message.type);
  });
  const link = (): Promise<unknown> =>
    new Promise((resolve) => {
      linked = resolve;
      say({ type: 'need-link' });
    });
  const beacon = new Beacon(start.beacon);
  if (!beacon.begin(threadId)) return port.close();
  let place: Place | undefined;
  let runs = false;
  try {
    const plan = await planHere(start);
    const task = plan.tasks[start.task]!;
    const log = await logHere(start.log, link);
    idle = (): void => {
      if (!asked.idle) return reportSoon();
      report();
      say({ type: 'idle' });
      asked.idle = false;
    };
    const actor =
      task.source === undefined
        ? await makeTaskActor(
            start,
            plan,
            task,
            log,
            beacon,
            ending,
            () => idle(),
            (jump) => say({ type: 'reset', jump }),
          )
        : await makeSourceActor(start, plan, task, log, beacon, ending, () => idle());
    resting = () => actor.resting;
    let reported = -Infinity;
    let later: NodeJS.Timeout | undefined;
    const report = (): void => {
      clearTimeout(later);
      later = undefined;
      reported = performance.now();
      const progress = actor.takeProgress();
      if (progress.commits > 0) say({ type: 'progress', progress });
    };
    /** At once if the last report is old enough, and otherwise when it will be. */
    const reportSoon = (): void => {
      const left = reported + REPORT_MS - performance.now();
      if (left <= 0) report();
      else later ??= setTimeout(report, left);
    };
    checkModule(start.url);
    say({ type: 'running' });
    runs = true;
    running++;
    try {
      // Turn by turn: nothing is buffered because nothing is pushed. The next batch is fetched when this one has been stepped
      // through, and stepped through when there is a credit for its commit.
      await turnOf.run(actor, async () => {
        for (let goesOn = true; goesOn; goesOn = await actor.turn()) {
          lastTurn = actor;
          if (performance.now() - reported >= REPORT_MS) report();
        }
      });
    } finally {
      running--;
      await actor.quiet();
      report();
    }
  } catch (thrown) {
    // What fails later for want of files is the handler's, or the log's.
    const error = runs ? thrown : orLackOfFiles(thrown);
    if (!runs && lacksFiles(thrown)) giveUpThread();
    place = beacon.place(inputsOf(await plans.get(start.url)?.catch(() => undefined), start), start.partition);
    const isHandlers = isStoplogError(error) && error.code === 'STOPLOG_HANDLER';
    const among = isHandlers ? error.facts['among'] : undefined;
    say({ type: 'failed', error: errorToData(error), place: isHandlers ? place : undefined, among: typeof among === 'number' ? among : 1 });
  } finally {
    port.close();
  }
};

const inputsOf = (plan: Plan | undefined, start: Start): readonly string[] => {
  const task = plan?.tasks[start.task];
  return task === undefined ? [] : readBy(task);
};

const planHere = async (start: Warming): Promise<Plan> => {
  let loading = plans.get(start.url);
  if (loading === undefined) {
    loading = loadPlanWatching(start.url);
    plans.set(start.url, loading);
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
  if (moduleFault !== undefined) throw startsSomething(url, `something it starts failed in a thread: ${moduleFault.message}`, { cause: moduleFault });
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

const makeTaskActor = async (
  start: Start,
  plan: Plan,
  task: Task,
  log: Log,
  beacon: Beacon,
  ending: EndingSignal,
  idle: () => void,
  jumped: (jump: Jump) => void,
): Promise<TaskActor> => {
  const stores = new Map<string, StoreOverlay>();
  const committed = new Map<string, StoreOverlay>();
  for (const declared of task.stores) {
    const part = storePart(plan, declared, start.partition);
    const serde = declared.store?.valueSerde ?? declared.table!.valueSerde;
    const overlay = new StoreOverlay(await log.store(part, ending.signal), serde);
    stores.set(declared.name, overlay);
    committed.set(part.store, overlay);
  }
  const outputs = new Map(task.outputs.map((topic) => [topic.name, new TopicOutput(topic)]));
  const { emits, takeDropped } = compileTask(task, { stores, outputs });
  const positions = await log.committed(
    plan.name,
    task.inputs.map(({ topic }) => ({ topic: topic.name, partition: start.partition })),
  );
  return new TaskActor({
    group: plan.name,
    epoch: start.epoch,
    life: randomUUID(),
    task,
    partition: start.partition,
    log,
    inputs: task.inputs.map(({ topic }, i) => new Input(topic, start.partition, positions[i]!.offset, emits[i]!)),
    stores: committed,
    outputs: [...outputs.values()],
    suspect: start.suspect,
    pace: start.pace,
    beacon,
    ending,
    now: () => performance.now(),
    wallClock: () => Date.now(),
    reset: start.reset,
    takeDropped,
    jumped,
    idle,
  });
};

const makeSourceActor = async (
  start: Start,
  plan: Plan,
  task: Task,
  log: Log,
  beacon: Beacon,
  ending: EndingSignal,
  idle: () => void,
): Promise<SourceActor> => {
  const outputs = new Map(task.outputs.map((topic) => [topic.name, new TopicOutput(topic)]));
  const {
    emits: [emit],
  } = compileTask(task, { stores: new Map(), outputs });
  const { name } = task.source!;
  const { partition } = start;
  const [committed] = await log.committed(plan.name, [sourcePlace(name, partition)]);
  const position = committed!.offset;
  const source = await openSource(task.source!, { group: plan.name, partition, position }, start.line, ending);
  return new SourceActor({
    group: plan.name,
    epoch: start.epoch,
    life: randomUUID(),
    name,
    partition,
    position,
    source,
    emit: emit!,
    outputs: [...outputs.values()],
    log,
    beacon,
    ending,
    now: () => performance.now(),
    idle,
  });
};
