/**
 * The machine of an actor: `step(state, event) → [state, effects]`. Threads, `drive` and `simulate` perform its effects.
 *
 * An actor fetches, takes a turn, lets the other actors have theirs, commits if a commit is due, and begins again; with nothing to read
 * and nothing open it rests. The kind of work (work.ts) decides the contents of a turn and a commit.
 *
 * The state is a mutable object with one owner, and `step` returns the same object: a turn takes thousands of records through one
 * compiled function, and copying state for each would cost more than the function. States and transitions are drawn in
 * docs/internals/actor.md.
 */
import { asError } from '@stoplog/core/kit';
import type { Step } from './careful.ts';
import { Commits } from './commits.ts';
import type { CallRequest } from './in-flight.ts';
import type { Answer, Cut, Notice, Request, Work } from './work.ts';

export type ActorEvent =
  | { readonly type: 'started' }
  | Answer
  /** The answer to the effect 'turn'. */
  | { readonly type: 'turn' }
  /** The answer to the effect 'enter'. */
  | { readonly type: 'entered' }
  /** The other actors of the thread have had their turns. */
  | { readonly type: 'resumed' }
  | { readonly type: 'committed'; readonly number: number }
  | { readonly type: 'refused'; readonly number: number; readonly error: unknown }
  | { readonly type: 'ticked'; readonly wallClock: number }
  /** Finish the batch in progress, commit, and end. */
  | { readonly type: 'drain' }
  /** End without committing the open batch. */
  | { readonly type: 'abandon' }
  /** A request failed. */
  | { readonly type: 'failed'; readonly ask: number; readonly error: unknown }
  /** A call has its result, or has failed. */
  | { readonly type: 'returned'; readonly call: number; readonly result: unknown }
  | { readonly type: 'threw'; readonly call: number; readonly error: unknown }
  /** The time of 'deadline' is over. */
  | { readonly type: 'overdue' }
  /** Work that a handler started failed later: a promise, a timer. */
  | { readonly type: 'blamed'; readonly error: unknown };

export type ActorEffect =
  | Request
  | Notice
  | CallRequest
  /** No call is waited for any more: their signals are to be aborted. */
  | { readonly type: 'cancel' }
  /** To be answered by 'overdue': a drain does not wait for calls any longer than that. */
  | { readonly type: 'deadline'; readonly afterMs: number }
  /** To be answered by 'turn' at once, when the effects before it are performed: a commit must not wait for the turn. */
  | { readonly type: 'turn' }
  /** A suspect asks for leave to take these records; to be answered by 'entered' when no other suspect takes any. */
  | ({ readonly type: 'enter' } & Step)
  /** The step is committed; `isLast` when the actor is no longer suspect. */
  | { readonly type: 'leave'; readonly isLast: boolean }
  /** To be answered by 'resumed' when the others have had their turns. */
  | { readonly type: 'yield' }
  /** To be answered by 'committed' or 'refused'; with `durable`, by 'committed' only when the commit is durable. */
  | ({ readonly type: 'commit'; readonly number: number; readonly durable: boolean } & Cut)
  /** To be answered by 'ticked' at that wall-clock time; replaces the earlier wake time. */
  | { readonly type: 'wake'; readonly at: number }
  /** Every record found is committed. */
  | { readonly type: 'rest' }
  | { readonly type: 'end'; readonly error: Error | undefined };

type Phase = 'new' | 'asking' | 'entering' | 'ready' | 'taken' | 'credit' | 'settling' | 'resting' | 'ending' | 'failing' | 'ended';
type Effects = readonly ActorEffect[];
const NOTHING: Effects = [];
const TURN: Effects = [{ type: 'turn' }];
const YIELD: Effects = [{ type: 'yield' }];
const REST: Effects = [{ type: 'rest' }];
const STOP_WAITING: Effects = [{ type: 'stop waiting' }];
const CANCEL: Effects = [{ type: 'cancel' }];

export class ActorState {
  readonly work: Work;
  readonly commits: Commits = new Commits();
  phase: Phase = 'new';
  isDraining = false;
  /** The records taken must be committed before more are taken. */
  mustSettle = false;
  /** A suspect takes a step. */
  isInStep = false;
  /** The time of the last 'wake' effect. */
  wakeAt: number = Infinity;
  failure: Error | undefined;

  constructor(work: Work) {
    this.work = work;
  }
  /** True when nothing is left to read, and everything is committed. */
  get isAtRest(): boolean {
    return this.phase === 'resting' && this.commits.isSettled && !this.work.isOpen && !this.hasCalls;
  }
  /** Records were read and wait for the results of calls. */
  get hasCalls(): boolean {
    return this.work.calls !== undefined && this.work.calls.size > 0;
  }
}

export const step = (state: ActorState, event: ActorEvent): readonly [ActorState, Effects] => {
  if (state.phase === 'ended') return [state, NOTHING];
  const effects = react(state, event);
  const at = state.work.wakeAt;
  if (at === state.wakeAt) return [state, effects];
  state.wakeAt = at;
  return [state, [...effects, { type: 'wake', at }]];
};

const react = (state: ActorState, event: ActorEvent): Effects => {
  const { work, commits } = state;
  switch (event.type) {
    case 'started':
      return next(state);
    case 'fetched':
    case 'pulled':
    case 'acknowledged':
      return answered(state, event);
    case 'turn':
      return state.phase === 'ready' ? take(state) : NOTHING;
    case 'entered':
      return state.phase === 'entering' ? entered(state) : NOTHING;
    case 'resumed':
      return state.phase === 'taken' ? resumed(state) : NOTHING;
    case 'committed':
      commits.committed();
      work.committed(event.number);
      return goOn(state);
    case 'refused':
      commits.refused(event.error);
      return goOn(state);
    case 'ticked':
      return ticked(state, event.wallClock);
    case 'drain':
      return drain(state);
    case 'abandon':
      return stop(state);
    case 'failed':
      return work.isAsked(event.ask) ? fail(state, event.error) : NOTHING;
    case 'returned':
      return work.calls?.returned(event.call, event.result) === true ? returned(state) : NOTHING;
    case 'threw': {
      const threw = work.calls?.threw(event.call, event.error);
      return threw === undefined ? NOTHING : fail(state, threw.error);
    }
    case 'overdue':
      return overdue(state);
    case 'blamed':
      return fail(state, work.blame(event.error));
  }
};

/** The beginning of a turn. */
const next = (state: ActorState): Effects => {
  const { work, commits } = state;
  if (commits.failure !== undefined) return fail(state, commits.failure.error);
  if (state.isDraining && !work.owes) return finish(state);
  const requests = work.ask();
  if (requests.length > 0) {
    state.phase = 'asking';
    return requests;
  }
  if (!work.isEmpty) {
    if (work.step !== undefined && !state.isInStep) {
      state.phase = 'entering';
      return [{ type: 'enter', ...work.step }];
    }
    state.phase = 'ready';
    return TURN;
  }
  return state.isDraining ? finish(state) : rest(state);
};

const entered = (state: ActorState): Effects => {
  state.isInStep = true;
  state.phase = 'ready';
  return TURN;
};
const take = (state: ActorState): Effects => {
  try {
    state.mustSettle = state.work.take();
  } catch (error) {
    return [...state.work.giveBack(), ...fail(state, error)];
  }
  state.phase = 'taken';
  const calls = state.work.calls?.takeRequests() ?? NOTHING;
  // Yields before a commit, so that an unhandled rejection of the turn is noticed first and nothing of its record is committed.
  return calls.length === 0 ? YIELD : [...calls, ...YIELD];
};
const resumed = (state: ActorState): Effects => (state.mustSettle || state.work.isDue(state.commits.hasCredit) ? commit(state) : next(state));

const commit = (state: ActorState): Effects => {
  const { commits } = state;
  if (commits.failure !== undefined) return fail(state, commits.failure.error);
  state.phase = 'credit';
  if (!commits.hasCredit) return NOTHING;
  const sent = send(state);
  if (state.failure !== undefined) return sent;
  if (!state.mustSettle) return [...sent, ...next(state)];
  // The records ahead of a suspect are committed before the suspect is tried: the suspect may kill this thread.
  state.phase = 'settling';
  return sent;
};
const send = (state: ActorState): Effects => {
  const { commits, work } = state;
  const number = commits.next;
  let cut: Cut;
  try {
    cut = work.cut(number);
  } catch (error) {
    return fail(state, error);
  }
  commits.sent();
  return [{ type: 'commit', number, durable: work.needsDurable, ...cut }];
};

/** Nothing is left to read: commit the open batch and look again, and then wait for more. */
const rest = (state: ActorState): Effects => {
  if (state.work.isOpen) return commit(state);
  state.phase = 'resting';
  const effects = atRest(state);
  return state.failure === undefined ? [...effects, ...state.work.wait()] : effects;
};
/** A tick may have left writes to commit. */
const atRest = (state: ActorState): Effects => {
  const { commits, work } = state;
  if (commits.failure !== undefined) return commits.isSettled ? fail(state, commits.failure.error) : NOTHING;
  if (work.isOpen) return commits.hasCredit ? send(state) : NOTHING;
  return commits.isSettled && !state.hasCalls ? REST : NOTHING;
};

/** A result came. It is emitted in a turn, if it is the next in order. */
const returned = (state: ActorState): Effects => {
  const { work, phase } = state;
  if (work.calls?.isReady !== true) return NOTHING;
  if (phase === 'ending') return next(state);
  if (phase !== 'resting') return NOTHING;
  // What was waited for is answered at once, and then the turn comes.
  return work.isWaiting ? STOP_WAITING : next(state);
};
const overdue = (state: ActorState): Effects => {
  if (!state.isDraining || !state.hasCalls) return NOTHING;
  state.work.calls?.abandon();
  return state.phase === 'ending' ? [...CANCEL, ...finish(state)] : CANCEL;
};

const answered = (state: ActorState, answer: Answer): Effects => {
  if (state.phase !== 'asking' && state.phase !== 'resting') return NOTHING;
  const heard = state.work.heard(answer);
  return heard === undefined ? NOTHING : [...heard, ...next(state)];
};
const settled = (state: ActorState): Effects => {
  state.mustSettle = false;
  // The call of a record belongs to its step.
  if (!state.isInStep || state.hasCalls) return next(state);
  state.isInStep = false;
  return [{ type: 'leave', isLast: state.work.isCareful !== true }, ...next(state)];
};
/** Reacts to the answer to a commit. */
const goOn = (state: ActorState): Effects => {
  switch (state.phase) {
    case 'credit':
      return commit(state);
    case 'settling':
      return state.commits.isSettled ? settled(state) : NOTHING;
    case 'resting':
      return atRest(state);
    case 'ending':
      return finish(state);
    case 'failing':
      return over(state);
    default:
      return NOTHING;
  }
};
const ticked = (state: ActorState, wallClock: number): Effects => {
  state.wakeAt = Infinity;
  if (state.phase === 'ending' || state.phase === 'failing') return NOTHING;
  try {
    state.work.tick(wallClock);
  } catch (error) {
    return fail(state, error);
  }
  return state.phase === 'resting' && state.work.isOpen ? atRest(state) : NOTHING;
};

const drain = (state: ActorState): Effects => {
  const { calls } = state.work;
  const waits = calls !== undefined && state.hasCalls && !state.isDraining;
  state.isDraining = true;
  calls?.close();
  const ending = endingOf(state);
  return waits ? [{ type: 'deadline', afterMs: calls.drainMs }, ...ending] : ending;
};
const endingOf = (state: ActorState): Effects => {
  if (state.phase === 'new' || state.phase === 'entering') return finish(state);
  if (state.phase === 'asking') return STOP_WAITING;
  if (state.phase !== 'resting') return NOTHING;
  // The waiting request is answered at once, and the records of the answer are not lost.
  return state.work.isWaiting ? STOP_WAITING : finish(state);
};
const finish = (state: ActorState): Effects => {
  const { commits, work } = state;
  state.phase = 'ending';
  if (commits.failure !== undefined) return fail(state, commits.failure.error);
  if (work.isOpen) {
    if (!commits.hasCredit) return NOTHING;
    return send(state);
  }
  return state.hasCalls ? NOTHING : over(state);
};
const fail = (state: ActorState, error: unknown): Effects => {
  state.failure ??= asError(error);
  return stop(state);
};
const stop = (state: ActorState): Effects => {
  const waits = state.phase === 'resting' || state.phase === 'asking';
  state.phase = 'failing';
  const cancelled = state.hasCalls ? CANCEL : NOTHING;
  state.work.calls?.abandon();
  return waits ? [...STOP_WAITING, ...cancelled, ...over(state)] : [...cancelled, ...over(state)];
};
/** Ends when no commit is under way. Each commit is then answered, so the next incarnation starts behind the last one that succeeded. */
const over = (state: ActorState): Effects => {
  if (!state.commits.isSettled) return NOTHING;
  state.phase = 'ended';
  return [{ type: 'end', error: state.failure }];
};
