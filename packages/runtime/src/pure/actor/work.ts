/**
 * The kinds of work of an actor, behind one interface: records of topics (records.ts), arrivals of a source (arrivals.ts), and any third
 * kind of task.
 *
 * A kind makes requests, takes the records at hand through the task's functions, and cuts commits. The machine (actor.ts) decides when:
 * turns, credits, rest and endings are the same for all kinds.
 */
import type { ArrivalBatch, Commit, Position, PullLimit, RawArrival, RecordCursor, SinkBatch } from '@stoplog/core/port';
import type { Step } from './careful.ts';
import type { InFlight } from './in-flight.ts';
import type { Jump } from './place.ts';

/** A request to the runner; each is answered once, by its number. */
export type Request =
  /** The records at a position; with `waits`, answered when there are some. */
  | { readonly type: 'fetch'; readonly ask: number; readonly from: Position; readonly bytes: number; readonly waits: boolean }
  | { readonly type: 'pull'; readonly ask: number; readonly limit: PullLimit }
  | { readonly type: 'acknowledge'; readonly ask: number; readonly items: readonly unknown[]; readonly position: bigint };

/** `from` is another offset than the request's when the log no longer has that one. */
export interface Found {
  readonly from: bigint;
  readonly next: bigint;
  readonly batches: readonly RecordCursor[];
}
export type Answer =
  | { readonly type: 'fetched'; readonly ask: number; readonly found: Found }
  | { readonly type: 'pulled'; readonly ask: number; readonly batch: ArrivalBatch | ArrivalBatch<RawArrival> }
  | { readonly type: 'acknowledged'; readonly ask: number };

/** A notice from the work while it handles an answer. */
export type Notice =
  | { readonly type: 'report'; readonly jump: Jump }
  /** Waiting requests need no answer any more. */
  | { readonly type: 'stop waiting' }
  /** This actor is not going to commit these arrivals: another one may have them. */
  | { readonly type: 'release'; readonly items: readonly unknown[] };

/** A batch for a sink, to be written before the commit. */
export interface SinkWrite {
  readonly sink: string;
  readonly batch: SinkBatch;
}
export interface Cut {
  readonly commit: Commit;
  /** Sink batches to write before the commit, in this order and behind the batches of earlier cuts. */
  readonly writes: readonly SinkWrite[];
  readonly recordsIn: number;
  readonly recordsOut: number;
}

export interface Work {
  /** True when a commit counts as done only once it is durable, not when it is visible. */
  readonly needsDurable: boolean;
  /** True when nothing is at hand. */
  readonly isEmpty: boolean;
  /** True when there is something to commit. */
  readonly isOpen: boolean;
  /** True while a waiting request is not answered. */
  readonly isWaiting: boolean;
  /** True when ending now would lose the batch at hand, which cannot be read again: it is finished first. */
  readonly owes: boolean;
  /** The earliest wall-clock time at which `tick` is wanted; Infinity for none. */
  readonly wakeAt: number;
  /** The unit is suspect, and has records left to take in steps. */
  readonly isCareful?: boolean;
  /** The next step of a suspect; undefined when nothing is at hand. */
  readonly step?: Step | undefined;
  /** Calls whose results come later; undefined for work that makes none. */
  readonly calls?: InFlight | undefined;
  /** The requests to make before a turn can be taken; none when it can, or when there is nothing to take. */
  ask(): readonly Request[];
  /** The requests to make at rest. */
  wait(): readonly Request[];
  /** True while an answer to that request is still needed. */
  isAsked(ask: number): boolean;
  /** Takes an answer; returns undefined for one that comes too late. */
  heard(answer: Answer): readonly Notice[] | undefined;
  /** Takes one turn. Returns true when the records taken must be committed, and the commits settled, before more are taken. */
  take(): boolean;
  /** Passes the wall-clock time to the task's functions. */
  tick(wallClock: number): void;
  isDue(hasCredit: boolean): boolean;
  /** Cuts everything since the last cut, as the commit of that number. */
  cut(number: number): Cut;
  /** Commits up to this number are in the log. */
  committed(number: number): void;
  /** The notices to the runner after a turn that failed. */
  giveBack(): readonly Notice[];
  /** Names the record that was taken last, or a group of records since the last cut. */
  blame(error: unknown): unknown;
}
