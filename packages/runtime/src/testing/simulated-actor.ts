/**
 * An actor of a simulated process: the machine of production over the log in memory, in steps chosen by the scheduler.
 *
 * The actor may be killed between any two steps; inside a step, a record may fail before or after its function has run.
 */
import type { StoplogError } from '@stoplog/core';
import type { Commit, SinkStart } from '@stoplog/core/port';
import type { MemoryDisk } from '@stoplog/core/testing';
import type { Limits } from '../pure/actor/limits.ts';
import type { Footprints, Place } from '../pure/actor/place.ts';
import type { RecordWork } from '../pure/actor/records.ts';
import type { SinkWrite } from '../pure/actor/work.ts';
import type { Emit } from '../pure/nodes/emit.ts';
import type { Plan, Task } from '../pure/topology/plan.ts';
import type { MemorySinks } from './memory-sinks.ts';
import { sinkStart, SteppedActor, workOn, type CommitEffect } from './stepped-actor.ts';

/** The contents of a commit, in order: a record, or a tick at a wall-clock time. */
export type Handled = { readonly topic: string; readonly offset: bigint } | { readonly tick: number };
/** A commit in flight: queued at the process's writer, then answered, then received by the actor. */
export interface Sent {
  readonly by: SimulatedActor;
  readonly number: number;
  readonly commit: Commit;
  readonly handled: readonly Handled[];
  answer: 'none' | 'committed' | StoplogError;
}
/** The sizes of batches and generations: thousands in production, a few in a simulation. */
export interface Grain {
  readonly limits: Limits;
  /** Store entries of one generation in memory. */
  readonly entries: number;
}
export interface Incarnation {
  readonly plan: Plan;
  readonly task: Task;
  readonly partition: number;
  readonly epoch: number;
  /** The unique name of the incarnation. */
  readonly name: string;
  readonly suspect: Place | undefined;
  readonly pace: number | undefined;
  readonly log: MemoryDisk;
  readonly grain: Grain;
  readonly now: () => number;
  readonly sinks: MemorySinks;
  /** Writes a batch to a sink after an empty commit has shown that the records read are durable. */
  readonly sink: (write: SinkWrite, start: SinkStart) => void;
  /** Hands a commit to the writer of the process. */
  readonly send: (sent: Sent) => void;
  /** Called at each record before and after its function: true to fail there. */
  readonly fails: (actor: SimulatedActor, place: Place) => boolean;
}

export class SimulatedActor implements Footprints {
  readonly incarnation: Incarnation;
  readonly name: string;
  /** Commits in flight, oldest first. */
  readonly underWay: Sent[] = [];
  steps = 0;
  /** The time at which draining began. */
  drainingSince: number | undefined;
  /** The end of a slow record: no steps and no answers before. */
  busyUntil = 0;
  /** Set by the scheduler to let the next record fail. */
  trap: 'none' | 'before' | 'after' = 'none';
  readonly #actor: SteppedActor;
  readonly #work: RecordWork;
  #handled: Handled[] = [];
  #at: { input: number; base: bigint; delta: number } | undefined;

  constructor(incarnation: Incarnation) {
    this.incarnation = incarnation;
    const { plan, task, partition, log, grain, epoch, name, suspect, pace, now } = incarnation;
    this.name = `${task.id}:${partition}`;
    const around = (emit: Emit): Emit => this.#watched(emit);
    const ticks = (wallClock: number): void => void this.#handled.push({ tick: wallClock });
    const parts = { epoch, incarnation: name, suspect, pace, beacon: this, limits: grain.limits, now, around, ticks };
    const ground = { plan, task, partition };
    const { work } = workOn(ground, log, parts, { entries: grain.entries, sinks: incarnation.sinks });
    // Sources are not opened, so every task reads topics.
    this.#work = work as RecordWork;
    const send = ({ number, commit }: CommitEffect): void => {
      const sent: Sent = { by: this, number, commit, handled: this.#handled, answer: 'none' };
      this.#handled = [];
      this.underWay.push(sent);
      incarnation.send(sent);
    };
    this.#actor = new SteppedActor(work, log, send, (write) => incarnation.sink(write, sinkStart(ground, epoch)));
  }

  get draining(): boolean {
    return this.drainingSince !== undefined;
  }
  /** The number of records read and not sent. */
  get open(): number {
    return this.#work.open;
  }
  get hasEnded(): boolean {
    return this.#actor.hasEnded;
  }
  get error(): Error | undefined {
    return this.#actor.error;
  }
  /** The present or last record. */
  get place(): Place | undefined {
    const at = this.#at;
    const topic = at && this.incarnation.task.inputs[at.input]?.topic.name;
    return topic === undefined ? undefined : { topic, partition: this.incarnation.partition, offset: at!.base + BigInt(at!.delta) };
  }
  /** Whether a step would change anything. */
  get isReady(): boolean {
    return this.#actor.isReady || this.#actor.wakeAt <= this.incarnation.now();
  }
  /** The next time at which a verb wants a tick. */
  get wakeAt(): number {
    return this.#actor.wakeAt;
  }

  step(): void {
    this.steps++;
    if (this.#actor.isReady) return this.#actor.step();
    this.#actor.tick(this.incarnation.now());
  }
  drain(now: number): void {
    if (this.draining) return;
    this.drainingSince = now;
    this.#actor.hear({ type: 'drain' });
  }
  /** Receives the answer to the oldest commit in flight. */
  hear(): Sent | undefined {
    const sent = this.underWay.shift();
    if (sent === undefined || sent.answer === 'none') return sent;
    const { number, answer } = sent;
    this.#actor.hear(answer === 'committed' ? { type: 'committed', number } : { type: 'refused', number, error: answer });
    return sent;
  }

  at(input: number, base: bigint): void {
    this.#at = { input, base, delta: 0 };
  }
  enter(offsetDelta: number): void {
    if (this.#at !== undefined) this.#at.delta = offsetDelta;
  }
  leave(): void {}
  enterOther(): void {}
  leaveOther(): void {}

  #watched(emit: Emit): Emit {
    return (record) => {
      if (this.trap === 'before') this.#spring();
      emit(record);
      if (this.trap === 'after') this.#spring();
      this.#handled.push({ topic: record.topic, offset: record.offset });
    };
  }
  #spring(): void {
    this.trap = 'none';
    if (this.incarnation.fails(this, this.place!)) throw new Error('the simulation let this record fail');
  }
}
