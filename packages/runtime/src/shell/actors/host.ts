/**
 * The main side of the actors: one long task of the pool of threads for each, one MessagePort each, and a watchdog over all.
 *
 * Which actors there are, an assignment says; the next one says which of them end, which begin, and which go on untouched.
 * An actor that fails is started again from its last commit, after a while, and in the end given up, its neighbours going
 * on; one that hangs or kills its thread is found by what it left in shared memory, and the thread is replaced. Threads
 * only read the log, so ending one at any moment tears nothing.
 */
import { MessageChannel, receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import { isStoplogError, type Reset, StoplogError } from '@stoplog/core';
import type { LogLink, LogRef } from '@stoplog/core/port';
import { asError, errorFromData } from '@stoplog/core/kit';
import type { Jump, Place } from '../../pure/actor/place.ts';
import type { FromActor, Progress, Start, ToActor } from '../../pure/host/mailbox.ts';
import { differenceOf, NOTHING_HELD, type Held, type Holdings } from '../../pure/host/holdings.ts';
import { NO_FAILURES, ran, step as restartStep, worked, type Failures } from '../../pure/host/restart.ts';
import { step as watchStep, type Watched } from '../../pure/host/watchdog.ts';
import { readBy, type Plan } from '../../pure/topology/plan.ts';
import { ReadingHost } from '../sources/reading-host.ts';
import { Beacon, makeBeacon } from './beacon.ts';
import { giveLink, type Threads } from './threads.ts';

export interface HostOptions {
  readonly url: string;
  readonly plan: Plan;
  readonly log: LogRef;
  readonly link: () => Promise<LogLink>;
  readonly threads: Threads;
  readonly hangAfterMs: number;
  readonly reset: Reset;
  readonly on: (event: HostEvent) => void;
}
export interface ActorName {
  readonly task: number;
  readonly partition: number;
}
export type HostEvent =
  | { readonly type: 'running'; readonly actor: ActorName }
  | { readonly type: 'idle'; readonly actor: ActorName }
  | { readonly type: 'reset'; readonly actor: ActorName; readonly jump: Jump }
  | { readonly type: 'progress'; readonly actor: ActorName; readonly progress: Progress }
  | { readonly type: 'restarting'; readonly actor: ActorName; readonly error: Error; readonly afterMs: number }
  | { readonly type: 'given-up'; readonly actor: ActorName; readonly error: Error }
  | { readonly type: 'fatal'; readonly error: Error };

interface Life {
  readonly name: ActorName;
  readonly held: Held;
  readonly beacon: SharedArrayBuffer;
  readonly port: MessagePort;
  readonly ended: Promise<void>;
  /** It was told to end: however it does, it is not started again. */
  leaving: boolean;
  watched: Watched | undefined;
  /** Why it was killed, when we did it. */
  killedFor: StoplogError | undefined;
  failure: { readonly error: Error; readonly place: Place | undefined; readonly among: number } | undefined;
}

const WATCH_MS = 500;
/** How long those that have ended wait for those that end with them, before they are handed on without. */
const EARLY_MS = 50;
/** By how much each life narrows down which record is to blame. */
const NARROWING = 16;

export class Host {
  readonly #options: HostOptions;
  readonly #lives = new Map<string, Life>();
  readonly #failures = new Map<string, Failures>();
  readonly #restarts = new Map<string, NodeJS.Timeout>();
  readonly #watch: NodeJS.Timeout;
  readonly #reading: ReadingHost;
  #held: Holdings = NOTHING_HELD;

  constructor(options: HostOptions) {
    this.#options = options;
    this.#reading = new ReadingHost(options.url);
    this.#watch = setInterval(() => this.#look(), Math.min(WATCH_MS, options.hangAfterMs / 2));
    this.#watch.unref();
  }

  /**
   * Makes the actors those of an assignment. Those that are not in it any more are drained, and lose their thread when that
   * takes longer than `ms`; resolves when they have ended. Until then `early` is told now and then of which have.
   */
  async assign(now: Holdings, ms: number, early: (ended: readonly Held[]) => void): Promise<void> {
    const { ended, started } = differenceOf(this.#held, now);
    this.#held = now;
    const over = this.#drain(ended, ms, early);
    const again = new Set(ended.map(({ unit }) => unit.name));
    this.#startAll(started.filter(({ unit }) => !again.has(unit.name)));
    await over;
    // By then a later assignment may have taken them away.
    this.#startAll(started.filter((held) => again.has(held.unit.name) && this.#held.get(held.unit.name) === held));
  }
  /** Asks those that go on; one that is to end does so without another word. */
  tellIdle(): readonly ActorName[] {
    const lives = [...this.#lives.values()].filter(({ leaving }) => !leaving);
    for (const { port } of lives) port.postMessage({ type: 'tell-idle' } satisfies ToActor);
    return lives.map(({ name }) => name);
  }
  /** Drains all actors and resolves when they have ended; those that do not end within `ms` lose their thread. */
  async stop(ms: number): Promise<void> {
    const held = [...this.#held.values()];
    this.#held = NOTHING_HELD;
    await this.#drain(held, ms);
    // And those that an assignment is draining.
    await Promise.all([...this.#lives.values()].map(({ ended }) => ended));
  }
  /** The threads end as they are: whoever wants the actors to finish stops them first. */
  async close(): Promise<void> {
    this.#held = NOTHING_HELD;
    for (const name of [...this.#restarts.keys()]) this.#startNoMore(name);
    for (const life of this.#lives.values()) life.leaving = true;
    clearInterval(this.#watch);
    await this.#options.threads.close();
    await this.#reading.close();
  }

  #startNoMore(name: string): void {
    clearTimeout(this.#restarts.get(name));
    this.#restarts.delete(name);
  }
  async #drain(units: readonly Held[], ms: number, early?: (ended: readonly Held[]) => void): Promise<void> {
    for (const { unit } of units) this.#startNoMore(unit.name);
    const lives = units.map(({ unit }) => this.#lives.get(unit.name)).filter((life) => life !== undefined);
    let over = units.filter(({ unit }) => !this.#lives.has(unit.name));
    const saying = setInterval(() => {
      if (over.length > 0) early?.(over);
      over = [];
    }, EARLY_MS);
    for (const life of lives) {
      life.leaving = true;
      life.port.postMessage({ type: 'drain' } satisfies ToActor);
    }
    const late = setTimeout(() => {
      for (const life of lives) if (this.#lives.get(life.held.unit.name) === life) this.#kill(life);
    }, ms);
    await Promise.all(lives.map(({ ended, held }) => ended.then(() => over.push(held))));
    clearTimeout(late);
    clearInterval(saying);
  }
  /** Those of one partition side by side, so that they tend to share a thread. */
  #startAll(units: readonly Held[]): void {
    const threads = this.#options.threads.count;
    const beside = ({ unit }: Held): number => unit.partition % threads;
    for (const held of units.toSorted((a, b) => beside(a) - beside(b))) {
      this.#failures.delete(held.unit.name);
      this.#launch(held, undefined, undefined);
    }
  }

  #launch(held: Held, suspect: Place | undefined, pace: number | undefined): void {
    const { port1, port2 } = new MessageChannel();
    const { task, partition } = held.unit;
    const { url, plan, log, reset } = this.#options;
    const beacon = makeBeacon();
    const start: Start = {
      url,
      fingerprint: plan.fingerprint,
      log,
      task: task.id,
      partition,
      epoch: held.epoch,
      suspect,
      pace,
      reset,
      beacon,
      port: port2,
      line: task.source?.decode === undefined ? undefined : this.#reading.connect(task.source.name),
    };
    const ended = this.#options.threads.run(start).then(
      () => {
        this.#hearTheRest(life);
        this.#bury(life, life.failure?.error, life.failure?.place);
      },
      (error: unknown) => {
        this.#hearTheRest(life);
        this.#bury(life, life.failure?.error ?? life.killedFor ?? this.#death(life, error), life.failure?.place ?? this.#placeOf(life));
      },
    );
    const life: Life = {
      name: { task: task.id, partition },
      held,
      beacon,
      port: port1,
      ended,
      leaving: false,
      watched: undefined,
      killedFor: undefined,
      failure: undefined,
    };
    port1.on('message', (message: FromActor) => this.#hear(life, message));
    this.#lives.set(held.unit.name, life);
  }

  #giveLink(port: MessagePort): void {
    giveLink(port, this.#options.link).catch((error: unknown) => this.#options.on({ type: 'fatal', error: asError(error) }));
  }
  #hear(life: Life, message: FromActor): void {
    const actor = life.name;
    const { on } = this.#options;
    switch (message.type) {
      case 'need-link':
        return this.#giveLink(life.port);
      case 'running':
        this.#failures.set(life.held.unit.name, ran(this.#failures.get(life.held.unit.name) ?? NO_FAILURES));
        return on({ type: 'running', actor });
      case 'idle':
        return on({ type: 'idle', actor });
      case 'progress':
        this.#worked(life);
        return on({ type: 'progress', actor, progress: message.progress });
      case 'reset':
        return on({ type: 'reset', actor, jump: message.jump });
      case 'failed':
        life.failure = { error: errorFromData(message.error), place: message.place, among: message.among };
    }
  }

  #worked({ held: { unit } }: Life): void {
    const failures = this.#failures.get(unit.name);
    if (failures !== undefined) this.#failures.set(unit.name, worked(failures));
  }
  /** The end of an actor comes by the pool's port, what it said by its own: the end may well be heard first. */
  #hearTheRest(life: Life): void {
    for (let said = receiveMessageOnPort(life.port); said !== undefined; said = receiveMessageOnPort(life.port)) this.#hear(life, said.message as FromActor);
  }
  /** An actor's life is over: by its own end, by a failure, or with its thread. */
  #bury(life: Life, error: Error | undefined, place: Place | undefined): void {
    const { name } = life.held.unit;
    life.port.close();
    this.#lives.delete(name);
    if (error === undefined || life.leaving) return;
    const { on } = this.#options;
    const at = place === undefined ? 'nowhere' : `${place.topic}:${place.partition}:${place.offset}`;
    const code = isStoplogError(error) ? error.code : undefined;
    const [failures, effect] = restartStep(this.#failures.get(name) ?? NO_FAILURES, { type: 'failed', code, place: at, at: performance.now() });
    this.#failures.set(name, failures);
    if (effect.type === 'fatal') return on({ type: 'fatal', error });
    if (effect.type === 'give-up') return on({ type: 'given-up', actor: life.name, error });
    on({ type: 'restarting', actor: life.name, error, afterMs: effect.afterMs });
    // One of many: the next life takes fewer at a time, the one after that fewer still, until the record is found.
    const among = life.failure?.among ?? 1;
    const suspect = among === 0 ? undefined : place;
    const pace = among > 1 ? Math.ceil(among / NARROWING) : undefined;
    const timer = setTimeout(() => {
      this.#restarts.delete(name);
      this.#launch(life.held, suspect, pace);
    }, effect.afterMs);
    this.#restarts.set(name, timer);
  }

  /** A thread died under an actor. Whose record it was in shows in its beacon; the others are neighbours. */
  #death(life: Life, error: unknown): StoplogError {
    const message = error instanceof Error ? error.message : String(error);
    const place = this.#placeOf(life);
    if (place === undefined && isStoplogError(error)) return error;
    if (place === undefined)
      return new StoplogError(
        'STOPLOG_LOG_UNAVAILABLE',
        { task: life.name.task, partition: life.name.partition },
        `the thread of task ${life.name.task} ended under it (${message}), by no fault of its own: it is started again`,
      );
    return new StoplogError(
      'STOPLOG_HANDLER',
      { task: life.name.task, ...place, cause: message },
      `task ${life.name.task} ended its thread at ${place.topic}[${place.partition}] offset ${place.offset}: ${message}. A handler must not exit, and must fit in memory; nothing of this record was kept`,
    );
  }
  #placeOf(life: Life): Place | undefined {
    const beacon = new Beacon(life.beacon);
    if (!beacon.sighting().inside) return undefined;
    return beacon.place(readBy(life.held.unit.task), life.name.partition);
  }

  #look(): void {
    const at = performance.now();
    for (const life of this.#lives.values()) {
      if (life.failure !== undefined || life.killedFor !== undefined) continue;
      const [watched, hangs] = watchStep(life.watched, new Beacon(life.beacon).sighting(), at, this.#options.hangAfterMs);
      life.watched = watched;
      if (hangs === undefined) continue;
      const place = this.#placeOf(life);
      if (place === undefined) continue;
      life.killedFor = new StoplogError(
        'STOPLOG_HANDLER',
        { task: life.name.task, ...place, forMs: Math.round(hangs.forMs) },
        `task ${life.name.task} hangs at ${place.topic}[${place.partition}] offset ${place.offset}, for ${(hangs.forMs / 1000).toFixed(1)} s: its thread was ended and replaced, and nothing of this record was kept`,
      );
      this.#kill(life);
    }
  }
  #kill(life: Life): void {
    this.#options.threads.end(new Beacon(life.beacon).thread);
  }
}
