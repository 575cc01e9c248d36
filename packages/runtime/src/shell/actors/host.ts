/**
 * The main thread's side of the actors: one long task of the pool of threads for each, one MessagePort each, and a watchdog over all.
 *
 * An assignment lists the units; the next one decides which actors end, which begin, and which stay untouched. An actor that fails is
 * restarted from its last commit after a while, and stopped after repeated failures, while its neighbours continue. An actor that hangs
 * or kills its thread is found by its beacon in shared memory, and the thread is replaced. Threads only read the log, so ending one at
 * any moment tears nothing.
 */
import { MessageChannel, receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import type { Reset } from '@stoplog/core';
import type { LogLink, LogRef } from '@stoplog/core/port';
import { asError, errorFromData } from '@stoplog/core/kit';
import type { Careful } from '../../pure/actor/careful.ts';
import type { Activity, Place } from '../../pure/actor/place.ts';
import type { ActorName, AppEvent } from '../../pure/host/app-event.ts';
import { deathOf, endsProcesses, hangOf, type Death } from '../../pure/host/death.ts';
import type { FromActor, Progress, Start, ToActor } from '../../pure/host/mailbox.ts';
import { HostState, step, type Failure, type HostEffect, type HostEvent as MachineEvent, type Retrying, type Stopped } from '../../pure/host/host.ts';
import type { Beginning } from '../../pure/host/process-note.ts';
import { skipCommand } from '../../pure/host/skip-command.ts';
import type { Held, Holdings } from '../../pure/host/holdings.ts';
import { readBy, type Plan } from '../../pure/topology/plan.ts';
import { ReadingHost } from '../sources/reading-host.ts';
import { Beacon, makeBeacon } from './beacon.ts';
import { giveLink, type Threads } from './threads.ts';
import { Turnstile, type NoteStep } from './turnstile.ts';

export interface HostOptions {
  readonly url: string;
  readonly plan: Plan;
  /** The stores that the plan rebuilds; left out, the plan is the whole pipeline. */
  readonly rebuilds?: readonly string[];
  readonly log: LogRef;
  readonly link: () => Promise<LogLink>;
  readonly threads: Threads;
  readonly hangAfterMs: number;
  readonly reset: Reset;
  readonly on: (event: HostEvent) => void;
  /** Notes in the log that a suspect is about to take a step. */
  readonly noteStep?: NoteStep;
}
export type HostEvent =
  | { readonly type: 'progress'; readonly actor: ActorName; readonly progress: Progress }
  | Extract<AppEvent, { readonly type: 'running' | 'reset' | 'restarting' | 'failed' | 'suspect' | 'waiting' | 'fatal' }>;

/** An incarnation of an actor, as the main thread knows it. */
interface Incarnation {
  readonly name: ActorName;
  readonly held: Held;
  readonly beacon: SharedArrayBuffer;
  readonly port: MessagePort;
  /** The reason why the main thread ended the actor's thread. */
  killedFor: Failure | undefined;
  failure: Failure | undefined;
}

const WATCH_MS = 500;
/** How long drained units wait for the units that drain with them, before they are released without them. */
const EARLY_MS = 50;

export class Host {
  readonly #options: HostOptions;
  readonly #reading: ReadingHost;
  readonly #state: HostState;
  readonly #incarnations = new Map<string, Incarnation>();
  /** Threads that died while an actor was inside an activity. */
  readonly #culprits = new Map<number, Death['culprit']>();
  readonly #restarts = new Map<string, NodeJS.Timeout>();
  /** The units that are suspect of ending processes. */
  readonly #suspects = new Map<string, Careful>();
  readonly #turnstile: Turnstile;
  readonly #watch: NodeJS.Timeout;
  /** Called when a unit is free, and when all revoked units are. */
  readonly #over = new Set<(held: Held) => void>();
  #drained: (() => void)[] = [];
  /** Called when a round of questions is answered, with the number of actors asked. */
  #answered: ((asked: number) => void)[] = [];
  #standby: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: HostOptions) {
    this.#options = options;
    this.#reading = new ReadingHost(options.url);
    this.#state = new HostState(options.hangAfterMs);
    this.#turnstile = new Turnstile(options.noteStep ?? ((): Promise<void> => Promise.resolve()));
    this.#watch = setInterval(() => this.#look(), Math.min(WATCH_MS, options.hangAfterMs / 2));
    this.#watch.unref();
  }

  /**
   * Makes the actors match an assignment. Actors of revoked units are drained, and lose their thread when the drain takes longer than
   * `ms`; resolves when they have ended. Until then `early` is called now and then with the units that have ended. `beginnings` are of
   * units that this assignment starts.
   */
  assign(now: Holdings, ms: number, early: (ended: readonly Held[]) => void = () => {}, beginnings: ReadonlyMap<string, Beginning> = new Map()): Promise<void> {
    const failed = new Map<string, Stopped>();
    for (const [unit, beginning] of beginnings) {
      const actor = nameOf(unit);
      this.#suspects.delete(unit);
      if (beginning.type === 'failed') {
        const { place, deaths } = beginning;
        failed.set(unit, { error: endsProcesses(actor.task, place, deaths), failures: deaths });
      } else if (beginning.type === 'careful') {
        this.#suspects.set(unit, beginning);
        this.#options.on({ type: 'suspect', actor, records: beginning.records });
      }
    }
    return this.#change({ type: 'assigned', holdings: now, failed }, ms, early);
  }
  async #change(change: MachineEvent, ms: number, early: (ended: readonly Held[]) => void): Promise<void> {
    // An app that a fault of the log has ended may still be asked to drain.
    if (this.#isClosed) return;
    let some: Held[] = [];
    const over = (held: Held): void => void some.push(held);
    const saying = setInterval(() => {
      if (some.length > 0) early(some);
      some = [];
    }, EARLY_MS);
    const drained = new Promise<void>((resolve) => this.#drained.push(resolve));
    this.#over.add(over);
    this.#hear(change);
    const units = this.#state.leaving;
    const late = setTimeout(() => this.#hear({ type: 'late', units }), ms);
    await drained;
    this.#over.delete(over);
    clearTimeout(late);
    clearInterval(saying);
  }
  get held(): Holdings {
    return this.#state.held;
  }
  get isStarted(): boolean {
    return this.#state.isStarted;
  }
  /** The failed partitions. */
  get failed(): readonly (ActorName & { readonly error: Error })[] {
    return [...this.#state.failed].map(([unit, error]) => ({ ...nameOf(unit), error }));
  }
  /** The partitions whose actors failed and have not worked since. */
  get retrying(): readonly (ActorName & Retrying)[] {
    return [...this.#state.retrying].map(([unit, retrying]) => ({ ...nameOf(unit), ...retrying }));
  }
  /** Asks one round: resolves when every actor was idle once, or cannot become idle any more; with the number of actors asked. */
  idle(): Promise<number> {
    return new Promise((resolve) => {
      if (this.#isClosed) return resolve(0);
      this.#answered.push(resolve);
      this.#hear({ type: 'ask' });
    });
  }
  /** Drains all actors and resolves when they have ended; actors that do not end within `ms` lose their thread. */
  async stop(ms: number): Promise<void> {
    await this.#change({ type: 'stop' }, ms, () => {});
  }
  /** Ends the threads without draining: a caller that wants the actors to finish calls `stop` first. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#restarts.values()) clearTimeout(timer);
    clearInterval(this.#watch);
    clearTimeout(this.#standby);
    for (const answered of this.#answered.splice(0)) answered(0);
    for (const drained of this.#drained.splice(0)) drained();
    await this.#options.threads.close();
    await this.#reading.close();
  }

  #hear(event: MachineEvent): void {
    if (this.#isClosed) return;
    const [, effects] = step(this.#state, event);
    const launches = effects.filter((effect) => effect.type === 'launch');
    for (const effect of effects) if (effect.type !== 'launch') this.#perform(effect);
    // Groups the units of one partition, so that they tend to share a thread.
    const threads = this.#options.threads.count;
    const beside = ({ held }: { readonly held: Held }): number => held.unit.partition % threads;
    for (const { held, suspect, pace } of launches.toSorted((a, b) => beside(a) - beside(b))) this.#launch(held, suspect, pace);
  }
  #perform(effect: Exclude<HostEffect, { readonly type: 'launch' }>): void {
    const { on } = this.#options;
    switch (effect.type) {
      case 'drain':
        this.#incarnations.get(effect.unit)?.port.postMessage({ type: 'drain' } satisfies ToActor);
        return;
      case 'kill':
        return this.#kill(effect.unit, effect.hangsForMs);
      case 'restart':
        this.#restarts.set(
          effect.unit,
          setTimeout(() => {
            this.#restarts.delete(effect.unit);
            this.#hear({ type: 'due', unit: effect.unit });
          }, effect.afterMs),
        );
        return on({ type: 'restarting', actor: nameOf(effect.unit), error: effect.error, failures: effect.failures, afterMs: effect.afterMs });
      case 'restart no more':
        clearTimeout(this.#restarts.get(effect.unit));
        this.#restarts.delete(effect.unit);
        return;
      case 'failed':
        return on({
          type: 'failed',
          actor: nameOf(effect.unit),
          error: effect.error,
          failures: effect.failures,
          skip: skipCommand(this.#options.plan.name, effect.error),
        });
      case 'fatal':
        return on({ type: 'fatal', error: effect.error });
      case 'stand by':
        this.#standby = setTimeout(() => this.#hear({ type: 'stood by' }), effect.afterMs);
        return;
      case 'waiting':
        return on({ type: 'waiting' });
      case 'ask':
        this.#incarnations.get(effect.unit)?.port.postMessage({ type: 'ask-idle' } satisfies ToActor);
        return;
      case 'answered':
        for (const answered of this.#answered.splice(0)) answered(effect.asked);
        return;
      case 'over':
        for (const over of this.#over) over(effect.held);
        return;
      case 'drained':
        for (const drained of this.#drained.splice(0)) drained();
    }
  }

  #launch(held: Held, suspect: Place | undefined, pace: number | undefined): void {
    const { port1, port2 } = new MessageChannel();
    const { task, partition } = held.unit;
    const { url, plan, rebuilds, log, reset } = this.#options;
    const beacon = makeBeacon();
    const start: Start = {
      url,
      fingerprint: plan.fingerprint,
      rebuilds,
      log,
      task: task.id,
      partition,
      epoch: held.epoch,
      heapMb: this.#options.threads.heapMbOfActor,
      suspect,
      pace,
      careful: this.#suspects.get(held.unit.name),
      reset,
      beacon,
      port: port2,
      line: task.source?.decode === undefined ? undefined : this.#reading.connect(task.source.name),
    };
    const incarnation: Incarnation = { name: { task: task.id, partition }, held, beacon, port: port1, killedFor: undefined, failure: undefined };
    this.#options.threads.run(start).then(
      () => this.#bury(incarnation, incarnation.failure),
      (error: unknown) => {
        this.#hearTheRest(incarnation);
        this.#bury(incarnation, incarnation.failure ?? incarnation.killedFor ?? this.#death(incarnation, error));
      },
    );
    port1.on('message', (message: FromActor) => this.#receive(incarnation, message));
    this.#incarnations.set(held.unit.name, incarnation);
  }

  #giveLink(port: MessagePort): void {
    giveLink(port, this.#options.link).catch((error: unknown) => this.#hear({ type: 'broken', error: asError(error) }));
  }
  #receive(incarnation: Incarnation, message: FromActor): void {
    const actor = incarnation.name;
    const unit = incarnation.held.unit.name;
    const { on } = this.#options;
    switch (message.type) {
      case 'need-link':
        return this.#giveLink(incarnation.port);
      case 'running':
        this.#hear({ type: 'running', unit });
        return on({ type: 'running', actor });
      case 'idle':
        return this.#hear({ type: 'idle', unit });
      case 'enter':
        return this.#turnstile.enter(unit, message.step, () => incarnation.port.postMessage({ type: 'entered' } satisfies ToActor));
      case 'leave':
        if (message.isLast) this.#suspects.delete(unit);
        return this.#turnstile.leave(unit);
      case 'progress':
        this.#hear({ type: 'worked', unit });
        return on({ type: 'progress', actor, progress: message.progress });
      case 'reset':
        return on({ type: 'reset', actor, jump: message.jump });
      case 'failed':
        incarnation.failure = { error: errorFromData(message.error), place: message.place, among: message.among };
    }
  }

  /** The end of an actor comes by the pool's port, and the actor's messages by its own: the end may well arrive first. */
  #hearTheRest(incarnation: Incarnation): void {
    for (let said = receiveMessageOnPort(incarnation.port); said !== undefined; said = receiveMessageOnPort(incarnation.port))
      this.#receive(incarnation, said.message as FromActor);
  }
  /** An incarnation is over: by its own end, by a failure, or with its thread. */
  #bury(incarnation: Incarnation, failure: Failure | undefined): void {
    this.#hearTheRest(incarnation);
    incarnation.port.close();
    this.#incarnations.delete(incarnation.held.unit.name);
    this.#turnstile.leave(incarnation.held.unit.name);
    this.#hear({ type: 'ended', unit: incarnation.held.unit.name, failure: failure ?? incarnation.failure, at: performance.now() });
  }

  #death(incarnation: Incarnation, error: unknown): Failure {
    const beacon = new Beacon(incarnation.beacon);
    const { task } = incarnation.held.unit;
    const activity = this.#activityOf(incarnation);
    if (activity !== undefined) this.#culprits.set(beacon.thread, { ...incarnation.name, activity });
    return deathOf(
      { ...incarnation.name, activity, last: beacon.place(readBy(task), incarnation.name.partition), culprit: this.#culpritIn(beacon.thread) },
      error,
    );
  }
  /** The actor to blame is buried before its neighbours, or after them. */
  #culpritIn(thread: number): Death['culprit'] {
    const known = this.#culprits.get(thread);
    if (known !== undefined) return known;
    for (const one of this.#incarnations.values()) {
      const activity = new Beacon(one.beacon).thread === thread ? this.#activityOf(one) : undefined;
      if (activity !== undefined) return { ...one.name, activity };
    }
    return undefined;
  }
  #activityOf({ beacon, held, name }: Incarnation): Activity | undefined {
    return new Beacon(beacon).activity(readBy(held.unit.task), name.partition);
  }

  #look(): void {
    const at = performance.now();
    for (const { failure, beacon, held } of this.#incarnations.values())
      if (failure === undefined) this.#hear({ type: 'seen', unit: held.unit.name, sighting: new Beacon(beacon).sighting(), at });
  }
  #kill(unit: string, hangsForMs: number | undefined): void {
    const incarnation = this.#incarnations.get(unit);
    if (incarnation === undefined) return;
    if (hangsForMs !== undefined) {
      const { task, partition } = incarnation.name;
      // The activity may have ended since the watchdog looked: its last record is named then.
      const last = new Beacon(incarnation.beacon).place(readBy(incarnation.held.unit.task), partition);
      const activity: Activity = this.#activityOf(incarnation) ?? { type: 'record', place: last };
      incarnation.killedFor = hangOf(task, partition, activity, hangsForMs);
      this.#culprits.set(new Beacon(incarnation.beacon).thread, { task, partition, activity });
    }
    this.#options.threads.end(new Beacon(incarnation.beacon).thread);
  }
}

/** A unit has the name of its actor. */
const nameOf = (unit: string): ActorName => {
  const [task, partition] = unit.split(':').map(Number);
  return { task: task!, partition: partition! };
};
