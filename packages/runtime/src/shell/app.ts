/** A running pipeline: joins the group as a member, and runs the actors of its assigned partitions until the member leaves. */
import { type LogClient, StoplogError, type Store } from '@stoplog/core';
import type { AssignedPartition, Assignment, Log } from '@stoplog/core/port';
import { asError, makeClient } from '@stoplog/core/kit';
import type { PartitionCleaning } from '@stoplog/core/tools';
import { failpoint } from '@stoplog/core/private/failpoints';
import { differenceOf, holdingsIn, type Held } from '../pure/host/holdings.ts';
import { newStoreParts } from '../pure/actor/store-part.ts';
import { actorName, unitsOf, type Unit } from '../pure/host/units.ts';
import type { Plan } from '../pure/topology/plan.ts';
import { MIXED } from '../pure/console/event-text.ts';
import type { AppEvent } from '../pure/host/app-event.ts';
import { Host, type HostEvent, type HostOptions } from './actors/host.ts';
import { CleaningWatch } from './cleaning-watch.ts';
import { Events, type EventStream } from './status/events.ts';
import { writeNote } from './failure-notes.ts';
import { lagOf, statusOf, Tally, type StatusStream } from './status/status.ts';
import type { Needed } from '../pure/replay/needed.ts';
import { ProcessNotes } from './process-notes.ts';
import { readStore, type StoreReader } from './stores.ts';

export interface App extends AsyncDisposable {
  /** The log this app runs on, for appending and reading. */
  readonly log: LogClient;
  /** Settles when the app has ended: by disposal, signal or abort; rejects with the error that ended it otherwise. */
  readonly finished: Promise<void>;
  /** Rates, lag and commit latency, once a second while subscribed. */
  readonly status: StatusStream;
  /**
   * The events of the app, as data, from the subscription on: actors that fail and are started again, partitions that move or have
   * failed, topics that were cleaned. An Observable, and an async iterable.
   *
   * @example
   * for await (const event of app.events) if (event.type === 'failed') alert(event.error.message, event.skip);
   */
  readonly events: EventStream;
  /**
   * Resolves when every record that was in the log has been processed, here or by another process that shares the partitions, and every
   * commit is durable. Rejects when a partition has failed here, with the error of its handler.
   */
  settled(): Promise<void>;
  /** Reads a store of the pipeline, as of the last commit. */
  store<K, V>(store: Store<K, V>): StoreReader<K, V>;
}

export interface AppParts {
  readonly plan: Plan;
  readonly log: Log;
  readonly host: Omit<HostOptions, 'plan' | 'on' | 'noteStep'>;
  /** Resolves when an actor would start at once. */
  readonly ready: Promise<void>;
  /** The instance id of a static member: how the member is recognized when it rejoins within its session. */
  readonly instanceId?: string | undefined;
  /** The session timeout: how long a member may send no heartbeat before the others share its partitions, ms. */
  readonly sessionMs?: number | undefined;
  /** The fingerprint of the pipeline and the version of the program. */
  readonly program: string;
  /** True when the app does not start beside a process with another program. */
  readonly refusesOthers: boolean;
  /** Gets every event before the subscribers. */
  readonly report: (event: AppEvent) => void;
  /** The cleanings of the plan's topics. */
  readonly cleanings: () => Promise<readonly PartitionCleaning[]>;
  readonly released: () => void;
  /** A rebuild of stores, until which some tasks wait. */
  readonly rebuild?: Rebuilding | undefined;
}
export interface Rebuilding {
  readonly needed: Needed;
  readonly tasks: ReadonlySet<number>;
  /** Resolves when the stores serve, or at the abort. */
  run(signal: AbortSignal): Promise<void>;
}
/** How long a drain may take before the remaining threads are ended. */
const DRAIN_MS = 30_000;
/** How soon the app looks again for other programs in its group. */
const LOOK_FOR_OTHERS_MS = 5_000;
/** How soon `settled` reads the lag again while no actor of this process can answer. */
const LOOK_AGAIN_MS = 50;

export class RunningApp implements App {
  readonly log: LogClient;
  readonly finished: Promise<void>;
  readonly #parts: AppParts;
  readonly #host: Host;
  readonly #tally = new Tally();
  readonly #events = new Events();
  readonly #notes: ProcessNotes;
  readonly #watch: CleaningWatch;
  #status: StatusStream | undefined;
  /** Aborted when the app should end: first the actors are drained, then the group is left. */
  readonly #stop = new AbortController();
  readonly #leave = new AbortController();
  readonly #units: readonly Unit[];
  /** Resolves when the actors have ended, after the app was asked to end. */
  #drained: Promise<void> = Promise.resolve();
  /** Called at every event of the host. */
  readonly #listeners = new Set<() => void>();
  #fatal: Error | undefined;
  /** The other programs of the group at the last look; undefined before the first. */
  #others: readonly string[] | undefined;
  #lookLater: NodeJS.Timeout | undefined;
  /** The tasks that wait for a rebuild. */
  #waiting: ReadonlySet<number>;
  #rebuildFailed: Error | undefined;
  /** The partitions of each membership: tasks that waited for a rebuild join on their own. */
  readonly #assigned: (readonly AssignedPartition[])[] = [];
  /** Assignments are taken one after the other. */
  #taken: Promise<void> = Promise.resolve();
  /** Resolves when the notes about failed partitions are written. */
  #noted: Promise<void> = Promise.resolve();

  constructor(parts: AppParts) {
    this.#parts = parts;
    const { plan, log } = parts;
    this.log = makeClient(log, async () => {});
    this.#watch = new CleaningWatch(parts.cleanings, (line) => this.report({ type: 'cleaned', line }), performance.now.bind(performance));
    this.#units = unitsOf(plan);
    this.#waiting = parts.rebuild?.tasks ?? new Set();
    this.#notes = new ProcessNotes(log, plan.name, parts.program);
    this.#host = new Host({ ...parts.host, plan, on: (event) => this.#on(event), noteStep: (unit, step, isWanted) => this.#notes.step(unit, step, isWanted) });
    this.#watch.start();
    this.#leave.signal.addEventListener('abort', () => this.#watch.stop(), { once: true });
    this.finished = this.#live().finally(() => this.#watch.stop());
    // Callers that do not await `finished` see the error elsewhere: in settled() or in the console.
    this.finished.catch(() => {});
  }

  get status(): StatusStream {
    return (this.#status ??= statusOf(this.#tally, this.#parts.plan, this.#parts.log, () => this.#watch.descriptions, this.#leave.signal));
  }

  get events(): EventStream {
    return this.#events.stream;
  }
  report(event: AppEvent): void {
    this.#parts.report(event);
    this.#events.report(event);
  }

  /** Resolves when all assigned actors run, or when other processes have all partitions; rejects with the error that prevents it. */
  started(): Promise<void> {
    return new Promise((resolve, reject) => {
      const done = (): void => {
        this.#listeners.delete(look);
        if (this.#fatal === undefined) resolve();
        else reject(this.#fatal);
      };
      const look = (): void => {
        if (this.#fatal !== undefined || this.#host.isStarted || this.#runs().length === 0) done();
      };
      this.#listeners.add(look);
      look();
      void this.finished.then(done, (error: Error) => {
        this.#fatal ??= error;
        done();
      });
    });
  }

  async settled(): Promise<void> {
    for (;;) {
      this.#checkHealth();
      const lag = await lagOf(this.#parts.plan, this.#parts.log);
      if (this.#waiting.size === 0 && [...lag.values()].every((records) => records === 0)) break;
      const asked = await this.#host.idle();
      // No actor runs here right now, or other processes run some, which are not asked.
      if (asked === 0 || this.#host.held.size < this.#units.length) await after(LOOK_AGAIN_MS);
    }
    // An empty commit goes behind all others: when it is durable, they are.
    const barrier = await this.#parts.log.commit({ group: '', epoch: 0, appends: [], stores: [], positions: [] });
    await barrier.durable;
  }

  store<K, V>(store: Store<K, V>): StoreReader<K, V> {
    const { log, plan, rebuild } = this.#parts;
    return readStore(log, plan, store, (name) => (this.#waiting.size === 0 ? undefined : rebuild?.needed.stores.find((needed) => needed.store === name)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.finished.catch(() => {});
  }

  /** The life of the app, from joining the group to leaving it. */
  async #live(): Promise<void> {
    const { log, ready, released, instanceId, rebuild } = this.#parts;
    const stopped = new Promise<void>((resolve) => this.#stop.signal.addEventListener('abort', () => resolve(), { once: true }));
    this.#stop.signal.addEventListener('abort', () => void (this.#drained = this.#drain()), { once: true });
    try {
      // Joins only when the threads are ready: the present holders stop when partitions are assigned to this member, and no process works
      // on the partitions until an actor runs here.
      await Promise.race([ready, stopped]);
      const now = this.#runs();
      const members = now.length === 0 && rebuild !== undefined ? [this.#drained] : [this.#member(0, now, instanceId)];
      if (rebuild !== undefined) members.push(this.#memberAfter(rebuild, stopped));
      await endTogether(members, () => this.#leave.abort());
      if (this.#stop.signal.aborted) await this.#drained;
    } catch (error) {
      // The error of another process under this instance id, or of the log itself.
      if (this.#fatal === undefined) this.report({ type: 'fatal', error: (this.#fatal = asError(error)) });
    } finally {
      this.#tally.state = 'ended';
      // Also when the app ends by itself: readers of the status are notified that the app is over.
      this.#leave.abort();
      clearTimeout(this.#lookLater);
      await this.#host.close();
      await this.#noted;
      // Appends to app.log settle with what became of them.
      await this.log[Symbol.asyncDispose]();
      failpoint('close.closed');
      await log[Symbol.asyncDispose]();
      released();
      this.report({ type: 'ended' });
    }
    if (this.#fatal !== undefined) throw this.#fatal;
  }
  /** The units that do not wait for a rebuild. */
  #runs(): readonly Unit[] {
    return this.#units.filter(({ task }) => !this.#waiting.has(task.id));
  }
  /** A member of the group, with the units that it may take. */
  async #member(number: number, units: readonly Unit[], instanceId: string | undefined): Promise<void> {
    const { plan, log, sessionMs } = this.#parts;
    const membership = {
      units: units.map(({ places }) => places),
      ...(instanceId === undefined ? {} : { instanceId }),
      ...(sessionMs === undefined ? {} : { sessionMs }),
    };
    for await (const assignment of log.join(plan.name, membership, this.#leave.signal)) {
      if (this.#stop.signal.aborted) await this.#drained;
      else await (this.#taken = this.#taken.then(() => this.#take(number, assignment)));
    }
  }
  /** Rebuilds the stores of the tasks that wait for it, and then joins with these tasks. */
  async #memberAfter(rebuild: Rebuilding, stopped: Promise<void>): Promise<void> {
    try {
      await rebuild.run(this.#stop.signal);
    } catch (error) {
      this.#rebuildFailed = asError(error);
      this.report({ type: 'rebuild-failed', stores: rebuild.needed.stores, error: this.#rebuildFailed });
      return stopped;
    }
    if (this.#stop.signal.aborted) return;
    const units = this.#units.filter(({ task }) => this.#waiting.has(task.id));
    this.#waiting = new Set();
    const { instanceId } = this.#parts;
    return this.#member(1, units, instanceId === undefined ? undefined : `${instanceId}.rebuilt`);
  }
  /** Resolves when every revoked unit has ended: the request for the next assignment confirms it. */
  async #take(number: number, assignment: Assignment): Promise<void> {
    const before = this.#host.held;
    this.#assigned[number] = assignment.partitions;
    const now = holdingsIn(this.#units, this.#assigned.flat());
    await this.#checkStores();
    const { ended, started } = differenceOf(before, now);
    if (started.length > 0) failpoint('rebalance.assigned');
    if (ended.length > 0) failpoint('rebalance.revoke');
    this.#tally.hold([...now.values()].map(({ unit }) => ({ task: unit.task.id, partition: unit.partition })));
    const [taken, handedOver] = [started.filter(({ unit }) => !before.has(unit.name)), ended.filter(({ unit }) => !now.has(unit.name))];
    this.report({ type: 'rebalanced', taken: taken.length, handedOver: handedOver.length, held: now.size, of: this.#units.length });
    await this.#lookForOthers();
    const beginnings = await this.#notes.begin(started);
    const release = async (some: readonly Held[]): Promise<void> => {
      const gone = some.filter(({ unit }) => !now.has(unit.name));
      if (gone.length === 0) return;
      await this.#notes.end(gone.map(({ unit }) => unit.name));
      await assignment.release(gone.flatMap(({ unit }) => unit.places));
    };
    // An error here makes the next assignment fail, too.
    const over = this.#host.assign(now, DRAIN_MS, (some) => void release(some).catch(() => {}), beginnings);
    this.#tally.failed = this.#host.failed;
    this.#tally.retrying = this.#host.retrying;
    await over;
    await this.#notes.end(ended.filter(({ unit }) => !now.has(unit.name)).map(({ unit }) => unit.name));
  }
  /** A rebuild may have replaced stores by those of another program: then no actor of this one may run, not even one without a store. */
  async #checkStores(): Promise<void> {
    const { plan, log } = this.#parts;
    for (const task of plan.tasks) {
      if (this.#waiting.has(task.id)) continue;
      for (const { filledFrom: _, ...part } of newStoreParts(plan, task)) await log.store(part, new AbortController().signal);
    }
  }
  /** Reports other programs in the group, once for each; an app that refuses them ends at its first assignment. */
  async #lookForOthers(): Promise<void> {
    const { program, refusesOthers, plan } = this.#parts;
    const others = await this.#notes.others(this.#units);
    const known = this.#others;
    this.#others = others;
    if (this.#leave.signal.aborted) return;
    clearTimeout(this.#lookLater);
    // Another process notes its program when it has its partitions, a moment after this one has given them up.
    this.#lookLater = setTimeout(() => void this.#lookForOthers().catch(() => {}), LOOK_FOR_OTHERS_MS);
    this.#lookLater.unref();
    if (others.every((one) => known?.includes(one) === true)) return;
    if (refusesOthers && known === undefined)
      throw new StoplogError(
        'STOPLOG_OTHER_VERSION',
        { group: plan.name, own: program, others },
        `processes of group '${plan.name}' run another program (${others.join(', ')}), and this one (${program}) refuses to start beside them: ${MIXED}`,
      );
    this.report({ type: 'other-version', own: program, others });
  }
  async #drain(): Promise<void> {
    failpoint('close.draining');
    if (this.#tally.state === 'running') this.#tally.state = 'draining';
    await this.#host.stop(DRAIN_MS);
    // Notes are fenced: they are written while the partitions are still assigned to this process.
    await this.#noted;
    await this.#notes.close();
    this.#leave.abort();
  }

  #on(event: HostEvent): void {
    this.#tally.retrying = this.#host.retrying;
    switch (event.type) {
      case 'progress':
        this.#tally.add(event.actor, event.progress);
        for (const { verb, topic, records } of event.progress.dropped ?? [])
          this.report({ type: 'dropped', actor: event.actor, verb, topic, records, all: this.#tally.droppedBy(event.actor.task, verb, topic) });
        break;
      case 'restarting':
        this.#tally.restarts++;
        break;
      case 'failed': {
        this.#tally.failed = this.#host.failed;
        const held = this.#host.held.get(actorName(event.actor));
        if (held !== undefined) this.#noted = this.#noted.then(() => writeNote(this.#parts.log, this.#parts.plan.name, held, event.error, event.failures));
        break;
      }
      case 'fatal':
        this.#fatal ??= event.error;
        this.#stop.abort();
        break;
      case 'running':
      case 'suspect':
      case 'waiting':
      case 'reset':
        break;
    }
    if (event.type !== 'progress') this.report(event);
    for (const listener of [...this.#listeners]) listener();
  }

  #checkHealth(): void {
    const [failed] = this.#host.failed;
    if (this.#fatal !== undefined) throw this.#fatal;
    if (failed !== undefined) throw failed.error;
    if (this.#rebuildFailed !== undefined) throw this.#rebuildFailed;
    if (this.#tally.state === 'ended') throw new StoplogError('STOPLOG_USAGE', {}, 'the app has ended: call settled() before disposing of it');
  }
}

/** Resolves when all have ended; when one fails the others are told to end, and the first error is thrown. */
const endTogether = async (all: readonly Promise<void>[], end: () => void): Promise<void> => {
  const ended = await Promise.allSettled(
    all.map((one) =>
      one.catch((error: unknown) => {
        end();
        throw error;
      }),
    ),
  );
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
};
const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
