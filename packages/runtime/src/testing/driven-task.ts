/**
 * A task of a driven pipeline at a partition: an actor that runs until it is idle, and is discarded when it fails.
 *
 * All available records go into one commit. After a throw, nothing of the step is kept; the next actor starts at the last commit.
 */
import { isStoplogError, StoplogError } from '@stoplog/core';
import type { Arrival } from '@stoplog/core/port';
import type { MemoryDisk } from '@stoplog/core/testing';
import type { Ground } from '../pure/actor/compile-task.ts';
import { LIMITS, type Limits } from '../pure/actor/limits.ts';
import { NO_FOOTPRINTS } from '../pure/actor/place.ts';
import type { MemorySinks } from './memory-sinks.ts';
import { sinkStart, SteppedActor, workOn, type CommitEffect } from './stepped-actor.ts';

const EVERYTHING: Limits = { ...LIMITS, turnRecords: Infinity, turnMs: Infinity, fetchBytes: Infinity, commitsAtRest: true };

export class DrivenTask {
  readonly ground: Ground;
  readonly #log: MemoryDisk;
  readonly #sinks: MemorySinks;
  readonly #now: () => number;
  #actor: SteppedActor | undefined;

  constructor(ground: Ground, log: MemoryDisk, sinks: MemorySinks, now: () => number) {
    this.ground = ground;
    this.#log = log;
    this.#sinks = sinks;
    this.#now = now;
  }

  /** Whether there are records to read, or a time that a verb asked for has come. */
  get isReady(): boolean {
    if (this.#actor !== undefined) return this.#actor.isReady || this.#actor.wakeAt <= this.#now();
    const { plan, task, partition } = this.ground;
    return task.inputs.some(({ topic }) => this.#log.partition(topic.name, partition).end > this.#log.position(plan.name, topic.name, partition));
  }
  /** Reads to the ends of its inputs and commits. */
  run(): void {
    const actor = this.#start();
    if (!actor.isReady && actor.wakeAt <= this.#now()) actor.tick(this.#now());
    this.#finish(actor);
  }
  /** Processes an arrival of a source and commits. */
  arrive(arrival: Arrival): void {
    const actor = this.#start();
    while (actor.isReady) actor.step();
    actor.hear({ type: 'pulled', ask: actor.pull!, batch: { arrivals: [arrival], ended: false } });
    this.#finish(actor);
  }
  /** The earliest time at which a verb wants a tick. */
  get wakeAt(): number {
    return this.#actor?.wakeAt ?? Infinity;
  }
  /** Starts the actor, if none runs; its verbs then ask for ticks. */
  start(): void {
    if (this.#actor === undefined) this.run();
  }
  /** Discards uncommitted work; the next actor starts at the last commit. */
  restart(): void {
    this.#actor = undefined;
  }

  #start(): SteppedActor {
    return (this.#actor ??= this.#newActor());
  }
  #newActor(): SteppedActor {
    const { plan, task, partition } = this.ground;
    const around = { epoch: 0, incarnation: '', suspect: undefined, beacon: NO_FOOTPRINTS, limits: EVERYTHING, now: this.#now };
    const sinks = this.#sinks;
    const { work } = workOn({ plan, task, partition }, this.#log, around, { sinks });
    const actor: SteppedActor = new SteppedActor(
      work,
      this.#log,
      (commit) => this.#commit(actor, commit),
      ({ sink, batch }) => sinks.write(sink, sinkStart(this.ground, around.epoch), batch),
    );
    return actor;
  }
  /** Commits without an incarnation, so that after a failed step the next actor resumes at the same position. */
  #commit(actor: SteppedActor, { commit, number }: CommitEffect): void {
    this.#log.commit({ ...commit, incarnation: undefined });
    actor.hear({ type: 'committed', number });
  }
  #finish(actor: SteppedActor): void {
    while (actor.isReady) actor.step();
    if (!actor.hasEnded) return;
    this.#actor = undefined;
    throw this.#failure(actor.error);
  }
  /** An error that names the record, if a single record can have caused the failure. */
  #failure(thrown: Error | undefined): StoplogError {
    const { plan, task, partition } = this.ground;
    const named = isStoplogError(thrown) && thrown.code === 'STOPLOG_HANDLER' ? thrown : undefined;
    const cause = named?.cause ?? thrown;
    const { topic, source, offset, key, among } = named?.facts ?? {};
    const isOne = among === undefined || among === 1;
    const where = topic === undefined ? `source ${String(source)}` : `${String(topic)}[${partition}] offset ${String(offset)}`;
    const at = named !== undefined && isOne ? `${where}, key ${shown(key)}` : 'one of several records';
    const facts = isOne ? { topic: topic ?? source, offset, key } : { topic: undefined, offset: undefined, key: undefined };
    return new StoplogError(
      'STOPLOG_HANDLER',
      { ...(isStoplogError(cause) ? cause.facts : {}), task: task.id, partition, ...facts },
      `task ${task.id} of '${plan.name}' failed at ${at}: ${cause instanceof Error ? cause.message : String(cause)}. ` +
        'Nothing of this step was kept: correct the function, or catch its errors there; the next send, or restart(), retries the record',
      { cause },
    );
  }
}

const shown = (key: unknown): string => (typeof key === 'object' ? JSON.stringify(key) : typeof key === 'string' ? `'${key}'` : String(key));
