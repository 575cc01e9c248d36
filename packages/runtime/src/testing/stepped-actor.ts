/**
 * An actor without a thread: performs the effects of the actor's machine over a log in memory, one step at a time.
 *
 * Fetches are answered at once. Other waits of the machine (for more records, the other actors' turns, a time) stay open until the
 * owner of the actor calls `step` or `hear`: `drive` does so until no actor is ready, `simulate` in the order of a seed.
 */
import { sourcePartition } from '@stoplog/core/kit';
import type { Position, SinkStart, StorePart } from '@stoplog/core/port';
import type { MemoryDisk, MemoryPart } from '@stoplog/core/testing';
import { ActorState, step, type ActorEffect, type ActorEvent } from '../pure/actor/actor.ts';
import { ArrivalWork } from '../pure/actor/arrivals.ts';
import type { Step } from '../pure/actor/careful.ts';
import { compile, recordWork, storesOf, type Compiled, type Ground, type Incarnation } from '../pure/actor/compile-task.ts';
import { streamTimePart } from '../pure/actor/stream-time.ts';
import type { SinkWrite, Work } from '../pure/actor/work.ts';
import type { MemorySinks } from './memory-sinks.ts';

export type CommitEffect = Extract<ActorEffect, { readonly type: 'commit' }>;
export type CallEffect = Extract<ActorEffect, { readonly type: 'call' }>;
type Waiting = Extract<ActorEffect, { readonly type: 'fetch' | 'pull' }>;

export class SteppedActor {
  readonly state: ActorState;
  readonly #log: MemoryDisk;
  readonly #send: (commit: CommitEffect) => void;
  readonly #sink: (write: SinkWrite) => void;
  /** Unhandled events: an effect may be answered before the other effects of the same step are performed. */
  readonly #events: ActorEvent[] = [];
  #waiting: readonly Waiting[] = [];
  #begins = true;
  #yielded = false;
  /** The time at which the machine wants a tick; Infinity for never. */
  wakeAt: number = Infinity;
  /** Calls that were made and not cancelled; the owner of the actor answers them. */
  calls: readonly CallEffect[] = [];
  /** How long a drain waits for them, once there is one. */
  deadlineMs: number | undefined;
  hasEnded = false;
  /** The error that ended the actor. */
  error: Error | undefined;

  readonly #steps: (step: Step | undefined) => void;

  /**
   * `sink` writes a batch before its commit is sent; an error of it refuses the commit. `steps` is called before each step of a suspect, and
   * with undefined behind it.
   */
  constructor(
    work: Work,
    log: MemoryDisk,
    send: (commit: CommitEffect) => void,
    sink: (write: SinkWrite) => void,
    steps: (step: Step | undefined) => void = () => {},
  ) {
    this.#steps = steps;
    this.state = new ActorState(work);
    this.#log = log;
    this.#send = send;
    this.#sink = sink;
  }

  /** Whether a step would change anything. */
  get isReady(): boolean {
    return !this.hasEnded && (this.#begins || this.#yielded || this.#grown !== undefined);
  }
  /** Starts the actor, resumes it after the turns of the others, or answers its fetch. */
  step(): void {
    if (this.#begins) {
      this.#begins = false;
      return this.hear({ type: 'started' });
    }
    if (this.#yielded) {
      this.#yielded = false;
      return this.hear({ type: 'resumed' });
    }
    const grown = this.#grown;
    if (grown === undefined) return;
    this.#waiting = this.#waiting.filter((one) => one !== grown);
    this.#fetch(grown);
    this.#run();
  }
  hear(event: ActorEvent): void {
    this.#events.push(event);
    this.#run();
  }
  /** Notifies the machine that the requested time has come. */
  tick(wallClock: number): void {
    this.wakeAt = Infinity;
    this.hear({ type: 'ticked', wallClock });
  }
  /** The open request of a source's actor for arrivals. */
  get pull(): number | undefined {
    return this.#waiting.find(({ type }) => type === 'pull')?.ask;
  }

  get #grown(): Extract<Waiting, { readonly type: 'fetch' }> | undefined {
    return this.#waiting.find((one) => one.type === 'fetch' && this.#isThere(one.from)) as Extract<Waiting, { readonly type: 'fetch' }> | undefined;
  }
  #isThere({ topic, partition, offset }: Position): boolean {
    return this.#log.partition(topic, partition).end > offset;
  }
  #run(): void {
    for (let event = this.#events.shift(); event !== undefined; event = this.#events.shift()) {
      const [, effects] = step(this.state, event);
      for (const effect of effects) this.#perform(effect);
    }
  }
  #perform(effect: ActorEffect): void {
    switch (effect.type) {
      case 'fetch':
        if (!effect.waits) this.#fetch(effect);
        else this.#waiting = [...this.#waiting, effect];
        return;
      case 'pull':
        this.#waiting = [effect];
        return;
      case 'acknowledge':
        this.#events.push({ type: 'acknowledged', ask: effect.ask });
        return;
      case 'commit':
        return this.#commit(effect);
      case 'turn':
        this.#events.push({ type: 'turn' });
        return;
      case 'enter':
        this.#steps(effect);
        this.#events.push({ type: 'entered' });
        return;
      case 'yield':
        this.#yielded = true;
        return;
      case 'call':
        this.calls = [...this.calls, effect];
        return;
      case 'cancel':
        this.calls = [];
        return;
      case 'deadline':
        this.deadlineMs = effect.afterMs;
        return;
      case 'wake':
        this.wakeAt = effect.at;
        return;
      case 'stop waiting':
        for (const one of this.#waiting) {
          if (one.type === 'pull') this.#events.push({ type: 'pulled', ask: one.ask, batch: { arrivals: [], ended: false } });
          else this.#events.push({ type: 'fetched', ask: one.ask, found: { from: one.from.offset, next: one.from.offset, batches: [] } });
        }
        this.#waiting = [];
        return;
      case 'end':
        this.hasEnded = true;
        this.error = effect.error;
        return;
      case 'leave':
        return this.#steps(undefined);
      case 'rest':
      case 'release':
      case 'report':
    }
  }
  #commit(effect: CommitEffect): void {
    try {
      for (const write of effect.writes) this.#sink(write);
    } catch (error) {
      this.#events.push({ type: 'refused', number: effect.number, error });
      return;
    }
    this.#send(effect);
  }
  #fetch({ ask, from, bytes }: Extract<Waiting, { readonly type: 'fetch' }>): void {
    try {
      this.#events.push({ type: 'fetched', ask, found: { from: from.offset, ...this.#log.fetch(from, bytes) } });
    } catch (error) {
      this.#events.push({ type: 'failed', ask, error });
    }
  }
}

/** The arguments with which an actor opens the sinks of its task. */
export const sinkStart = ({ plan, task, partition }: Ground, epoch: number): SinkStart => ({
  group: plan.name,
  topic: task.inputs[0]?.topic.name ?? '',
  partition,
  epoch,
});

/** The work of a task at a partition, over a log in memory. */
export const workOn = (
  ground: Ground,
  log: MemoryDisk,
  parts: Omit<Incarnation, 'positions' | 'timeStore'>,
  { entries, sinks }: { readonly entries?: number; readonly sinks: MemorySinks },
): { readonly work: Work; readonly compiled: Compiled } => {
  const { plan, task, partition } = ground;
  const open = (part: StorePart): MemoryPart => log.openStore(part);
  const { epoch, incarnation, beacon, around = (emit) => emit } = parts;
  const recovered = new Map(task.sinks.map(({ name }) => [name, sinks.open(name, sinkStart(ground, epoch))]));
  const compiled = compile(ground, storesOf(ground).map(open), { entries, recovered, writes: 'parsed' });
  const { functions, outputs } = compiled;
  if (task.source !== undefined) {
    const { name } = task.source;
    const position = log.position(plan.name, sourcePartition(name, partition).topic, partition);
    const work = new ArrivalWork({ group: plan.name, epoch, incarnation, name, partition, position, emit: around(functions.emits[0]!), outputs, beacon });
    return { work, compiled };
  }
  const positions = task.inputs.map(({ topic }) => log.position(plan.name, topic.name, partition));
  const timeStore = functions.asksForStreamTime ? open(streamTimePart(plan, task, partition)) : undefined;
  return { work: recordWork(ground, compiled, { ...parts, positions, timeStore }), compiled };
};
