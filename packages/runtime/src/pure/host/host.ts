/**
 * The machine of a host, which runs the actors of a process: `step(state, event) → [state, effects]`.
 *
 * An assignment lists the units of the process. The machine starts their actors, drains the actors of revoked units, restarts a failed
 * actor after a while, and stops a unit that fails at one record again and again. Threads (shell/actors/host.ts) and the simulation
 * perform its effects. The state is a mutable object with one owner.
 */
import { asError } from '@stoplog/core/kit';
import { isStoplogError } from '@stoplog/core';
import type { Place } from '../actor/place.ts';
import { differenceOf, NOTHING_HELD, type Held, type Holdings } from './holdings.ts';
import { isFinal } from '../actor/blame.ts';
import { NO_FAILURES, ran, step as restartStep, worked, type Failures } from './restart.ts';
import { step as watchStep, type Sighting, type Watched } from './watchdog.ts';

/** The end of an incarnation by a failure. */
export interface Failure {
  readonly error: Error;
  /** The record that the actor was processing, if the handler is to blame. */
  readonly place: Place | undefined;
  /** The number of records any of which may be to blame; 0 when none was open. */
  readonly among: number;
}
/** A unit that has failed. */
export interface Stopped {
  readonly error: Error;
  readonly failures: number;
}
export type HostEvent =
  /** `failed`: units that are not started, because earlier processes died of a record of theirs. */
  | { readonly type: 'assigned'; readonly holdings: Holdings; readonly failed?: ReadonlyMap<string, Stopped> }
  /** The process ends: its units are revoked, and `failed` is kept. */
  | { readonly type: 'stop' }
  /** The time of 'stand by' is over. */
  | { readonly type: 'stood by' }
  /** The question whether all actors are idle. */
  | { readonly type: 'ask' }
  /** An actor that was asked has nothing to read, and has committed everything. */
  | { readonly type: 'idle'; readonly unit: string }
  /** An error outside of the actors makes the whole app fail. */
  | { readonly type: 'broken'; readonly error: Error }
  /** An incarnation has loaded everything that it needs. */
  | { readonly type: 'running'; readonly unit: string }
  /** An incarnation has committed. */
  | { readonly type: 'worked'; readonly unit: string }
  | { readonly type: 'ended'; readonly unit: string; readonly failure: Failure | undefined; readonly at: number }
  /** The time of a restart has come. */
  | { readonly type: 'due'; readonly unit: string }
  /** The watchdog has looked at an actor. */
  | { readonly type: 'seen'; readonly unit: string; readonly sighting: Sighting; readonly at: number }
  /** The drain of these units takes too long. */
  | { readonly type: 'late'; readonly units: readonly string[] };

export type HostEffect =
  | { readonly type: 'launch'; readonly held: Held; readonly suspect: Place | undefined; readonly pace: number | undefined }
  | { readonly type: 'drain'; readonly unit: string }
  /** End the actor's thread: the actor has hung for this time, or its drain takes too long. */
  | { readonly type: 'kill'; readonly unit: string; readonly hangsForMs: number | undefined }
  /** To be answered by 'due'. */
  | { readonly type: 'restart'; readonly unit: string; readonly afterMs: number; readonly failures: number; readonly error: Error }
  | { readonly type: 'restart no more'; readonly unit: string }
  | { readonly type: 'failed'; readonly unit: string; readonly failures: number; readonly error: Error }
  | { readonly type: 'fatal'; readonly error: Error }
  /** To be answered by 'stood by'. */
  | { readonly type: 'stand by'; readonly afterMs: number }
  /** Other processes have all units. */
  | { readonly type: 'waiting' }
  /** To be answered by 'idle'. */
  | { readonly type: 'ask'; readonly unit: string }
  /** The question is over: each of the `asked` actors was idle once, or an actor was started, revoked or stopped. */
  | { readonly type: 'answered'; readonly asked: number }
  /** A revoked unit is free: no actor works on it here. */
  | { readonly type: 'over'; readonly held: Held }
  /** All revoked units are free. */
  | { readonly type: 'drained' };

/** A failure that is tried again: the last error, and how often in a row it came. */
export interface Retrying {
  readonly error: Error;
  readonly failures: number;
}
interface Incarnation {
  readonly held: Held;
  isLeaving: boolean;
  isKilled: boolean;
  watched: Watched | undefined;
}
/** The factor by which each incarnation narrows down the record to blame. */
const NARROWING = 16;
/** How long a process without units waits for some before it reports that other processes have them all. */
const STANDBY_MS = 1_000;

export class HostState {
  readonly hangAfterMs: number;
  held: Holdings = NOTHING_HELD;
  readonly incarnations: Map<string, Incarnation> = new Map();
  readonly failures: Map<string, Failures> = new Map();
  /** Units whose actors failed and will be restarted. */
  readonly restarts: Map<string, { readonly held: Held; readonly suspect: Place | undefined; readonly pace: number | undefined }> = new Map();
  /** Units to start when the actors that had these units in another epoch have ended. */
  pending: readonly Held[] = [];
  /** Units that fail in place of their start. */
  deadly: ReadonlyMap<string, Stopped> = new Map();
  isDrained = true;
  /** Units whose actors run, and failed units with the errors of their handlers. */
  readonly running: Set<string> = new Set();
  readonly failed: Map<string, Error> = new Map();
  /** Units whose actors failed and have not worked since. */
  readonly retrying: Map<string, Retrying> = new Map();
  /** 'standby' while other processes have all units. */
  membership: 'none' | 'joined' | 'standby' | 'stopping' = 'none';
  /** The actors of a question that have not answered yet, and the number of actors asked. */
  question: { readonly open: Set<string>; readonly asked: number } | undefined;

  constructor(hangAfterMs: number) {
    this.hangAfterMs = hangAfterMs;
  }
  /** Each unit has an actor that runs, has failed, or waits for a sink that is not there; or other processes have all units. */
  get isStarted(): boolean {
    if (this.membership === 'standby') return true;
    return this.held.size > 0 && [...this.held.keys()].every((unit) => this.running.has(unit) || this.failed.has(unit) || this.#waitsForSink(unit));
  }
  #waitsForSink(unit: string): boolean {
    const error = this.retrying.get(unit)?.error;
    return error !== undefined && isStoplogError(error) && error.code === 'STOPLOG_SINK';
  }
  /** Units whose actors are draining. */
  get leaving(): readonly string[] {
    return [...this.incarnations].filter(([, { isLeaving }]) => isLeaving).map(([unit]) => unit);
  }
}

type Effects = readonly HostEffect[];

export const step = (state: HostState, event: HostEvent): readonly [HostState, Effects] => [state, react(state, event)];

const react = (state: HostState, event: HostEvent): Effects => {
  switch (event.type) {
    case 'assigned':
      state.deadly = event.failed ?? new Map<string, Stopped>();
      return assign(state, event.holdings);
    case 'stop':
      state.membership = 'stopping';
      return change(state, NOTHING_HELD);
    case 'stood by':
      return state.membership === 'joined' && state.held.size === 0 ? standBy(state) : [];
    case 'ask':
      return ask(state);
    case 'idle': {
      state.question?.open.delete(event.unit);
      return state.question?.open.size === 0 ? answered(state) : [];
    }
    case 'broken':
      return [{ type: 'fatal', error: event.error }, ...answered(state)];
    case 'running':
      state.failures.set(event.unit, ran(state.failures.get(event.unit) ?? NO_FAILURES));
      if (state.held.has(event.unit)) state.running.add(event.unit);
      // A new incarnation has not heard the question.
      return answered(state);
    case 'worked':
      state.retrying.delete(event.unit);
      state.failures.set(event.unit, worked(state.failures.get(event.unit) ?? NO_FAILURES));
      return [];
    case 'ended':
      return ended(state, event.unit, event.failure, event.at);
    case 'due': {
      const restart = state.restarts.get(event.unit);
      state.restarts.delete(event.unit);
      return restart === undefined ? [] : [launch(state, restart)];
    }
    case 'seen':
      return seen(state, event.unit, event.sighting, event.at);
    case 'late':
      return event.units.filter((unit) => state.incarnations.get(unit)?.isLeaving).map((unit) => ({ type: 'kill', unit, hangsForMs: undefined }));
  }
};

const assign = (state: HostState, now: Holdings): Effects => {
  const before = state.held;
  const { ended: gone, started } = differenceOf(before, now);
  // A failed unit is tried again in each new epoch.
  for (const { unit } of [...gone, ...started]) state.failed.delete(unit.name);
  const effects = change(state, now);
  const isFirst = state.membership === 'none';
  if (isFirst || now.size > 0) state.membership = 'joined';
  if (now.size > 0) return effects;
  // A first assignment is empty while other members drain the units they hand over, or when there is no unit left.
  if (isFirst) return [...effects, { type: 'stand by', afterMs: STANDBY_MS }];
  return before.size > 0 ? [...effects, ...standBy(state)] : effects;
};
const standBy = (state: HostState): Effects => {
  state.membership = 'standby';
  return [{ type: 'waiting' }];
};
const change = (state: HostState, now: Holdings): Effects => {
  const { ended: gone, started } = differenceOf(state.held, now);
  state.held = now;
  for (const { unit } of [...gone, ...started]) {
    state.running.delete(unit.name);
    state.retrying.delete(unit.name);
  }
  state.isDrained = false;
  const effects: HostEffect[] = [];
  for (const held of gone) {
    const { name } = held.unit;
    if (state.restarts.delete(name)) effects.push({ type: 'restart no more', unit: name });
    const incarnation = state.incarnations.get(name);
    if (incarnation === undefined) effects.push({ type: 'over', held });
    else {
      incarnation.isLeaving = true;
      effects.push({ type: 'drain', unit: name });
    }
  }
  state.pending = started;
  return [...effects, ...startPending(state), ...drained(state), ...answered(state)];
};
/** A round of questions; asked again in the middle of a round, every actor is asked again. */
const ask = (state: HostState): Effects => {
  const open = new Set([...state.incarnations].filter(([, { isLeaving }]) => !isLeaving).map(([unit]) => unit));
  state.question = { open, asked: open.size };
  if (open.size === 0) return answered(state);
  return [...open].map((unit) => ({ type: 'ask', unit }));
};
const answered = (state: HostState): Effects => {
  const { question } = state;
  state.question = undefined;
  return question === undefined ? [] : [{ type: 'answered', asked: question.asked }];
};
/** Starts the pending units whose old actors have ended. */
const startPending = (state: HostState): Effects => {
  const free = state.pending.filter(({ unit }) => !state.incarnations.has(unit.name));
  state.pending = state.pending.filter(({ unit }) => state.incarnations.has(unit.name));
  return free.map((held) => {
    const { name } = held.unit;
    state.failures.delete(name);
    const stopped = state.deadly.get(name);
    if (stopped !== undefined) {
      state.failed.set(name, stopped.error);
      return { type: 'failed', unit: name, ...stopped };
    }
    return launch(state, { held, suspect: undefined, pace: undefined });
  });
};
const launch = (state: HostState, start: Omit<Extract<HostEffect, { readonly type: 'launch' }>, 'type'>): HostEffect => {
  state.incarnations.set(start.held.unit.name, { held: start.held, isLeaving: false, isKilled: false, watched: undefined });
  return { type: 'launch', ...start };
};
const drained = (state: HostState): Effects => {
  if (state.isDrained || state.leaving.length > 0) return [];
  state.isDrained = true;
  return [{ type: 'drained' }];
};

const ended = (state: HostState, unit: string, failure: Failure | undefined, at: number): Effects => {
  const incarnation = state.incarnations.get(unit);
  if (incarnation === undefined) return [];
  state.incarnations.delete(unit);
  if (incarnation.isLeaving) return [{ type: 'over', held: incarnation.held }, ...startPending(state), ...drained(state)];
  return failure === undefined ? [] : failed(state, incarnation, failure, at);
};
const failed = (state: HostState, { held }: Incarnation, { error, place, among }: Failure, at: number): Effects => {
  const unit = held.unit.name;
  const where = place === undefined ? 'nowhere' : `${place.topic}:${place.partition}:${place.offset}`;
  const code = isStoplogError(error) ? error.code : undefined;
  const isOutage = isStoplogError(error) && error.facts['outage'] === true;
  const event = { type: 'failed', code, place: where, at, isFinal: isFinal(error), isOutage } as const;
  const [failures, effect] = restartStep(state.failures.get(unit) ?? NO_FAILURES, event);
  state.failures.set(unit, failures);
  if (effect.type === 'fatal') return [{ type: 'fatal', error: asError(error) }, ...answered(state)];
  if (effect.type === 'stop') {
    state.running.delete(unit);
    state.retrying.delete(unit);
    state.failed.set(unit, error);
    return [{ type: 'failed', unit, failures: effect.failures, error }, ...answered(state)];
  }
  // Any of many records may have failed: each incarnation takes fewer at a time, until the record is found.
  const suspect = among === 0 ? undefined : place;
  const pace = among > 1 ? Math.ceil(among / NARROWING) : undefined;
  state.restarts.set(unit, { held, suspect, pace });
  state.retrying.set(unit, { error, failures: effect.failures });
  return [{ type: 'restart', unit, afterMs: effect.afterMs, failures: effect.failures, error }];
};

const seen = (state: HostState, unit: string, sighting: Sighting, at: number): Effects => {
  const incarnation = state.incarnations.get(unit);
  if (incarnation === undefined || incarnation.isKilled) return [];
  const [watched, hangs] = watchStep(incarnation.watched, sighting, at, state.hangAfterMs);
  incarnation.watched = watched;
  if (hangs === undefined) return [];
  incarnation.isKilled = true;
  return [{ type: 'kill', unit, hangsForMs: hangs.forMs }];
};
