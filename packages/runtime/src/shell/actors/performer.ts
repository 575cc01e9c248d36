/**
 * Performs the effects of an actor's machine in a thread: fetches, commits, pulls and timers, each answered by an event.
 *
 * The performer decides nothing. Every asynchronous call ends in `hear`, so the machine sees one event at a time.
 */
import type { Reset } from '@stoplog/core';
import { fetchOrReset } from '@stoplog/core/kit';
import type { ArrivalBatch, Commit, Committed, Log, RawArrival, SourceReader } from '@stoplog/core/port';
import { failpoint } from '@stoplog/core/private/failpoints';
import { ActorState, step, type ActorEffect, type ActorEvent } from '../../pure/actor/actor.ts';
import type { Step } from '../../pure/actor/careful.ts';
import type { Jump } from '../../pure/actor/place.ts';
import type { SinkWrite, Work } from '../../pure/actor/work.ts';
import type { Progress } from '../../pure/host/mailbox.ts';
import type { Dropped } from '../../pure/nodes/drops.ts';
import type { Sinks } from '../sinks/sinks.ts';
import { sourceFailed } from './source.ts';

export interface PerformerParts {
  readonly work: Work;
  readonly log: Log;
  /** The source of an actor that pulls arrivals. */
  readonly source?: { readonly name: string; readonly reader: SourceReader | SourceReader<RawArrival> };
  /** The sinks that a task writes to before it commits. */
  readonly sinks?: Sinks | undefined;
  /** The auto offset reset: where to resume when the log no longer has the next record. */
  readonly reset: Reset;
  readonly now: () => number;
  readonly wallClock: () => number;
  /** Records without a key that verbs dropped since the last call. */
  readonly takeDropped: () => readonly Dropped[];
  /** Called before every turn. */
  readonly turn: () => void;
  /** Called when every record found is committed. */
  readonly idle: () => void;
  readonly jumped: (jump: Jump) => void;
  /** Called by a suspect before and after each step; `entered` answers. */
  readonly enter?: (step: Step) => void;
  readonly leave?: (isLast: boolean) => void;
}
type Effect<T extends ActorEffect['type']> = Extract<ActorEffect, { readonly type: T }>;

/** Commit durations kept between two reports. */
const SAMPLES = 32;
/** The longest delay of a Node timer; a later wake time is checked again then. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export class Performer {
  readonly #parts: PerformerParts;
  readonly #state: ActorState;
  readonly #events: ActorEvent[] = [];
  #waits = new AbortController();
  readonly #ending = new AbortController();
  /** Resolves when the last commit was sent; after a failure it rejects, and no later commit is sent. */
  #sunk: Promise<unknown> = Promise.resolve();
  #isWaiting = false;
  #released: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #calls = new AbortController();
  #deadline: NodeJS.Timeout | undefined;
  #progress = nothing();
  #end: { readonly resolve: () => void; readonly reject: (error: Error) => void } | undefined;

  constructor(parts: PerformerParts) {
    this.#parts = parts;
    this.#state = new ActorState(parts.work);
  }

  /** True when nothing is left to read, and everything is committed. */
  get isAtRest(): boolean {
    return this.#state.isAtRest;
  }
  /** Resolves when the actor has ended; rejects with the error that ended it. */
  async run(): Promise<void> {
    try {
      await new Promise<void>((resolve, reject) => {
        this.#end = { resolve, reject };
        this.#hear({ type: 'started' });
      });
    } finally {
      clearTimeout(this.#timer);
      clearTimeout(this.#deadline);
      this.#waits.abort();
      await this.#close();
    }
  }
  drain(): void {
    this.#hear({ type: 'drain' });
  }
  /** Gives a suspect leave to take its step. */
  entered(): void {
    this.#hear({ type: 'entered' });
  }
  /** Reports the late failure of work that a handler started, such as a promise without an await. */
  blame(error: unknown): void {
    this.#hear({ type: 'blamed', error });
  }
  takeProgress(): Progress {
    const progress = this.#progress;
    this.#progress = nothing();
    return { ...progress, dropped: this.#parts.takeDropped() };
  }

  async #close(): Promise<void> {
    try {
      await this.#released;
      await this.#parts.source?.reader[Symbol.asyncDispose]();
      await this.#parts.sinks?.close();
    } catch {
      // The actor has ended; an error here would hide the error that ended it.
    }
  }
  /** Handles an event; an event that comes while effects are performed waits until they are. */
  #hear(event: ActorEvent): void {
    this.#events.push(event);
    if (this.#events.length > 1) return;
    for (let first: ActorEvent | undefined = event; first !== undefined; first = this.#events[0]) {
      try {
        const [, effects] = step(this.#state, first);
        for (const effect of effects) this.#perform(effect);
      } finally {
        this.#events.shift();
      }
    }
  }
  #perform(effect: ActorEffect): void {
    switch (effect.type) {
      case 'fetch':
        return this.#fetch(effect);
      case 'commit':
        return this.#commit(effect);
      case 'turn':
        this.#parts.turn();
        return this.#hear({ type: 'turn' });
      case 'enter':
        return this.#parts.enter?.({ records: effect.records, first: effect.first });
      case 'leave':
        return this.#parts.leave?.(effect.isLast);
      case 'yield':
        // Messages, timers and the other actors of this thread have their turn.
        return void setImmediate(() => this.#hear({ type: 'resumed' }));
      case 'rest':
        return this.#parts.idle();
      case 'stop waiting':
        this.#waits.abort();
        this.#waits = new AbortController();
        return;
      case 'report':
        return this.#parts.jumped(effect.jump);
      case 'call':
        return this.#call(effect);
      case 'cancel':
        return this.#calls.abort();
      case 'deadline':
        this.#deadline = setTimeout(() => this.#hear({ type: 'overdue' }), effect.afterMs);
        return;
      case 'wake':
        return this.#wake(effect.at);
      case 'pull':
        return this.#pull(effect);
      case 'acknowledge':
        return this.#acknowledge(effect);
      case 'release':
        // The batch is released before the reader is closed.
        this.#released = this.#parts.source!.reader.release?.(effect.items, 0).catch(() => {});
        return;
      case 'end':
        this.#ending.abort();
        if (effect.error === undefined) this.#end?.resolve();
        else this.#end?.reject(effect.error);
    }
  }
  #fetch({ ask, from, bytes, waits }: Effect<'fetch'>): void {
    const { log, reset, wallClock } = this.#parts;
    // A new signal for each wait: a signal that outlives many waits would keep a listener for each of them.
    if (waits && !this.#isWaiting) this.#waits = new AbortController();
    this.#isWaiting = waits;
    const found = fetchOrReset(log, from, { bytes, waitMs: waits ? Infinity : 0 }, this.#waits.signal, reset, wallClock);
    this.#answer(ask, found, (answer) => ({ type: 'fetched', ask, found: answer }));
  }
  #pull({ ask, limit }: Effect<'pull'>): void {
    const { name, reader } = this.#parts.source!;
    const pulled: Promise<ArrivalBatch | ArrivalBatch<RawArrival>> = reader.pull(limit, this.#waits.signal);
    this.#answer(ask, pulled.catch(ofSource(name)), (batch) => ({ type: 'pulled', ask, batch }));
  }
  #acknowledge({ ask, items, position }: Effect<'acknowledge'>): void {
    const { name, reader } = this.#parts.source!;
    this.#answer(ask, reader.acknowledge(items, position).catch(ofSource(name)), () => ({ type: 'acknowledged', ask }));
  }
  #answer<T>(ask: number, answer: Promise<T>, event: (answer: T) => ActorEvent): void {
    answer.then(
      (value) => this.#hear(event(value)),
      (error: unknown) => this.#hear({ type: 'failed', ask, error }),
    );
  }
  #call({ call, run }: Effect<'call'>): void {
    // In an async function, so that what is thrown before the first wait is a rejection as well.
    const result = (async (): Promise<unknown> => run(this.#calls.signal))();
    result.then(
      (value) => this.#hear({ type: 'returned', call, result: value }),
      (error: unknown) => this.#hear({ type: 'threw', call, error }),
    );
  }
  #commit({ number, commit, writes, durable: mustBeDurable, recordsIn, recordsOut }: Effect<'commit'>): void {
    failpoint('state.staged');
    const progress = this.#progress;
    this.#progress = { ...progress, recordsIn: progress.recordsIn + recordsIn, recordsOut: progress.recordsOut + recordsOut };
    failpoint('outputs.staged');
    const started = this.#parts.now();
    const { log, sinks } = this.#parts;
    const sent = sinks === undefined ? log.commit(commit) : this.#commitAfter(sinks, writes, commit);
    const committed = sent.then(({ durable }) => {
      this.#count(this.#parts.now() - started);
      return mustBeDurable ? durable : undefined;
    });
    committed.then(
      () => {
        this.#hear({ type: 'committed', number });
        failpoint('commit.acked');
      },
      (error: unknown) => this.#hear({ type: 'refused', number, error }),
    );
  }
  /**
   * Writes to the sinks first, one commit after the other. Before anything leaves the log, an empty commit proves that this actor still
   * holds its partition, and that the records it read are durable: a sink must not have records that a power cut rolls back.
   */
  #commitAfter(sinks: Sinks, writes: readonly SinkWrite[], commit: Commit): Promise<Committed> {
    const { log } = this.#parts;
    const sent = this.#sunk.then(async () => {
      if (writes.length === 0) return log.commit(commit);
      const here = commit.positions.map((move) => ({ ...move, to: move.from }));
      const { durable } = await log.commit({ ...commit, appends: [], stores: [], positions: here });
      await durable;
      await sinks.write(writes, this.#ending.signal);
      return log.commit(commit);
    });
    this.#sunk = sent;
    return sent;
  }
  #count(ms: number): void {
    const { commits, commitMs } = this.#progress;
    this.#progress = { ...this.#progress, commits: commits + 1, commitMs: commitMs.length < SAMPLES ? [...commitMs, ms] : commitMs };
  }
  #wake(at: number): void {
    clearTimeout(this.#timer);
    if (!Number.isFinite(at)) return;
    const { wallClock } = this.#parts;
    const left = Math.max(0, at - wallClock());
    this.#timer = setTimeout(
      () => (left > LONGEST_TIMER_MS ? this.#wake(at) : this.#hear({ type: 'ticked', wallClock: wallClock() })),
      Math.min(left, LONGEST_TIMER_MS),
    );
  }
}

const ofSource =
  (name: string) =>
  (error: unknown): never => {
    throw sourceFailed(name, error);
  };
const nothing = (): Omit<Progress, 'dropped'> => ({ recordsIn: 0, recordsOut: 0, commits: 0, commitMs: [] });
