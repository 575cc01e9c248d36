/**
 * One task at one partition: fetch, step, commit, and again.
 *
 * A turn takes what is at hand through the task's functions, synchronously, and cuts a commit when it is time: at once
 * when the actor has caught up, and large while it is behind. What a turn does lies in `pure/task/steps.ts`; here is
 * what it waits for.
 */
import type { Reset } from '@stoplog/core';
import type { Log, RecordBatch } from '@stoplog/core/port';
import { asError, fetchOrReset } from '@stoplog/core/kit';
import { failpoint } from '@stoplog/core/private/failpoints';
import type { Jump, Progress } from '../../pure/mailbox.ts';
import type { Dropped } from '../../pure/nodes/drops.ts';
import { FETCH_BYTES, type Input } from '../../pure/task/input.ts';
import { Steps, type StepsParts } from '../../pure/task/steps.ts';
import { Committer } from './committer.ts';
import type { EndingSignal } from './ending.ts';

export interface TaskActorParts extends StepsParts {
  readonly log: Log;
  readonly ending: EndingSignal;
  readonly now: () => number;
  readonly idle: () => void;
  /** Where to go on when the log has forgotten what comes next, and who is told. */
  readonly reset: Reset;
  readonly wallClock: () => number;
  readonly jumped: (jump: Jump) => void;
  /** Records without a key that verbs have left out since the last call. */
  readonly takeDropped?: () => readonly Dropped[];
}

/** How long one turn may hold the thread: the other actors in it wait meanwhile. */
const TURN_MS = 10;

export class TaskActor {
  readonly #parts: TaskActorParts;
  readonly #steps: Steps;
  readonly #committer: Committer;
  #recordsIn = 0;
  #recordsOut = 0;
  #failure: Error | undefined;
  /** Waiting for records, with everything committed. */
  resting = false;

  constructor(parts: TaskActorParts) {
    this.#parts = parts;
    this.#steps = new Steps(parts);
    this.#committer = new Committer(parts.log, parts.now);
  }

  /** One round; false when the actor is done. */
  async turn(): Promise<boolean> {
    const { inputs, ending, now } = this.#parts;
    this.#checkFailure();
    if (ending.ending !== undefined) return this.#end();
    await this.#refill(inputs);
    if (this.#steps.isEmpty) await this.#rest();
    else {
      const began = now();
      const full = this.#steps.take(began, () => now() - began >= TURN_MS);
      // Before the commit: a promise that a handler let go is seen to be rejected by then, and nothing of its record is kept.
      await turnOfOthers();
      this.#checkFailure();
      if (full || this.#steps.isDue(now(), this.#committer.hasCredit)) await this.#commit();
      // What stands before a suspect is in the log before that is tried: it may take this thread with it.
      if (full) await this.#committer.settled();
    }
    return true;
  }

  /** An error from outside the loop, such as a promise that a handler let go: the next turn throws it. */
  fail(error: unknown): void {
    this.#failure ??= asError(this.#steps.blameLast(error));
    this.#parts.ending.end('abandon');
  }
  #checkFailure(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }
  /** Resolves when no commit is under way any more, however it ended. */
  async quiet(): Promise<void> {
    await this.#committer.settled().catch(() => {});
  }
  takeProgress(): Progress {
    const progress = {
      recordsIn: this.#recordsIn,
      recordsOut: this.#recordsOut,
      commits: this.#committer.commits,
      dropped: this.#parts.takeDropped?.() ?? [],
      commitMs: this.#committer.commitMs.splice(0),
    };
    this.#recordsIn = this.#recordsOut = this.#committer.commits = 0;
    return progress;
  }

  /**
   * Fetches for every input that is empty. One that stays empty while another does not is asked again: what was appended
   * to it first, between the two fetches, is to be seen first.
   */
  async #refill(inputs: readonly Input[]): Promise<void> {
    const { ending } = this.#parts;
    const empty = inputs.filter(({ view }) => view === undefined);
    for (const input of empty) input.accept(await this.#fetch(input, { bytes: FETCH_BYTES, waitMs: 0 }, ending.signal), FETCH_BYTES);
    const stillEmpty = empty.filter(({ view }) => view === undefined);
    if (stillEmpty.length > 0 && stillEmpty.length < empty.length) await this.#refill(stillEmpty);
  }

  /** Fetches what comes next; where the log has forgotten that, moves the input to where its reset says, and tells. */
  async #fetch(input: Input, limit: Parameters<Log['fetch']>[1], signal: AbortSignal): Promise<RecordBatch> {
    const { log, reset, wallClock, jumped } = this.#parts;
    const from = input.next;
    const found = await fetchOrReset(log, { ...input.place, offset: from }, limit, signal, reset, wallClock);
    // One that a rest left behind comes too late: the input has moved on since.
    if (found.from !== from && input.next === from && input.view === undefined) {
      input.next = found.from;
      jumped({ ...input.place, from, to: found.from });
    }
    return found;
  }

  async #commit(): Promise<void> {
    await this.#committer.credit();
    const { commit, recordsIn, recordsOut } = this.#steps.cut(this.#committer.nextNumber);
    failpoint('state.staged');
    this.#recordsIn += recordsIn;
    this.#recordsOut += recordsOut;
    void this.#committer.send(commit, (done) => this.#steps.committed(done));
  }

  /**
   * Nothing is there: commit what is open, then wait until something is. It may come while a commit is under way, and then
   * its own commit is to be behind that one when the disk is free; only when none is under way is the actor idle.
   */
  async #rest(): Promise<void> {
    const { inputs, ending, idle } = this.#parts;
    if (this.#steps.isOpen) return this.#commit();
    this.#committer.check();
    // Not AbortSignal.any: the signal of the ending, which lives as long as the actor, would remember every rest.
    const stop = new AbortController();
    const end = (): void => stop.abort();
    ending.signal.addEventListener('abort', end, { once: true });
    if (ending.signal.aborted) end();
    let grown = false;
    try {
      const growth = this.#growth(stop.signal).then((accept) => {
        grown = true;
        return accept;
      });
      if (!this.#committer.isSettled) {
        const first = await Promise.race([growth, this.#committer.settled()]);
        if (first !== undefined) return first();
      }
      this.resting = true;
      idle();
      (await growth)();
    } finally {
      this.resting = false;
      ending.signal.removeEventListener('abort', end);
      // An abort that ends nothing would still make its error, with a stack, at every rest.
      if (!grown || inputs.length > 1) stop.abort();
    }
  }
  /**
   * Resolves when there is something to read, with what takes it in. What the only input has found is not fetched again; of
   * several it is forgotten, for the next turn asks all of them which comes first.
   */
  async #growth(signal: AbortSignal): Promise<() => void> {
    const [only, ...others] = this.#parts.inputs;
    if (only !== undefined && others.length === 0) {
      const found = await this.#fetch(only, { bytes: FETCH_BYTES, waitMs: Infinity }, signal);
      return () => only.accept(found, FETCH_BYTES);
    }
    await Promise.race(this.#parts.inputs.map((input) => this.#fetch(input, { bytes: 1, waitMs: Infinity }, signal)));
    return () => {};
  }

  async #end(): Promise<boolean> {
    if (this.#parts.ending.ending === 'drain') {
      if (this.#steps.open > 0) await this.#commit();
      await this.#committer.settled();
    }
    return false;
  }
}

/** Lets messages, timers and the other actors of this thread have their turn. */
const turnOfOthers = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
