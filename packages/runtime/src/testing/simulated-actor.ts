/**
 * An actor as a thread runs it, without the thread: the same steps, in turns that the scheduler gives.
 *
 * Between any two turns it may be killed; inside one, a record may fail before or after its function has run.
 */
import type { Commit, StoplogError } from '@stoplog/core/port';
import type { MemoryDisk } from '@stoplog/core/testing/memory';
import type { Place } from '../pure/host/mailbox.ts';
import { compileTask } from '../pure/nodes/compile.ts';
import type { Emit } from '../pure/nodes/emit.ts';
import { Input } from '../pure/actor/input.ts';
import { TopicOutput } from '../pure/actor/outputs.ts';
import { StoreOverlay } from '../pure/actor/overlay.ts';
import { CREDITS, Steps, type Footprints, type Limits } from '../pure/actor/steps.ts';
import { storePart } from '../pure/actor/store-part.ts';
import type { Plan, Task } from '../pure/topology/plan.ts';

/** A record that went into a commit. */
export interface Handled {
  readonly topic: string;
  readonly offset: bigint;
}
/** A commit on its way: in the queue of the process's writer, then answered, then heard of. */
export interface Sent {
  readonly by: SimulatedActor;
  readonly commit: Commit;
  readonly handled: readonly Handled[];
  answer: 'none' | 'committed' | StoplogError;
}
/** How small the pieces are: everything that production does in thousands, a simulation does in ones and twos. */
export interface Grain {
  readonly limits: Limits;
  readonly fetchBytes: number;
  /** Store entries of one generation in memory. */
  readonly entries: number;
}
export interface Life {
  readonly plan: Plan;
  readonly task: Task;
  readonly partition: number;
  readonly epoch: number;
  /** A name that no other life has. */
  readonly name: string;
  readonly suspect: Place | undefined;
  readonly log: MemoryDisk;
  readonly grain: Grain;
  /** Asked at each record before and after its function: true to fail there. */
  readonly fails: (actor: SimulatedActor, place: Place) => boolean;
}

export class SimulatedActor implements Footprints {
  readonly life: Life;
  readonly name: string;
  /** Sent and not heard of, oldest first. */
  readonly underWay: Sent[] = [];
  /** A commit was refused: nothing more is sent. */
  failure: StoplogError | undefined;
  turns = 0;
  /** When it was told to finish what is begun, and end. */
  drainingSince: number | undefined;
  ended = false;
  /** A record takes until then: neither turns nor news before. */
  busyUntil = 0;
  /** The scheduler's wish that the next record fail. */
  trap: 'none' | 'before' | 'after' = 'none';
  readonly #steps: Steps;
  readonly #inputs: readonly Input[];
  #handled: Handled[] = [];
  #wantsCommit = false;
  #settles = false;
  #sent = 0;
  #at: { input: number; base: bigint; delta: number } | undefined;

  constructor(life: Life) {
    this.life = life;
    const { plan, task, partition, log, grain } = life;
    this.name = `${task.id}:${partition}`;
    const stores = new Map<string, StoreOverlay>();
    const named = new Map<string, StoreOverlay>();
    for (const declared of task.stores) {
      const part = storePart(plan, declared, partition);
      const overlay = new StoreOverlay(log.openStore(part), (declared.store ?? declared.table!).valueSerde, grain.entries);
      stores.set(declared.name, overlay);
      named.set(part.store, overlay);
    }
    const outputs = new Map(task.outputs.map((topic) => [topic.name, new TopicOutput(topic)]));
    const { emits } = compileTask(task, { stores, outputs });
    this.#inputs = task.inputs.map(({ topic }, i) => new Input(topic, partition, log.position(plan.name, topic.name, partition), this.#watched(emits[i]!)));
    this.#steps = new Steps({
      group: plan.name,
      epoch: life.epoch,
      life: life.name,
      task,
      partition,
      inputs: this.#inputs,
      stores: named,
      outputs: [...outputs.values()],
      suspect: life.suspect,
      beacon: this,
      limits: grain.limits,
    });
  }

  get draining(): boolean {
    return this.drainingSince !== undefined;
  }
  /** Records taken and not sent. */
  get open(): number {
    return this.#steps.open;
  }
  /** The record it is in, or was in last. */
  get place(): Place | undefined {
    const at = this.#at;
    const input = at && this.#inputs[at.input];
    return input && { ...input.place, offset: at.base + BigInt(at.delta) };
  }
  /** A turn would change something. */
  get isReady(): boolean {
    const idle = this.underWay.length === 0;
    if (this.#wantsCommit) return this.failure !== undefined || this.#hasCredit;
    if (this.#settles) return idle;
    if (this.draining) return this.#steps.open > 0 || idle;
    return (
      this.#steps.isOpen ||
      (this.failure !== undefined && idle) ||
      this.#inputs.some(({ view, place: { topic, partition }, next }) => view !== undefined || this.life.log.partition(topic, partition).end > next)
    );
  }

  /** One round, as TaskActor's; what it sends is handed to `send`. Throws what ends this life. */
  turn(now: number, send: (sent: Sent) => void): void {
    this.turns++;
    if (this.#wantsCommit) return this.#commit(send);
    if (this.#settles) {
      this.#settles = false;
      return this.#check();
    }
    if (this.draining) return this.#end(send);
    const { log, grain } = this.life;
    for (const input of this.#inputs)
      if (input.view === undefined) input.accept(log.fetch({ ...input.place, offset: input.next }, grain.fetchBytes), grain.fetchBytes);
    if (this.#steps.isEmpty) {
      if (this.#steps.isOpen) this.#commit(send);
      else if (this.underWay.length === 0) this.#check();
      return;
    }
    const full = this.#steps.take(now);
    // What stands before a suspect is in the log before that is tried.
    this.#settles = full;
    if (full || this.#steps.isDue(now, this.#hasCredit)) this.#commit(send);
  }
  /** Hears of the oldest commit under way. */
  hear(): Sent | undefined {
    const sent = this.underWay.shift();
    if (sent?.answer === 'committed') this.#steps.committed(this.#sent - this.underWay.length);
    else if (sent !== undefined && sent.answer !== 'none') this.failure ??= sent.answer;
    return sent;
  }

  at(input: number, base: bigint): void {
    this.#at = { input, base, delta: 0 };
  }
  enter(offsetDelta: number): void {
    if (this.#at !== undefined) this.#at.delta = offsetDelta;
  }
  leave(): void {}

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
    if (this.life.fails(this, this.place!)) throw new Error('the simulation let this record fail');
  }
  get #hasCredit(): boolean {
    return this.underWay.length < CREDITS;
  }
  #check(): void {
    if (this.failure !== undefined) throw this.failure;
  }
  #commit(send: (sent: Sent) => void): void {
    this.#check();
    this.#wantsCommit = !this.#hasCredit;
    if (this.#wantsCommit) return;
    const { commit } = this.#steps.cut(++this.#sent);
    const sent: Sent = { by: this, commit, handled: this.#handled, answer: 'none' };
    this.#handled = [];
    this.underWay.push(sent);
    send(sent);
  }
  #end(send: (sent: Sent) => void): void {
    if (this.#steps.open > 0) return this.#commit(send);
    if (this.underWay.length > 0) return;
    this.#check();
    this.ended = true;
  }
}
