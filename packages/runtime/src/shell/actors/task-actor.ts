/**
 * One task at one partition: fetch, step, commit, and again.
 *
 * A turn takes what is at hand through the task's functions, synchronously, and cuts a commit when it is time: at once
 * when the actor has caught up, and large while it is behind. Outputs, store writes and positions are in one commit, so
 * whatever ends this actor, the next one goes on from a state in which all three agree.
 */
import { errorToData, isStoplogError, StoplogError, type Commit, type Log } from '@stoplog/core/port';
import type { Place, Progress } from '../../pure/mailbox.ts';
import { nextInput } from '../../pure/task/next-input.ts';
import type { TopicOutput } from '../../pure/task/outputs.ts';
import type { StoreOverlay } from '../../pure/task/overlay.ts';
import type { Task } from '../../pure/topology/plan.ts';
import type { Beacon } from './beacon.ts';
import { Committer } from './committer.ts';
import type { EndingSignal } from './ending.ts';
import type { Input } from './input.ts';

/** Records of one turn: a few milliseconds, then the event loop is let in. */
const TURN_RECORDS = 4_096;
/** A batch behind its time is cut when it holds this much, or has been open this long. */
const COMMIT_RECORDS = 50_000;
const COMMIT_BYTES: number = 4 * 1024 * 1024;
const COMMIT_MS = 40;

export interface TaskActorParts {
  readonly group: string;
  readonly epoch: number;
  readonly task: Task;
  readonly partition: number;
  readonly log: Log;
  readonly inputs: readonly Input[];
  /** By the names they have in the log. */
  readonly stores: ReadonlyMap<string, StoreOverlay>;
  readonly outputs: readonly TopicOutput[];
  readonly suspect: Place | undefined;
  readonly beacon: Beacon;
  readonly ending: EndingSignal;
  readonly now: () => number;
  readonly idle: () => void;
}

export class TaskActor {
  readonly #parts: TaskActorParts;
  readonly #committer: Committer;
  readonly #heads: (number | undefined)[];
  #suspect: Place | undefined;
  #open = 0;
  #openSince = 0;
  #recordsIn = 0;
  #recordsOut = 0;
  #failure: Error | undefined;
  /** Waiting for records, with everything committed. */
  resting = false;

  constructor(parts: TaskActorParts) {
    this.#parts = parts;
    this.#committer = new Committer(parts.log, parts.now);
    this.#heads = parts.inputs.map(() => undefined);
    this.#suspect = parts.suspect;
  }

  /** One round; false when the actor is done. */
  async turn(): Promise<boolean> {
    const { inputs, log, ending } = this.#parts;
    if (this.#failure !== undefined) throw this.#failure;
    if (ending.ending !== undefined) return this.#end();
    for (const input of inputs) await input.refill(log, ending.signal);
    if (inputs.every((input) => input.view === undefined)) await this.#rest();
    else {
      const full = this.#step();
      if (full || this.#isDue()) await this.#commit();
      await turnOfOthers();
    }
    return true;
  }

  /** An error from outside the loop, such as a promise that a handler let go: the next turn throws it. */
  fail(error: Error): void {
    this.#failure ??= error;
    this.#parts.ending.end('abandon');
  }
  /** Resolves when no commit is under way any more, however it ended. */
  async quiet(): Promise<void> {
    await this.#committer.settled().catch(() => {});
  }
  takeProgress(): Progress {
    const progress = { recordsIn: this.#recordsIn, recordsOut: this.#recordsOut, commits: this.#committer.commits, commitMs: this.#committer.commitMs.splice(0) };
    this.#recordsIn = this.#recordsOut = this.#committer.commits = 0;
    return progress;
  }

  /** Takes records through the task; true when what stands before a suspect must be committed first. */
  #step(): boolean {
    const { inputs, beacon } = this.#parts;
    if (this.#open === 0) this.#openSince = this.#parts.now();
    let input = this.#choose();
    let entered: Input['view'];
    for (let n = 0; n < TURN_RECORDS && input !== undefined; n++) {
      const view = input.view!;
      if (this.#suspect !== undefined && this.#isSuspect(input)) {
        if (this.#open > 0) return true;
        this.#suspect = undefined;
      }
      if (view !== entered) {
        beacon.at(inputs.indexOf(input), view.baseOffset);
        entered = view;
      }
      beacon.enter(view.offsetDelta);
      try {
        input.emit(input.head());
      } catch (error) {
        throw this.#blame(error, input);
      }
      beacon.leave();
      this.#open++;
      if (!input.advance() && input.view === undefined) return false;
      if (inputs.length > 1) input = this.#choose();
    }
    return false;
  }
  /** The input whose head is oldest. */
  #choose(): Input | undefined {
    const { inputs } = this.#parts;
    if (inputs.length === 1) return inputs[0]!.view === undefined ? undefined : inputs[0];
    for (let i = 0; i < inputs.length; i++) this.#heads[i] = inputs[i]!.headTime;
    return inputs[nextInput(this.#heads)];
  }
  #isSuspect(input: Input): boolean {
    const suspect = this.#suspect!;
    return suspect.topic === input.topic.name && suspect.offset === input.reached;
  }
  #isDue(): boolean {
    if (this.#open === 0) return false;
    if (!this.#parts.inputs.some((input) => input.behind)) return this.#committer.hasCredit;
    if (this.#open >= COMMIT_RECORDS || this.#parts.now() - this.#openSince >= COMMIT_MS) return true;
    return this.#parts.outputs.reduce((bytes, output) => bytes + output.bytes, 0) >= COMMIT_BYTES;
  }

  async #commit(): Promise<void> {
    await this.#committer.credit();
    const { group, epoch, partition, inputs, stores, outputs } = this.#parts;
    const number = this.#committer.nextNumber;
    const positions = inputs.filter((input) => input.reached !== input.from).map((input) => ({ ...input.place, from: input.from, to: input.reached }));
    const taken = outputs.map((output) => output.take());
    const writes = [...stores].map(([store, overlay]) => ({ store, partition, ...overlay.takeWrites(number) }));
    const commit: Commit = { group, epoch, appends: taken.flatMap(({ batches }) => batches), stores: writes.filter(({ keys }) => keys.length > 0), positions };
    for (const input of inputs) input.from = input.reached;
    this.#recordsIn += this.#open;
    for (const { records } of taken) this.#recordsOut += records;
    this.#open = 0;
    void this.#committer.send(commit, (done) => {
      for (const overlay of stores.values()) overlay.onCommitted(done);
    });
  }

  /** Nothing is there: commit what is open, then wait until something is. */
  async #rest(): Promise<void> {
    const { inputs, log, ending, idle } = this.#parts;
    // Also what produced nothing has been read: positions behind what compaction took away move too.
    if (this.#open > 0 || inputs.some((input) => input.reached !== input.from)) return this.#commit();
    await this.#committer.settled();
    this.resting = true;
    idle();
    const stop = new AbortController();
    const signal = AbortSignal.any([ending.signal, stop.signal]);
    try {
      await Promise.race(inputs.map((input) => input.grown(log, signal)));
    } finally {
      this.resting = false;
      stop.abort();
    }
  }

  async #end(): Promise<boolean> {
    if (this.#parts.ending.ending === 'drain') {
      if (this.#open > 0) await this.#commit();
      await this.#committer.settled();
    }
    return false;
  }

  /** Names the record a handler failed at. What is wrong with the log itself is not the handler's. */
  #blame(error: unknown, input: Input): unknown {
    if (isStoplogError(error) && error.code.startsWith('STOPLOG_LOG_')) return error;
    const { task } = this.#parts;
    const { partition } = input.place;
    const offset = input.reached;
    const key = keyOf(input);
    const cause = error instanceof Error ? error : new Error(String(error));
    return new StoplogError(
      'STOPLOG_HANDLER',
      { task: task.id, topic: input.topic.name, partition, offset, key, cause: errorToData(cause).message },
      `task ${task.id} failed at ${input.topic.name}[${partition}] offset ${offset} (key ${show(key)}): ${cause.message}. Nothing of this record was kept; correct the handler, or the record's producer, and run again: it goes on here`,
      { cause },
    );
  }
}

const keyOf = (input: Input): unknown => {
  try {
    return input.head().key;
  } catch {
    return undefined;
  }
};
const show = (key: unknown): string => (JSON.stringify(key, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value)) ?? 'none').slice(0, 100);

/** Lets messages, timers and the other actors of this thread have their turn. */
const turnOfOthers = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
