/**
 * Records of topics as an actor's work: requests missing batches, takes records through the task, cuts commits.
 *
 * Outputs, store writes and positions are in one commit, so however the actor ends, the next one starts from a state in which all three
 * agree. `take` is the hot loop: a record costs one call of the compiled function and no allocation but the record itself.
 */
import type { Commit, StoreWrites } from '@stoplog/core/port';
import { assert, type LazyRecord } from '@stoplog/core/kit';
import type { CallStage } from '../nodes/call-stage.ts';
import type { Task } from '../topology/plan.ts';
import { blameRecord, blameTick } from './blame.ts';
import type { Careful, Step } from './careful.ts';
import type { Input } from './input.ts';
import type { CallRequest, Entry, InFlight } from './in-flight.ts';
import type { Limits } from './limits.ts';
import { nextInput } from './next-input.ts';
import type { TopicOutput } from './outputs.ts';
import type { StoreOverlay } from './overlay.ts';
import type { Footprints, Place } from './place.ts';
import { Refill } from './refill.ts';
import type { SinkOutput } from './sink-output.ts';
import type { StreamTime } from './stream-time.ts';
import type { TaskClock } from './task-clock.ts';
import type { Answer, Cut, Notice, Request, Work } from './work.ts';

export interface RecordsParts {
  readonly group: string;
  readonly epoch: number;
  /** The id of this incarnation, unique among all actors. */
  readonly incarnation: string;
  readonly task: Task;
  readonly partition: number;
  readonly inputs: readonly Input[];
  /** By their names in the log. */
  readonly stores: ReadonlyMap<string, StoreOverlay>;
  readonly outputs: readonly TopicOutput[];
  /** By name. A task with sinks has one input. */
  readonly sinks: ReadonlyMap<string, SinkOutput>;
  /** The task's functions of time. */
  readonly advance: (streamTime: number) => void;
  readonly tick: (wallClock: number) => void;
  /** The calls of a verb that makes some. */
  readonly calls?: { readonly inFlight: InFlight; readonly stage: CallStage } | undefined;
  /** Undefined when no verb asks for stream time. */
  readonly streamTime?: StreamTime | undefined;
  readonly clock: TaskClock;
  /** A record that failed before: every record ahead of it is committed before it is tried again, alone. */
  readonly suspect: Place | undefined;
  /** Records to take and commit at a time until the suspect is behind. */
  readonly pace?: number | undefined;
  /** The unit is suspect of ending processes: it takes and commits so many records at a time, with leave, until it has taken `records`. */
  readonly careful?: Careful | undefined;
  readonly beacon: Footprints;
  readonly limits: Limits;
  /** A clock that only grows, in ms. */
  readonly now: () => number;
}

/** Records between two looks at the clock: a few nanoseconds each, and a handler of a millisecond holds its thread for sixteen. */
const LOOK_AT_CLOCK = 16;

export class RecordWork implements Work {
  readonly needsDurable = false;
  readonly #parts: RecordsParts;
  readonly #refill: Refill;
  readonly #heads: (number | undefined)[];
  #suspect: Place | undefined;
  #careful: Careful | undefined;
  /** The record taken last. */
  #last: LazyRecord | undefined;
  #openSince = 0;
  /** The stream time; Infinity, which no record exceeds, when no verb asks for it. */
  #time: number;
  /** A tick left writes to commit. */
  #ticked = false;
  /** Records taken since the last cut. */
  open = 0;
  /** Everything that keeps bytes until the next cut. */
  readonly #keepers: readonly { readonly dirtyBytes: number }[];

  constructor(parts: RecordsParts) {
    this.#parts = parts;
    this.#refill = new Refill(parts.inputs, parts.limits.fetchBytes);
    this.#heads = parts.inputs.map(() => undefined);
    this.#keepers = [...parts.outputs, ...parts.sinks.values(), ...parts.stores.values()];
    this.#suspect = parts.suspect;
    this.#careful = parts.careful;
    for (const input of parts.inputs) if (this.#suspect !== undefined && this.#isBehindSuspect(input)) this.#suspect = undefined;
    this.#time = parts.streamTime?.time ?? Infinity;
    if (parts.streamTime !== undefined) parts.clock.streamTime = this.#time;
  }

  get isEmpty(): boolean {
    const { calls, inputs } = this.#parts;
    if (calls === undefined) return inputs.every((input) => input.view === undefined);
    return !calls.inFlight.isReady && this.#callable === undefined;
  }
  get calls(): InFlight | undefined {
    return this.#parts.calls?.inFlight;
  }
  /** Records can be read again; calls that were made are waited for. */
  get owes(): boolean {
    return this.calls !== undefined && this.calls.size > 0;
  }
  /** Records without outputs count too, and positions behind compacted records move. */
  get isOpen(): boolean {
    return this.open > 0 || this.#ticked || this.#parts.inputs.some((input) => input.reached !== input.from);
  }
  get isWaiting(): boolean {
    return this.#refill.isWaiting;
  }
  get wakeAt(): number {
    return this.#parts.clock.wakeAt;
  }
  get isCareful(): boolean {
    return this.#careful !== undefined;
  }
  get step(): Step | undefined {
    const input = this.#careful && this.#choose();
    const { pace = 0, records = 0 } = this.#careful ?? {};
    return input && { records: Math.min(pace, records), first: { ...input.place, offset: input.at } };
  }
  ask(): readonly Request[] {
    return this.calls?.isClosed === true ? [] : this.#refill.ask();
  }
  wait(): readonly Request[] {
    return this.#refill.wait();
  }
  isAsked(ask: number): boolean {
    return this.#refill.isAsked(ask);
  }
  heard(answer: Answer): readonly Notice[] | undefined {
    assert(answer.type === 'fetched', 'a task that reads topics only fetches');
    return this.#refill.heard(answer.ask, answer.found);
  }

  take(): boolean {
    const before = this.open;
    const { calls } = this.#parts;
    const mustSettle = calls === undefined ? this.#takeRecords() : this.#takeCalled(calls.inFlight, calls.stage);
    if (this.#careful === undefined) return mustSettle;
    const records = this.#careful.records - (this.open - before);
    this.#careful = records > 0 ? { ...this.#careful, records } : undefined;
    return mustSettle || this.open > 0;
  }
  /** Records to take at most before the next commit; undefined for as many as fit. */
  get #pace(): number | undefined {
    const pace = this.#suspect === undefined ? undefined : this.#parts.pace;
    return this.#careful === undefined ? pace : Math.min(this.#careful.pace, this.#careful.records, pace ?? Infinity);
  }
  #takeRecords(): boolean {
    const { inputs, beacon, limits, now } = this.#parts;
    const began = now();
    if (!this.#hasTaken) this.#openSince = began;
    let input = this.#choose();
    let entered: Input['view'];
    const pace = this.#pace;
    const careful = pace !== undefined;
    const most = careful ? Math.min(pace, limits.turnRecords) : limits.turnRecords;
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
      // At each record that is later than all before it, independent of where turns and commits end, and so are the outputs.
      const isLatest = record.timestamp > this.#time;
      if (isLatest) this.#reach(record.timestamp);
      try {
        input.emit(record);
        if (isLatest) this.#parts.advance(record.timestamp);
      } catch (error) {
        // The beacon leaves the record: a later wait is not at this record.
        beacon.leave();
        throw blameRecord(error, this.#parts.task.id, record, 1, !this.#hasTaken);
      }
      beacon.leave();
      this.open++;
      const more = input.advance() || input.view !== undefined;
      if (alone) {
        this.#suspect = undefined;
        return true;
      }
      if (!more) return careful;
      if (this.#bytes >= limits.commitBytes) break;
      if (n % LOOK_AT_CLOCK === LOOK_AT_CLOCK - 1 && now() - began >= limits.turnMs) break;
      if (inputs.length > 1) input = this.#choose();
    }
    return careful && this.open > 0;
  }
  /** Emits the results that are next in order, and calls as many records as there is room for. */
  #takeCalled(inFlight: InFlight, stage: CallStage): boolean {
    const { limits, now } = this.#parts;
    const began = now();
    if (!this.#hasTaken) this.#openSince = began;
    const pace = this.#pace;
    for (let n = 0; n < Math.min(pace ?? Infinity, limits.turnRecords) && inFlight.isReady; n++) {
      const { isSuspect } = this.#emitResult(inFlight.take(), stage);
      if (isSuspect) {
        this.#suspect = undefined;
        return true;
      }
      if (this.#bytes >= limits.commitBytes || (n % LOOK_AT_CLOCK === LOOK_AT_CLOCK - 1 && now() - began >= limits.turnMs)) break;
    }
    for (let input = this.#callable; input !== undefined; input = this.#callable) {
      const isSuspect = this.#suspect !== undefined && this.#isSuspect(input);
      if (isSuspect && this.open > 0) return true;
      const { baseOffset, offsetDelta } = input.view!;
      const record = input.head();
      const index = this.#parts.inputs.indexOf(input);
      const run = stage.topic === input.topic.name ? stage.runOf(record) : undefined;
      inFlight.start({ record, input: index, baseOffset, offsetDelta, isSuspect }, run && this.#watched(run, index, baseOffset, offsetDelta));
      input.advance();
    }
    return pace !== undefined && this.open > 0;
  }
  /** The call, whose synchronous part is watched as a record is. */
  #watched(run: CallRequest['run'], input: number, baseOffset: bigint, offsetDelta: number): CallRequest['run'] {
    const { beacon } = this.#parts;
    return (signal) => {
      beacon.at(input, baseOffset);
      beacon.enter(offsetDelta);
      try {
        return run(signal);
      } finally {
        beacon.leave();
      }
    };
  }
  #emitResult(entry: Entry & { readonly result: unknown }, stage: CallStage): Entry {
    const { inputs, beacon, task } = this.#parts;
    const { record } = entry;
    beacon.at(entry.input, entry.baseOffset);
    beacon.enter(entry.offsetDelta);
    this.#last = record;
    const isLatest = record.timestamp > this.#time;
    if (isLatest) this.#reach(record.timestamp);
    try {
      stage.result = entry.result;
      inputs[entry.input]!.emit(record);
      if (isLatest) this.#parts.advance(record.timestamp);
    } catch (error) {
      throw blameRecord(error, task.id, record);
    } finally {
      beacon.leave();
    }
    this.open++;
    return entry;
  }
  /** The input whose next record can be called: there is room, and a suspect is called alone. */
  get #callable(): Input | undefined {
    const inFlight = this.calls;
    const isFull = this.#careful !== undefined && inFlight!.size + this.open >= this.#pace!;
    const input = inFlight?.hasRoom === true && !isFull ? this.#choose() : undefined;
    if (input === undefined || this.#suspect === undefined || inFlight!.size === 0) return input;
    return this.#isSuspect(input) ? undefined : input;
  }
  tick(wallClock: number): void {
    const { clock, tick, outputs, sinks, stores, task, partition, now, beacon } = this.#parts;
    clock.woken();
    if (!this.#hasTaken) this.#openSince = now();
    beacon.enterOther('tick', 0);
    try {
      tick(wallClock);
    } catch (error) {
      throw blameTick(error, task.id, partition);
    } finally {
      beacon.leaveOther();
    }
    this.#ticked ||=
      outputs.some((output) => !output.isEmpty) || [...sinks.values()].some((sink) => !sink.isEmpty) || [...stores.values()].some((store) => store.isDirty);
  }

  /** Due at once when the actor has caught up and has a credit; large while it is behind. */
  isDue(hasCredit: boolean): boolean {
    const { inputs, limits, now } = this.#parts;
    if (!this.#hasTaken || limits.commitsAtRest === true) return false;
    // Also without a credit: the commit waits for one, and the batch must not grow meanwhile.
    if (this.#bytes >= limits.commitBytes) return true;
    if (!inputs.some((input) => input.behind)) return hasCredit;
    return this.open >= limits.commitRecords || now() - this.#openSince >= limits.commitMs;
  }
  cut(number: number): Cut {
    const { group, epoch, incarnation, partition, inputs, stores, outputs, sinks, streamTime, beacon } = this.#parts;
    // Includes inputs whose position did not move: state was computed from all of them, so a commit after one that failed, or beside a
    // late one of an earlier incarnation, must be refused whichever input that one moved.
    const positions = inputs.map((input) => ({ ...input.place, from: input.from, to: input.reached }));
    let taken: readonly ReturnType<TopicOutput['take']>[];
    let writes: readonly StoreWrites[];
    beacon.enterOther('commit', this.open);
    try {
      taken = outputs.map((output) => output.take());
      writes = [...stores].map(([store, overlay]) => ({ store, partition, ...overlay.takeWrites(number) }));
    } catch (error) {
      throw this.blame(error);
    } finally {
      beacon.leaveOther();
    }
    if (streamTime !== undefined) writes = [...writes, { store: streamTime.store, partition, ...streamTime.takeWrites() }];
    for (const input of inputs) input.from = input.reached;
    const recordsIn = this.open;
    this.open = 0;
    this.#ticked = false;
    const commit: Commit = {
      group,
      epoch,
      incarnation: incarnation,
      appends: taken.flatMap(({ batches }) => batches),
      stores: writes.filter(({ keys }) => keys.length > 0),
      positions,
    };
    const sunk = [...sinks]
      .map(([sink, output]) => ({ sink, batch: { records: output.take(), position: inputs[0]!.reached } }))
      .filter(({ batch }) => batch.records.length > 0);
    const recordsOut = taken.reduce((sum, { records }) => sum + records, 0) + sunk.reduce((sum, { batch }) => sum + batch.records.length, 0);
    return { commit, writes: sunk, recordsIn, recordsOut };
  }
  committed(number: number): void {
    for (const overlay of this.#parts.stores.values()) overlay.onCommitted(number);
  }
  giveBack(): readonly Notice[] {
    return [];
  }
  /** Blames all records since the last cut for an error that shows only after several records. */
  blame(error: unknown): unknown {
    return this.#last === undefined ? error : blameRecord(error, this.#parts.task.id, this.#last, this.open);
  }

  /** Bytes of the outputs and written entries since the last cut. */
  get #bytes(): number {
    let bytes = 0;
    for (let i = 0; i < this.#keepers.length; i++) bytes += this.#keepers[i]!.dirtyBytes;
    return bytes;
  }
  get #hasTaken(): boolean {
    return this.open > 0 || this.#ticked;
  }
  #reach(time: number): void {
    this.#time = this.#parts.clock.streamTime = time;
    this.#parts.streamTime!.reach(time);
  }
  /** The input whose head has the lowest timestamp. */
  #choose(): Input | undefined {
    const { inputs } = this.#parts;
    if (inputs.length === 1) return inputs[0]!.view === undefined ? undefined : inputs[0];
    for (let i = 0; i < inputs.length; i++) this.#heads[i] = inputs[i]!.headTime;
    return inputs[nextInput(this.#heads)];
  }
  #isSuspect(input: Input): boolean {
    const suspect = this.#suspect!;
    return suspect.topic === input.topic.name && input.at >= suspect.offset;
  }
  #isBehindSuspect(input: Input): boolean {
    return this.#suspect!.topic === input.topic.name && input.from > this.#suspect!.offset;
  }
}
