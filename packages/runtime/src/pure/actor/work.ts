/**
 * The kinds of work an actor can have, behind one interface: records of topics (records.ts), arrivals of a source
 * (arrivals.ts), and whatever kind of task comes third.
 *
 * A kind says what to ask for, takes what is at hand through the task's functions, and cuts commits. The machine
 * (actor.ts) decides when: turns, credits, rest and endings are the same for all kinds.
 */
import type { ArrivalBatch, Commit, Position, PullLimit, RawArrival, RecordCursor, SinkBatch } from '@stoplog/core/port';
import type { InFlight } from './in-flight.ts';
import type { Jump } from './place.ts';

/** Asked of the outside; each is answered once, by its number. */
export type Request =
  /** The records at a position; with `waits`, answered when there are some. */
  | { readonly type: 'fetch'; readonly ask: number; readonly from: Position; readonly bytes: number; readonly waits: boolean }
  | { readonly type: 'pull'; readonly ask: number; readonly limit: PullLimit }
  | { readonly type: 'acknowledge'; readonly ask: number; readonly items: readonly unknown[]; readonly position: bigint };

/** `from` is another offset than was asked for when the log no longer has that one. */
export interface Found {
  readonly from: bigint;
  readonly next: bigint;
  readonly batches: readonly RecordCursor[];
}
export type Answer =
  | { readonly type: 'fetched'; readonly ask: number; readonly found: Found }
  | { readonly type: 'pulled'; readonly ask: number; readonly batch: ArrivalBatch | ArrivalBatch<RawArrival> }
  | { readonly type: 'acknowledged'; readonly ask: number };

/** What the work tells while it hears an answer. */
export type Notice =
  | { readonly type: 'report'; readonly jump: Jump }
  /** No answer to what was asked with `waits` is needed any more. */
  | { readonly type: 'stop waiting' }
  /** These arrivals are not going to be committed by this actor: another one may have them. */
  | { readonly type: 'release'; readonly items: readonly unknown[] };

/** A batch for a sink, to be written before the commit. */
export interface SinkWrite {
  readonly sink: string;
  readonly batch: SinkBatch;
}
export interface Cut {
  readonly commit: Commit;
  /** To be written first, in this order and behind those of earlier cuts. */
  readonly writes: readonly SinkWrite[];
  readonly recordsIn: number;
  readonly recordsOut: number;
}

export interface Work {
  /** A commit counts as done when it is durable, not when it is visible. */
  readonly needsDurable: boolean;
  /** Nothing is at hand. */
  readonly isEmpty: boolean;
  /** There is something to commit. */
  readonly isOpen: boolean;
  /** A request that waits is not answered yet. */
  readonly isWaiting: boolean;
  /** Ending now would lose what is at hand: it is finished first, unlike what can be read again. */
  readonly owes: boolean;
  /** The earliest wall-clock time at which `tick` is wanted; Infinity for none. */
  readonly wakeAt: number;
  /** Calls whose results come later; undefined for work that makes none. */
  readonly calls?: InFlight | undefined;
  /** The requests to make before a turn can be taken; none when it can, or when there is nothing to take. */
  ask(): readonly Request[];
  /** The requests to make at rest. */
  wait(): readonly Request[];
  /** An answer to that request is still needed. */
  isAsked(ask: number): boolean;
  /** Takes an answer; undefined for one that comes too late. */
  heard(answer: Answer): readonly Notice[] | undefined;
  /** One turn. True when what was taken must be committed, and the commits settled, before more is taken. */
  take(): boolean;
  /** Lets the task's functions know the wall-clock time. */
  tick(wallClock: number): void;
  isDue(hasCredit: boolean): boolean;
  /** Everything since the last cut, as the commit of that number. */
  cut(number: number): Cut;
  /** Commits up to this number are in the log. */
  committed(number: number): void;
  /** What is given back to the outside after a turn that failed. */
  giveBack(): readonly Notice[];
  /** Names the record that was taken last, or one of those since the last cut. */
  blame(error: unknown): unknown;
}
