/**
 * The simulation of one seed: processes, a log, a producer of inputs, a clock, and a scheduler that lets one of them take a step.
 *
 * First there are faults; then there are none, and all work must end. The log is checked whenever commits have become durable, so a
 * failure is found near the step that caused it.
 */
import { StoplogError } from '@stoplog/core';
import { type GroupEffect, type GroupEvent, partitionName, SESSION_MS } from '@stoplog/core/kit';
import type { MemoryDisk, MemoryDiskOptions, MemoryMember } from '@stoplog/core/testing';
import type { SinkStart } from '@stoplog/core/port';
import type { Place } from '../pure/actor/place.ts';
import { unitsOf, type Unit } from '../pure/host/units.ts';
import { storePart } from '../pure/actor/store-part.ts';
import type { SinkWrite } from '../pure/actor/work.ts';
import type { Plan } from '../pure/topology/plan.ts';
import { Chance } from './chance.ts';
import { MemorySinks } from './memory-sinks.ts';
import type { SimulatedActor } from './simulated-actor.ts';
import { SimulatedFeeder, type Feed } from './simulated-feeder.ts';
import { SimulatedProcess, type Surroundings } from './simulated-process.ts';
import { Broken, Checker } from './simulation-checker.ts';
import { noCounts, type Counter } from './simulation-counters.ts';
import { drawTemper, FAULTS, type Fault, type Faults, type Temper } from './simulation-faults.ts';

/** Makes the log; `chance` decides when a log that breaks promises breaks one. */
export type MakeLog = (options: MemoryDiskOptions, chance: Chance) => MemoryDisk;

/** The number of times that the simulation fails a record; at the fifth failure its partition would stop. */
const FAILS_AT_ONE_RECORD = 3;
const FAILS_OF_ONE_ACTOR = 15;
/** The maximum delay of a slow disk for a step. */
const SLOW_MS = 100;
/** More steps than any inputs that fit a simulation need. */
const STEPS_AT_LEAST = 50_000;
const STEPS_PER_RECORD = 200;

export class Simulation {
  readonly log: MemoryDisk;
  readonly sinks: MemorySinks = new MemorySinks();
  readonly #plan: Plan;
  readonly history: string[] = [];
  readonly counters: Record<Counter, number> = noCounts();
  readonly #chance: Chance;
  readonly #temper: Temper;
  readonly #feeder: SimulatedFeeder;
  readonly #processes: readonly SimulatedProcess[];
  readonly #units: readonly Unit[];
  readonly #checker: Checker;
  readonly #stepsAtMost: number;
  readonly #fails = new Map<string, number>();
  #now = 0;
  #step = 0;
  #faultsLeft: number;
  #dying: { readonly actor: string; readonly error: unknown } | undefined;

  constructor(seed: number, plan: Plan, feeds: readonly Feed[], faults: Faults, makeLog: MakeLog) {
    const chance = new Chance(seed);
    this.#chance = chance;
    this.#temper = drawTemper(chance, faults);
    this.#faultsLeft = this.#temper.faults;
    this.#plan = plan;
    const { holes } = this.#temper;
    this.log = makeLog({ holes: () => (chance.is(holes) ? chance.between(1, 3) : 0), now: () => this.#now, flush: 'later' }, chance);
    prepare(this.log, plan);
    this.#feeder = new SimulatedFeeder(feeds, this.log);
    this.#checker = new Checker(plan, this.log);
    this.#stepsAtMost = STEPS_AT_LEAST + STEPS_PER_RECORD * feeds.reduce((sum, { records }) => sum + records.length, 0);
    // Sources are not opened.
    this.#units = unitsOf(plan).filter(({ task }) => task.source === undefined);
    const around: Surroundings = {
      plan,
      units: this.#units,
      log: this.log,
      sinks: this.sinks,
      sink: (write, start) => this.#sink(write, start),
      grain: this.#temper.grain,
      now: () => this.#now,
      count: (counter) => this.#count(counter),
      report: (what) => this.#report(what),
      fails: (actor, place) => this.#letFail(actor, place),
      isGone: (member) => !this.#processes.some((process) => process.isUp && process.member.id === member) && chance.is(0.5),
      change: (event) => this.#change(event),
      isLate: (what) => chance.is(this.#temper.late[what]),
      heard: (sent) => this.#checker.heard(sent),
      failed: (actor, error) => {
        this.#dying ??= { actor, error };
      },
    };
    this.#processes = this.#temper.processes.map((kind) => new SimulatedProcess(kind, around));
  }

  run(): void {
    for (;;) {
      this.#step++;
      this.#now += this.#chance.below(this.#temper.tickMs);
      if (!this.#fault() && !this.#move()) {
        if (this.#isAtRest) {
          if (this.#faultsLeft > 0 && this.#chance.is(0.5)) {
            this.#faultsLeft--;
            this.#strike(FAULTS[this.#chance.weighted(this.#temper.weights)]!);
            continue;
          }
          this.#flush();
          if (this.#feeder.isDone) break;
          this.#feeder.goOn();
        } else this.#wait();
      }
      if (this.#dying !== undefined)
        throw new Broken(`actor ${this.#dying.actor} failed five times: ${messageOf(this.#dying.error)}`, { cause: this.#dying.error });
      if (this.#step > this.#stepsAtMost) throw new Broken(`no progress: ${this.#step} steps, and there is still work long after the last fault`);
    }
    this.#checker.finished();
  }

  #move(): boolean {
    const { feedRate, chunk, flushRate } = this.#temper;
    if (this.#feeder.canFeed && this.#chance.is(feedRate)) {
      this.#report(`outside: ${this.#feeder.feed(this.#chance, chunk)} records arrive`);
      return true;
    }
    if (this.log.unflushed.length > 0 && this.#chance.is(flushRate)) {
      this.#flush();
      return true;
    }
    const moves = this.#processes.flatMap((process) => process.moves());
    if (moves.length > 0) this.#chance.pick(moves)();
    return moves.length > 0;
  }
  /** No step is possible: time passes until one is, or the next input arrives. */
  #wait(): void {
    if (this.#feeder.canFeed && this.#chance.is(0.5)) this.#report(`outside: ${this.#feeder.feed(this.#chance, this.#temper.chunk)} records arrive`);
    else {
      const wakes = Math.min(...this.#processes.map((process) => process.wakes));
      const busy = this.#processes.some((process) => process.isAwake && (process.queue.length > 0 || !process.isIdle));
      this.#now = Math.max(this.#now + 1, busy ? Math.min(wakes, this.#now + SLOW_MS) : wakes);
    }
  }
  get #isAtRest(): boolean {
    const held = this.#processes.reduce((sum, { holds }) => sum + holds, 0);
    return held === this.#units.length && !this.#feeder.canFeed && this.#processes.every((process) => process.isAwake && process.isIdle);
  }
  /** Applies an event to the group, and checks that each member works only on its partitions: otherwise there are two owners. */
  #change(event: GroupEvent<MemoryMember>): readonly GroupEffect[] {
    const effects = this.log.step(this.#plan.name, event);
    for (const effect of effects) {
      if (effect.type !== 'left' || (effect.why !== 'silent' && effect.why !== 'gone')) continue;
      const before = this.#processes.find(({ member }) => member.id === effect.member.id);
      this.#count(before?.isUp === true ? 'partition taken from a member that stood still' : 'partition taken from a member that died');
      // The most dangerous moment to wake up.
      if (before !== undefined && this.#chance.is(0.5)) before.pausedUntil = this.#now;
    }
    if (event.type === 'beat') return effects;
    for (const { member, actors } of this.#processes) {
      if (!member.isIn) continue;
      for (const { incarnation, name } of actors.values())
        for (const { topic } of incarnation.task.inputs) {
          const place = partitionName({ topic: topic.name, partition: incarnation.partition });
          const held = this.log.group(this.#plan.name).state.held.get(place);
          if (held?.member !== member.id || held.epoch !== incarnation.epoch)
            throw new Broken(
              `two owners: actor ${name} of ${member.id} works on ${place} in epoch ${incarnation.epoch}, which ${held === undefined ? 'no member holds' : `${held.member} holds in ${held.epoch}`}`,
            );
        }
    }
    return effects;
  }
  #sink({ sink, batch }: SinkWrite, start: SinkStart): void {
    this.#flush();
    this.sinks.write(sink, start, batch);
    this.#report(`sink '${sink}' has ${batch.records.length} more records of ${start.topic}[${start.partition}], up to ${batch.position}`);
  }
  #flush(): void {
    const flushed = this.log.flush();
    this.#report(`${flushed.length} changes are durable`);
    this.#checker.flushed(flushed);
  }

  #fault(): boolean {
    const { weights, faultRate } = this.#temper;
    if (this.#faultsLeft === 0 || !this.#chance.is(faultRate)) return false;
    this.#faultsLeft--;
    return this.#strike(FAULTS[this.#chance.weighted(weights)]!);
  }
  /** Injects a fault; false when there is no target for it. */
  #strike(fault: Fault): boolean {
    const chance = this.#chance;
    const up = this.#processes.filter(({ isUp }) => isUp);
    if (up.length === 0) return false;
    const holders = up.filter((process) => process.holds > 0 && process.isAwake);
    const process = holders.length > 0 && chance.is(0.8) ? chance.pick(holders) : chance.pick(up);
    const actors = [...process.actors.values()];
    const downUntil = this.#now + chance.below(chance.pick([10, 5_000]));
    switch (fault) {
      case 'kill':
      case 'fail': {
        if (actors.length === 0) return false;
        const busy = actors.filter(({ open }) => open > 0);
        const sending = actors.filter(({ underWay }) => underWay.some(({ answer }) => answer === 'none'));
        const actor = chance.pick(chance.pick([actors, busy, sending].filter(({ length }) => length > 0)));
        if (fault === 'fail') actor.trap = chance.pick(['before', 'after'] as const);
        else {
          this.#report(`${process.name}: the thread of actor ${actor.name} dies`);
          process.kill(actor);
        }
        return true;
      }
      case 'crash':
        this.#report(`${process.name} dies`);
        this.#count('crash of a process');
        process.die(downUntil);
        return true;
      case 'powerCut':
        this.#powerCut();
        return true;
      case 'pause':
        process.pausedUntil = this.#now + chance.below(chance.pick([SESSION_MS, 5 * SESSION_MS]));
        if (process.pausedUntil - this.#now > process.sessionMs) this.#count('pause longer than a session');
        this.#report(`${process.name} stands still for ${process.pausedUntil - this.#now} ms`);
        return true;
      case 'slow': {
        const busy = actors.filter(({ isReady, busyUntil }) => isReady && busyUntil <= this.#now);
        if (busy.length === 0) return false;
        const actor = chance.pick(busy);
        actor.busyUntil = this.#now + chance.below(chance.pick([500, 3 * process.sessionMs]));
        this.#report(`${process.name}: a record of actor ${actor.name} takes ${actor.busyUntil - this.#now} ms`);
        return true;
      }
      case 'leave':
        if (process.holds === 0 || process.isLeaving) return false;
        this.#report(`${process.name} is asked to end`);
        process.drain();
        return true;
      case 'full': {
        const sent = process.queue.find(({ by }) => by.underWay.length > 1) ?? process.queue[0];
        if (sent === undefined) return false;
        this.#count('commit that the log had no room for');
        process.write(sent, new StoplogError('STOPLOG_LOG_FULL', {}, 'there is no room: make room, and the commit is retried'));
        return true;
      }
    }
  }
  #powerCut(): void {
    const { length } = this.log.unflushed;
    const survivors = this.#chance.below(length + 1);
    this.#report(`the power is cut: ${length - survivors} of ${length} changes that were not durable are lost`);
    this.#count('power cut');
    for (const process of this.#processes) if (process.isUp) process.die(this.#now + this.#chance.below(2_000));
    const lost = this.log.powerCut(survivors).filter(({ commit }) => commit !== undefined && commit.group !== '');
    if (lost.length > 0) this.#count('power cut between visible and durable');
    if (lost.length > 0 && survivors > 0) this.#count('power cut that took back some and left some');
    this.#feeder.lookAgain();
  }
  #letFail({ name }: SimulatedActor, { topic, partition, offset }: Place): boolean {
    const record = `${topic}:${partition}:${offset}`;
    const [here, inAll] = [this.#fails.get(record) ?? 0, this.#fails.get(name) ?? 0];
    if (here >= FAILS_AT_ONE_RECORD || inAll >= FAILS_OF_ONE_ACTOR) return false;
    this.#fails.set(record, here + 1);
    this.#fails.set(name, inAll + 1);
    this.#count('record that failed');
    return true;
  }

  #count(counter: Counter): void {
    this.counters[counter]++;
  }
  #report(what: string): void {
    this.history.push(`${this.#step}  ${this.#now} ms  ${what}`);
  }
}

/** Makes the topics of the plan and opens its stores, as the app and its actors do. */
const prepare = (log: MemoryDisk, plan: Plan): void => {
  log.ensure(plan.topics.map(({ shape }) => shape));
  for (const { stores, partitions } of plan.tasks)
    for (const store of stores) for (let partition = 0; partition < partitions; partition++) log.openStore(storePart(plan, store, partition));
};
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
