/**
 * What an actor does between two commits: take records through the task, say when a commit is due, and cut it.
 *
 * It waits for nothing. Whoever runs it fetches for inputs that are empty, sends what was cut and tells what was
 * committed: a thread (shell/actors) or a simulation (testing). Outputs, store writes and positions are in one commit,
 * so whatever ends the actor, the next one goes on from a state in which all three agree.
 */
import { asError, isStoplogError, StoplogError, type Commit, type LazyRecord, type StoreWrites } from '@stoplog/core/port';
import type { Place } from '../host/mailbox.ts';
import type { Task } from '../topology/plan.ts';
import type { Input } from './input.ts';
import { nextInput } from './next-input.ts';
import type { TopicOutput } from './outputs.ts';
import type { StoreOverlay } from './overlay.ts';

export interface Limits {
  /** Records of one turn: a few milliseconds, then the event loop is let in. */
  readonly turnRecords: number;
  /** A batch behind its time is cut when it holds this much, or has been open this long. */
  readonly commitRecords: number;
  readonly commitBytes: number;
  readonly commitMs: number;
}
export const LIMITS: Limits = { turnRecords: 4_096, commitRecords: 50_000, commitBytes: 4 * 1024 * 1024, commitMs: 100 };
/** Records between two looks at the clock: a few nanoseconds each, and a handler of a millisecond holds its thread for sixteen. */
const LOOK_AT_CLOCK = 16;
/** Commits that one actor may have under way. */
export const CREDITS = 2;

/** Told where the actor is, at every record. */
export interface Footprints {
  /** From here on records are of this input and batch. */
  at(input: number, baseOffset: bigint): void;
  enter(offsetDelta: number): void;
  leave(): void;
}

export interface StepsParts {
  readonly group: string;
  readonly epoch: number;
  /** A name that no other life of an actor has. */
  readonly life: string;
  readonly task: Task;
  readonly partition: number;
  readonly inputs: readonly Input[];
  /** By the names they have in the log. */
  readonly stores: ReadonlyMap<string, StoreOverlay>;
  readonly outputs: readonly TopicOutput[];
  /** A record that failed before: everything ahead of it is committed before it is tried again, alone. */
  readonly suspect: Place | undefined;
  /** Records to take and commit at a time until the suspect is behind. */
  readonly pace?: number | undefined;
  readonly beacon: Footprints;
  readonly limits?: Limits;
}

export interface Cut {
  readonly commit: Commit;
  readonly recordsIn: number;
  readonly recordsOut: number;
}

export class Steps {
  readonly #parts: StepsParts;
  readonly #limits: Limits;
  readonly #heads: (number | undefined)[];
  #suspect: Place | undefined;
  /** The record taken last. */
  #last: LazyRecord | undefined;
  #openSince = 0;
  /** Records taken since the last cut. */
  open = 0;

  constructor(parts: StepsParts) {
    this.#parts = parts;
    this.#limits = parts.limits ?? LIMITS;
    this.#heads = parts.inputs.map(() => undefined);
    this.#suspect = parts.suspect;
    for (const input of parts.inputs) if (this.#suspect !== undefined && this.#isBehindSuspect(input)) this.#suspect = undefined;
  }

  /** Nothing that was fetched is left. */
  get isEmpty(): boolean {
    return this.#parts.inputs.every((input) => input.view === undefined);
  }
  /** There is something to commit. What produced nothing has been read too: positions behind what compaction took away move. */
  get isOpen(): boolean {
    return this.open > 0 || this.#parts.inputs.some((input) => input.reached !== input.from);
  }

  /** Takes a turn's records through the task; true when what was taken must be committed before any more is: a suspect stands alone. `isLate` ends a turn whose records are slow. */
  take(now: number, isLate: () => boolean = () => false): boolean {
    const { inputs, beacon } = this.#parts;
    if (this.open === 0) this.#openSince = now;
    let input = this.#choose();
    let entered: Input['view'];
    const pace = this.#suspect === undefined ? undefined : this.#parts.pace;
    const careful = pace !== undefined;
    const most = careful ? Math.min(pace, this.#limits.turnRecords) : this.#limits.turnRecords;
    for (let n = 0; n < most && input !== undefined; n++) {
      const view = input.view!;
      const alone = this.#suspect !== undefined && this.#isSuspect(input);
      if (alone && this.open > 0) return true;
      if (view !== entered) {
        beacon.at(inputs.indexOf(input), view.baseOffset);
        entered = view;
      }
      beacon.enter(view.offsetDelta);
      const record = (this.#last = input.head());
      try {
        input.emit(record);
      } catch (error) {
        // Out again: what is waited for from here on is not this record.
        beacon.leave();
        throw this.#blame(error, record);
      }
      beacon.leave();
      this.open++;
      const more = input.advance() || input.view !== undefined;
      if (alone) {
        this.#suspect = undefined;
        return true;
      }
      if (!more) return careful;
      if (n % LOOK_AT_CLOCK === LOOK_AT_CLOCK - 1 && isLate()) break;
      if (inputs.length > 1) input = this.#choose();
    }
    return careful && this.open > 0;
  }

  /** At once when the actor has caught up and may send; large while it is behind. */
  isDue(now: number, hasCredit: boolean): boolean {
    if (this.open === 0) return false;
    const { inputs, outputs } = this.#parts;
    const { commitRecords, commitBytes, commitMs } = this.#limits;
    if (!inputs.some((input) => input.behind)) return hasCredit;
    if (this.open >= commitRecords || now - this.#openSince >= commitMs) return true;
    return outputs.reduce((bytes, output) => bytes + output.bytes, 0) >= commitBytes;
  }

  /** All that happened since the last cut, as the commit of that number. */
  cut(number: number): Cut {
    const { group, epoch, life, partition, inputs, stores, outputs } = this.#parts;
    // Also of inputs that stand still: state was computed from all of them, so a commit after one that failed, or beside a
    // late one of an earlier life, must be refused whichever input that one moved.
    const positions = inputs.map((input) => ({ ...input.place, from: input.from, to: input.reached }));
    let taken: readonly ReturnType<TopicOutput['take']>[];
    let writes: readonly StoreWrites[];
    try {
      taken = outputs.map((output) => output.take());
      writes = [...stores].map(([store, overlay]) => ({ store, partition, ...overlay.takeWrites(number) }));
    } catch (error) {
      throw this.blameLast(error);
    }
    for (const input of inputs) input.from = input.reached;
    const recordsIn = this.open;
    this.open = 0;
    return {
      commit: { group, epoch, life, appends: taken.flatMap(({ batches }) => batches), stores: writes.filter(({ keys }) => keys.length > 0), positions },
      recordsIn,
      recordsOut: taken.reduce((sum, { records }) => sum + records, 0),
    };
  }
  /** Commits up to this number are in the stores. */
  committed(number: number): void {
    for (const overlay of this.#parts.stores.values()) overlay.onCommitted(number);
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
    return suspect.topic === input.topic.name && input.reached >= suspect.offset;
  }
  #isBehindSuspect(input: Input): boolean {
    return this.#suspect!.topic === input.topic.name && input.from > this.#suspect!.offset;
  }
  /** For what shows only after several records: any of those since the last cut may be to blame. */
  blameLast(error: unknown): unknown {
    return this.#last === undefined ? error : this.#blame(error, this.#last, this.open);
  }
  /** Names the record a handler failed at. What is wrong with the log itself is not the handler's. */
  #blame(error: unknown, record: LazyRecord, among = 1): unknown {
    if (isStoplogError(error) && error.code.startsWith('STOPLOG_LOG_')) return error;
    const { id: task } = this.#parts.task;
    const { topic, partition, offset } = record;
    const key = keyOf(record);
    const cause = asError(error);
    const where = `${among > 1 ? `one of the ${among} records up to ` : ''}${topic}[${partition}] offset ${offset}`;
    const kept =
      among === 0
        ? 'What it did before that was kept: correct the handler'
        : `Nothing of this record was kept; correct the handler, or the record's producer, and run again: it goes on here`;
    return new StoplogError(
      'STOPLOG_HANDLER',
      { task, topic, partition, offset, key, among, cause: cause.message },
      `task ${task} failed at ${where} (key ${show(key)}): ${cause.message}. ${kept}`,
      { cause },
    );
  }
}

const keyOf = (record: LazyRecord): unknown => {
  try {
    return record.key;
  } catch {
    return undefined;
  }
};
const show = (key: unknown): string => (JSON.stringify(key, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value)) ?? 'none').slice(0, 100);
