/**
 * A process that runs the pipeline: joins the group, runs the actors it is assigned, supervises them, and writes.
 *
 * A process dies with everything in its memory, including commits in its writer's queue; or it stands still for a while, and wakes up
 * with an old view of the group.
 */
import { isStoplogError, StoplogError } from '@stoplog/core';
import type { AssignedPartition } from '@stoplog/core/port';
import { type GroupEffect, type GroupEvent, partitionName } from '@stoplog/core/kit';
import type { MemoryDisk, MemoryMember } from '@stoplog/core/testing';
import { HostState, step, type HostEffect, type HostEvent } from '../pure/host/host.ts';
import type { Place } from '../pure/actor/place.ts';
import { differenceOf, holdingsIn, type Held } from '../pure/host/holdings.ts';
import type { Unit } from '../pure/host/units.ts';
import type { Plan } from '../pure/topology/plan.ts';
import type { MemorySinks } from './memory-sinks.ts';
import { SimulatedActor, type Grain, type Incarnation, type Sent } from './simulated-actor.ts';
import { SimulatedMember } from './simulated-member.ts';
import type { Count } from './simulation-counters.ts';
import type { Kind, Late } from './simulation-faults.ts';

/** The environment of a process, provided by the simulation. */
export interface Surroundings {
  readonly plan: Plan;
  readonly units: readonly Unit[];
  readonly log: MemoryDisk;
  readonly sinks: MemorySinks;
  readonly sink: Incarnation['sink'];
  readonly grain: () => Grain;
  readonly now: () => number;
  readonly count: Count;
  readonly report: (what: string) => void;
  readonly fails: Incarnation['fails'];
  /** Whether the process of a member is known to have ended. */
  readonly isGone: (member: string) => boolean;
  readonly change: (event: GroupEvent<MemoryMember>) => readonly GroupEffect[];
  readonly isLate: (what: Late) => boolean;
  readonly heard: (sent: Sent) => void;
  /** A partition has failed, or cannot start, which the faults of the simulation do not cause. */
  readonly failed: (actor: string, error: unknown) => void;
}
/** The fixed properties of a process. */
interface Restart {
  readonly unit: string;
  readonly at: number;
}

export class SimulatedProcess {
  readonly name: string;
  readonly member: SimulatedMember;
  readonly sessionMs: number;
  /** The time until which the process is down, or stands still. */
  downUntil = 0;
  pausedUntil = 0;
  isUp = false;
  readonly actors: Map<string, SimulatedActor> = new Map();
  /** Commits queued at the writer. */
  queue: Sent[] = [];
  readonly #around: Surroundings;
  #host = new HostState(Infinity);
  #restarts: Restart[] = [];
  #launched = 0;
  #leaving = false;

  constructor({ name, isStatic, sessionMs }: Kind, around: Surroundings) {
    this.name = name;
    this.sessionMs = sessionMs;
    this.#around = around;
    const { plan, units, log, now, count, report, isGone, change } = around;
    const instanceId = isStatic ? name : undefined;
    this.member = new SimulatedMember({
      name,
      units,
      instanceId,
      sessionMs,
      group: () => log.group(plan.name).state,
      now,
      count,
      report,
      isGone,
      change,
      isAtWork: (place) => units.some(({ name, places }) => this.actors.has(name) && places.some((one) => partitionName(one) === partitionName(place))),
      assigned: (partitions) => this.#assigned(partitions),
    });
  }

  get isAwake(): boolean {
    return this.isUp && this.#around.now() >= this.pausedUntil;
  }
  /** The number of units of this process. */
  get holds(): number {
    return this.#host.held.size;
  }
  /** Whether the process has no work left, and knows its assignment. */
  get isIdle(): boolean {
    return (
      this.member.isSettled &&
      !this.#leaving &&
      this.#restarts.length === 0 &&
      this.queue.length === 0 &&
      this.actors.size === this.#host.held.size &&
      [...this.actors.values()].every((actor) => !actor.draining && !actor.isReady && actor.underWay.length === 0)
    );
  }
  /** The next time at which an action is due. */
  get wakes(): number {
    const { now } = this.#around;
    if (!this.isUp) return this.downUntil;
    if (now() < this.pausedUntil) return this.pausedUntil;
    const busy = [...this.actors.values()].map(({ busyUntil }) => busyUntil).filter((until) => until > now());
    const ticks = [...this.actors.values()].map(({ wakeAt }) => wakeAt).filter((at) => at > now());
    return Math.min(...this.#restarts.map(({ at }) => at), ...busy, ...ticks, this.member.wakes);
  }

  /** The possible steps. */
  moves(): (() => void)[] {
    const { now, isLate } = this.#around;
    const moves: (() => void)[] = [];
    if (!this.isUp) return now() >= this.downUntil ? [() => this.#boot()] : [];
    if (!this.isAwake) return [];
    for (const sent of this.#heads()) if (!isLate('write')) moves.push(() => this.write(sent));
    for (const actor of this.actors.values()) {
      if (now() < actor.busyUntil) continue;
      const [oldest] = actor.underWay;
      if (oldest !== undefined && oldest.answer !== 'none' && !isLate('hear')) moves.push(() => this.#hear(actor));
      if (actor.isReady && (actor.steps > 0 || !isLate('start'))) moves.push(() => this.#turn(actor));
    }
    for (const restart of this.#restarts) if (now() >= restart.at) moves.push(() => this.#restart(restart));
    const isDraining = [...this.actors.values()].some(({ draining }) => draining);
    if (this.#leaving && this.actors.size === 0) moves.push(() => this.#leave());
    if (!this.#leaving || isDraining) moves.push(...this.member.moves(!isDraining && !this.#leaving, !isLate('notice')));
    return moves;
  }

  /** A thread dies between two turns; its sent commits stay with the writer. */
  kill(actor: SimulatedActor): void {
    this.#mourn(actor);
    this.#bury(actor, new StoplogError('STOPLOG_LOG_UNAVAILABLE', {}, 'its thread ended: the actor is started again'), undefined);
  }
  die(downUntil: number): void {
    const { count } = this.#around;
    for (const actor of this.actors.values()) this.#mourn(actor);
    if (this.queue.length > 0) count('crash after send, before apply');
    this.#forget();
    this.queue = [];
    this.isUp = false;
    this.downUntil = downUntil;
  }
  get isLeaving(): boolean {
    return this.#leaving;
  }
  /** Drains, leaves the group, and joins later as a new member. */
  drain(): void {
    this.#leaving = true;
    this.#reportToHost({ type: 'stop' });
  }
  /** The writer applies a commit, or answers it with the error. */
  write(sent: Sent, error?: StoplogError): void {
    const { log, count, report } = this.#around;
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
      else if ('incarnation' in refusal.facts) count('commit made from one that was refused');
    }
    report(`${this.name}: ${describe(sent)} ${sent.answer === 'committed' ? 'is visible' : `is refused: ${sent.answer.message}`}`);
  }
  /** The oldest queued commit of each actor, because commits of one actor keep their order. */
  #heads(): readonly Sent[] {
    const seen = new Set<SimulatedActor>();
    return this.queue.filter(({ by }) => !seen.has(by) && seen.add(by));
  }

  #boot(): void {
    this.isUp = true;
    this.pausedUntil = 0;
    this.#around.report(`${this.name} starts`);
  }
  /** Handles a new assignment as the app does: the machine of the host decides which actors end and start. */
  #assigned(partitions: readonly AssignedPartition[]): void {
    const { units, count } = this.#around;
    const now = holdingsIn(units, partitions);
    const { ended, kept } = differenceOf(this.#host.held, now);
    if (ended.length > 0 && kept.some(({ unit }) => this.actors.get(unit.name)?.underWay.length)) count('rebalance that left a commit under way alone');
    if (this.member.isIn)
      for (const { unit } of ended) {
        const actor = this.actors.get(unit.name);
        if (actor === undefined) continue;
        if (actor.underWay.length > 0) count('partition handed over while a commit was under way');
        if (actor.open > 0) count('partition handed over in the middle of a batch');
      }
    this.#reportToHost({ type: 'assigned', holdings: now });
  }
  #reportToHost(event: HostEvent): void {
    const [, effects] = step(this.#host, event);
    for (const effect of effects) this.#perform(effect);
  }
  #perform(effect: HostEffect): void {
    const { now, failed } = this.#around;
    switch (effect.type) {
      case 'launch':
        return this.#launch(effect.held, effect.suspect, effect.pace);
      case 'drain': {
        const actor = this.actors.get(effect.unit);
        if (actor === undefined) return;
        actor.drain(now());
        if (actor.hasEnded) this.#ended(actor);
        return;
      }
      case 'restart':
        this.#restarts.push({ unit: effect.unit, at: now() + effect.afterMs });
        return;
      case 'restart no more':
        this.#restarts = this.#restarts.filter(({ unit }) => unit !== effect.unit);
        return;
      case 'failed':
        return failed(effect.unit, effect.error);
      case 'fatal':
        return failed('of the app', effect.error);
      // Only the console and settled() need the first four. A simulated thread that hangs is only slow, and the member itself checks which actors have ended.
      case 'stand by':
      case 'waiting':
      case 'ask':
      case 'answered':
      case 'kill':
      case 'over':
      case 'drained':
    }
  }
  #leave(): void {
    this.#around.report(`${this.name} leaves`);
    this.member.leave();
    this.#forget(true);
  }
  #forget(left: boolean = false): void {
    this.actors.clear();
    this.#host = new HostState(Infinity);
    this.#restarts = [];
    this.#leaving = false;
    if (!left) this.member.forget();
  }

  #launch(held: Held, suspect: Place | undefined, pace: number | undefined): void {
    const { plan, log, grain, fails, count, now, sinks, sink } = this.#around;
    if (suspect !== undefined) count('restart with a suspect');
    const actor = new SimulatedActor({
      plan,
      task: held.unit.task,
      partition: held.unit.partition,
      epoch: held.epoch,
      name: `${this.member.id}.${++this.#launched}`,
      suspect,
      pace,
      log,
      grain: grain(),
      now,
      sinks,
      sink,
      send: (sent) => this.#send(sent),
      fails,
    });
    this.actors.set(actor.name, actor);
  }
  #restart(restart: Restart): void {
    this.#restarts.splice(this.#restarts.indexOf(restart), 1);
    this.#around.report(`${this.name}: actor ${restart.unit} resumes`);
    this.#reportToHost({ type: 'due', unit: restart.unit });
  }
  #turn(actor: SimulatedActor): void {
    const { report } = this.#around;
    const open = actor.open;
    actor.step();
    if (actor.open > open) report(`${this.name}: actor ${actor.name} has taken ${actor.open} records`);
    if (actor.hasEnded) this.#ended(actor);
  }
  /** An actor ended by itself: drained, or failed. */
  #ended(actor: SimulatedActor): void {
    const { now, report, count } = this.#around;
    const { error } = actor;
    if (error !== undefined) return this.#bury(actor, error, isStoplogError(error) && error.code === 'STOPLOG_HANDLER' ? actor.place : undefined);
    report(`${this.name}: actor ${actor.name} has ended`);
    if (this.member.isIn && now() - actor.drainingSince! > this.sessionMs) count('partition handed over by a handler slower than a session');
    this.actors.delete(actor.name);
    this.#reportToHost({ type: 'ended', unit: actor.name, failure: undefined, at: now() });
  }
  #send(sent: Sent): void {
    const { report, count } = this.#around;
    this.queue.push(sent);
    if (sent.handled.length === 0) count('commit over a hole');
    report(`${this.name}: ${describe(sent)} is sent`);
  }
  #hear(actor: SimulatedActor): void {
    const { report, heard } = this.#around;
    const sent = actor.hear();
    if (actor.hasEnded) this.#ended(actor);
    if (sent?.answer !== 'committed') return;
    heard(sent);
    report(`${this.name}: actor ${actor.name} hears that ${describe(sent)} happened`);
    this.#reportToHost({ type: 'worked', unit: actor.name });
  }
  /** Counts the work that is lost with an actor, and its commits in flight. */
  #mourn(actor: SimulatedActor): void {
    const { count } = this.#around;
    if (actor.open > 0) count('crash before send');
    if (actor.underWay.length > 1) count('crash with two commits under way');
    if (actor.underWay.some(({ answer }) => answer === 'committed')) count('crash after apply, before ack');
  }
  #bury(actor: SimulatedActor, error: Error, place: Place | undefined): void {
    const { now, report } = this.#around;
    this.actors.delete(actor.name);
    report(`${this.name}: actor ${actor.name} ends: ${error.message}`);
    const among = isStoplogError(error) ? error.facts['among'] : undefined;
    this.#reportToHost({ type: 'ended', unit: actor.name, failure: { error, place, among: typeof among === 'number' ? among : 1 }, at: now() });
  }
}

/** The sent commit of each commit in the log. */
export const handledBy: WeakMap<object, Sent> = new WeakMap();

const describe = ({ by, commit }: Sent): string =>
  `commit of ${by.name} in epoch ${commit.epoch} (${commit.positions.map(({ topic, partition, from, to }) => `${topic}[${partition}] ${from}→${to}`).join(', ')})`;
