/**
 * A process that runs the pipeline: joins the group, starts actors when it owns it, supervises them, and writes.
 *
 * It dies with all it has in memory, commits in its writer's queue too; or it stands still for a while, and wakes up
 * not knowing that anything has happened.
 */
import { BEAT_MS, isStoplogError, ownershipStep, StoplogError, type Watching } from '@stoplog/core/port';
import { NO_FAILURES, step as restartStep, worked, type Failures } from '../pure/supervision/restart.ts';
import type { Place } from '../pure/mailbox.ts';
import type { Plan, Task } from '../pure/topology/plan.ts';
import { SimulatedActor, type Grain, type Life, type Sent } from './simulated-actor.ts';
import type { SimulatedLog } from './simulated-log.ts';
import type { Count } from './simulation-counters.ts';
import type { Late } from './simulation-faults.ts';

const LOOK_MS = 1_000;

/** What a process is given by the world it lives in. */
export interface Surroundings {
  readonly plan: Plan;
  readonly log: SimulatedLog;
  readonly grain: () => Grain;
  readonly now: () => number;
  readonly count: Count;
  readonly tell: (what: string) => void;
  readonly fails: Life['fails'];
  readonly isAlive: (instance: string) => boolean;
  /** Somebody else has taken over from this one. */
  readonly overtook: (instance: string) => void;
  readonly isLate: (what: Late) => boolean;
  readonly heard: (sent: Sent) => void;
  /** A partition was given up, or cannot start: no fault of the simulation's. */
  readonly gaveUp: (actor: string, error: unknown) => void;
}

interface Restart {
  readonly task: Task;
  readonly partition: number;
  readonly at: number;
  readonly suspect: Place | undefined;
}

export class SimulatedProcess {
  readonly name: string;
  /** Until then it is down, or stands still. */
  downUntil = 0;
  pausedUntil = 0;
  isUp = false;
  /** The life it is in; a name that no other life has. */
  instance = '';
  readonly actors: Map<string, SimulatedActor> = new Map();
  /** Handed to the writer, not written. */
  queue: Sent[] = [];
  readonly #around: Surroundings;
  readonly #failures = new Map<string, Failures>();
  #restarts: Restart[] = [];
  #lives = 0;
  #launched = 0;
  #epoch: number | undefined;
  #leaving = false;
  #watching: Watching | undefined;
  #takes: number | undefined;
  #nextLook = 0;
  #nextBeat = 0;

  constructor(name: string, around: Surroundings) {
    this.name = name;
    this.#around = around;
  }

  get isAwake(): boolean {
    return this.isUp && this.#around.now() >= this.pausedUntil;
  }
  get holds(): boolean {
    return this.#epoch !== undefined;
  }
  /** Holds the group and has nothing left to do. */
  get isIdle(): boolean {
    return (
      this.#epoch === this.#around.log.holding.epoch &&
      this.#restarts.length === 0 &&
      this.queue.length === 0 &&
      [...this.actors.values()].every((actor) => !actor.isReady && actor.underWay.length === 0)
    );
  }
  /** When something is due that time alone brings. */
  get wakes(): number {
    const { now } = this.#around;
    if (!this.isUp) return this.downUntil;
    if (now() < this.pausedUntil) return this.pausedUntil;
    return Math.min(...this.#restarts.map(({ at }) => at), this.holds ? this.#nextBeat : this.#nextLook);
  }

  /** What it could do now, each a step of its own. */
  moves(): (() => void)[] {
    const { now, log, isLate } = this.#around;
    const moves: (() => void)[] = [];
    if (!this.isUp) return now() >= this.downUntil ? [() => this.#boot()] : [];
    if (!this.isAwake) return [];
    for (const sent of this.#heads()) if (!isLate('write')) moves.push(() => this.write(sent));
    for (const actor of this.actors.values()) {
      const [oldest] = actor.underWay;
      if (oldest !== undefined && oldest.answer !== 'none' && !isLate('hear')) moves.push(() => this.#hear(actor));
      if (actor.isReady && (actor.turns > 0 || !isLate('start'))) moves.push(() => this.#turn(actor));
    }
    for (const restart of this.#restarts) if (now() >= restart.at) moves.push(() => this.#restart(restart));
    if (this.#takes !== undefined) moves.push(() => this.#take());
    else if (!this.holds && now() >= this.#nextLook) moves.push(() => this.#look());
    if (this.holds && now() >= this.#nextBeat) moves.push(() => this.#beat());
    if (this.holds && log.holding.epoch !== this.#epoch && !isLate('notice')) moves.push(() => this.#lose());
    if (this.#leaving && this.holds && [...this.actors.values()].every(({ ended }) => ended)) moves.push(() => this.#leave());
    return moves;
  }

  /** A thread dies between two turns; what it has sent is with the writer. */
  kill(actor: SimulatedActor): void {
    this.#mourn(actor);
    this.#bury(actor, new StoplogError('STOPLOG_LOG_UNAVAILABLE', {}, 'the thread ended under it: it is started again'), undefined);
  }
  die(downUntil: number): void {
    const { count, log } = this.#around;
    for (const actor of this.actors.values()) this.#mourn(actor);
    if (this.queue.length > 0) count('crash after send, before apply');
    this.#forget();
    this.queue = [];
    this.isUp = false;
    this.downUntil = downUntil;
    log.processDied();
  }
  /** Asked to end: finishes what is begun, leaves the group, and is another member afterwards. */
  drain(): void {
    this.#leaving = true;
    this.#restarts = [];
    for (const actor of this.actors.values()) actor.draining = true;
  }
  /** The writer takes a commit; with an error, it could not. */
  write(sent: Sent, error?: StoplogError): void {
    const { log, count, tell } = this.#around;
    this.queue.splice(this.queue.indexOf(sent), 1);
    try {
      if (error !== undefined) {
        log.refuse(sent.commit);
        throw error;
      }
      log.commit(sent.commit);
      sent.answer = 'committed';
      handledBy.set(sent.commit, sent);
    } catch (refusal) {
      if (!isStoplogError(refusal)) throw refusal;
      sent.answer = refusal;
      if ('current' in refusal.facts) count('commit of an epoch that is over');
      else if ('stands' in refusal.facts) count('commit from where the group does not stand');
      else if ('life' in refusal.facts) count('commit made from one that was refused');
    }
    tell(`${this.name}: ${describe(sent)} ${sent.answer === 'committed' ? 'is visible' : `is refused: ${sent.answer.message}`}`);
  }
  /** The oldest unwritten commit of each actor: those of one actor keep their order. */
  #heads(): readonly Sent[] {
    const seen = new Set<SimulatedActor>();
    return this.queue.filter(({ by }) => !seen.has(by) && seen.add(by));
  }

  #boot(): void {
    this.isUp = true;
    this.pausedUntil = 0;
    this.instance = `${this.name}.${++this.#lives}`;
    this.#nextLook = this.#around.now();
    this.#around.tell(`${this.instance} starts`);
  }
  #look(): void {
    const { log, now, isAlive, tell } = this.#around;
    const found = log.holding;
    const [watching, effect] = ownershipStep(this.#watching, {
      type: 'looked',
      found,
      ownerAlive: found.owner !== null && isAlive(found.owner.instance),
      at: now(),
    });
    this.#watching = watching;
    this.#nextLook = now() + LOOK_MS;
    if (effect.type === 'wait') return;
    this.#takes = effect.epoch;
    tell(`${this.instance} sees epoch ${found.epoch} free`);
  }
  #take(): void {
    const { log, plan, now, tell, count, isAlive, overtook } = this.#around;
    const seen = this.#takes!;
    this.#takes = undefined;
    const before = log.holding.owner;
    const taken = log.take(seen, this.instance);
    tell(`${this.instance} ${taken === undefined ? 'comes too late' : `owns epoch ${taken.epoch}`}`);
    if (taken === undefined) return count('take that came too late');
    if (before !== null) {
      count(isAlive(before.instance) ? 'takeover from an owner that stood still' : 'takeover from an owner that died');
      overtook(before.instance);
    }
    this.#epoch = taken.epoch;
    this.#nextBeat = now() + BEAT_MS;
    this.#failures.clear();
    for (const task of plan.tasks)
      if (task.source === undefined) for (let partition = 0; partition < task.partitions; partition++) this.#launch(task, partition, undefined);
  }
  #beat(): void {
    const { log, now } = this.#around;
    this.#nextBeat = now() + BEAT_MS;
    if (log.holding.owner?.instance === this.instance && log.holding.epoch === this.#epoch) log.beat();
  }
  #lose(): void {
    this.#around.count('owner that was overtaken');
    this.#around.tell(`${this.instance} has lost epoch ${this.#epoch}`);
    this.#forget();
    this.#nextLook = this.#around.now();
  }
  #leave(): void {
    this.#around.log.leave(this.instance);
    this.#around.count('owner that left');
    this.#around.tell(`${this.instance} leaves epoch ${this.#epoch}`);
    this.#forget();
    this.#boot();
    this.#nextLook = this.#around.now() + 2 * LOOK_MS;
  }
  #forget(): void {
    this.actors.clear();
    this.#failures.clear();
    this.#restarts = [];
    this.#epoch = this.#watching = this.#takes = undefined;
    this.#leaving = false;
  }

  #launch(task: Task, partition: number, suspect: Place | undefined): void {
    const { plan, log, grain, fails, count } = this.#around;
    if (suspect !== undefined) count('restart with a suspect');
    const actor = new SimulatedActor({
      plan,
      task,
      partition,
      epoch: this.#epoch!,
      name: `${this.instance}.${++this.#launched}`,
      suspect,
      log,
      grain: grain(),
      fails,
    });
    actor.draining = this.#leaving;
    this.actors.set(actor.name, actor);
  }
  #restart(restart: Restart): void {
    this.#restarts.splice(this.#restarts.indexOf(restart), 1);
    this.#around.tell(`${this.name}: actor ${restart.task.id}:${restart.partition} goes on`);
    this.#launch(restart.task, restart.partition, restart.suspect);
  }
  #turn(actor: SimulatedActor): void {
    const { now, tell, count } = this.#around;
    try {
      const open = actor.open;
      actor.turn(now(), (sent) => {
        this.queue.push(sent);
        if (sent.handled.length === 0) count('commit over a hole');
        tell(`${this.name}: ${describe(sent)} is sent`);
      });
      if (actor.open > open) tell(`${this.name}: actor ${actor.name} has taken ${actor.open} records`);
      if (actor.ended) tell(`${this.name}: actor ${actor.name} has ended`);
    } catch (error) {
      const handler = isStoplogError(error) && error.code === 'STOPLOG_HANDLER';
      this.#mourn(actor);
      this.#bury(actor, error, handler ? actor.place : undefined);
    }
  }
  #hear(actor: SimulatedActor): void {
    const { tell, heard } = this.#around;
    const sent = actor.hear();
    if (sent?.answer !== 'committed') return;
    heard(sent);
    tell(`${this.name}: actor ${actor.name} hears that ${describe(sent)} happened`);
    this.#failures.set(actor.name, worked(this.#failures.get(actor.name) ?? NO_FAILURES));
  }
  /** Counts what is lost with it, or still under way. */
  #mourn(actor: SimulatedActor): void {
    const { count } = this.#around;
    if (actor.open > 0) count('crash before send');
    if (actor.underWay.length > 1) count('crash with two commits under way');
    if (actor.underWay.some(({ answer }) => answer === 'committed')) count('crash after apply, before ack');
  }
  #bury(actor: SimulatedActor, error: unknown, place: Place | undefined): void {
    const { now, tell, gaveUp } = this.#around;
    this.actors.delete(actor.name);
    tell(`${this.name}: actor ${actor.name} ends: ${error instanceof Error ? error.message : String(error)}`);
    if (this.#leaving) return;
    const at = place === undefined ? 'nowhere' : `${place.topic}:${place.partition}:${place.offset}`;
    const [failures, effect] = restartStep(this.#failures.get(actor.name) ?? NO_FAILURES, {
      type: 'failed',
      code: isStoplogError(error) ? error.code : undefined,
      place: at,
      at: now(),
    });
    this.#failures.set(actor.name, failures);
    if (effect.type !== 'restart') return gaveUp(actor.name, error);
    this.#restarts.push({ task: actor.life.task, partition: actor.life.partition, at: now() + effect.afterMs, suspect: place });
  }
}

/** The sent commit behind what the log has kept. */
export const handledBy: WeakMap<object, Sent> = new WeakMap();

const describe = ({ by, commit }: Sent): string =>
  `commit of ${by.name} in epoch ${commit.epoch} (${commit.positions.map(({ topic, partition, from, to }) => `${topic}[${partition}] ${from}→${to}`).join(', ')})`;
