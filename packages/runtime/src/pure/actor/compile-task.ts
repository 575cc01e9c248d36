/**
 * Builds the parts of an actor that do not depend on its runner: overlays over its stores, outputs, inputs, and the compiled functions of
 * its task.
 */
import type { StateStore, StorePart } from '@stoplog/core/port';
import { assert, type Writes } from '@stoplog/core/kit';
import { compileTask, type CompiledTask } from '../nodes/compile.ts';
import type { Emit } from '../nodes/emit.ts';
import type { Plan, Task } from '../topology/plan.ts';
import { Input } from './input.ts';
import { InFlight } from './in-flight.ts';
import { TopicOutput } from './outputs.ts';
import { SinkOutput } from './sink-output.ts';
import { StoreOverlay } from './overlay.ts';
import { RecordWork, type RecordsParts } from './records.ts';
import { storePart } from './store-part.ts';
import { TaskClock } from './task-clock.ts';
import { StreamTime, streamTimePart } from './stream-time.ts';

/** A task at a partition. */
export interface Ground {
  readonly plan: Plan;
  readonly task: Task;
  readonly partition: number;
}
export interface Compiled {
  /** By their names in the log. */
  readonly stores: ReadonlyMap<string, StoreOverlay>;
  readonly outputs: readonly TopicOutput[];
  /** By name. */
  readonly sinks: ReadonlyMap<string, SinkOutput>;
  readonly clock: TaskClock;
  readonly functions: CompiledTask;
}

/** The stores to open first. */
export const storesOf = ({ plan, task, partition }: Ground): readonly StorePart[] => task.stores.map((store) => storePart(plan, store, partition));

export interface CompileOptions {
  /** Bound the memory of each overlay: entries and bytes of one generation. */
  readonly entries?: number | undefined;
  readonly bytes?: number | undefined;
  /** The position that a sink has kept, by the sink's name. */
  readonly recovered?: ReadonlyMap<string, bigint | undefined> | undefined;
  /** The setting `writes` where neither the topic or store nor the pipeline declares it. */
  readonly writes?: Writes;
}
/** `opened` are the parts of `storesOf`, in that order. */
export const compile = (ground: Ground, opened: readonly StateStore[], { entries, bytes, recovered, writes = 'trusted' }: CompileOptions = {}): Compiled => {
  const { plan, task } = ground;
  const named = new Map<string, StoreOverlay>();
  const stores = new Map<string, StoreOverlay>();
  for (const [i, part] of storesOf(ground).entries()) {
    const { name, store, table } = task.stores[i]!;
    const serde = (store ?? table)?.valueSerde;
    const below = opened[i];
    assert(serde !== undefined && below !== undefined, `store '${name}' has a schema, and was opened`);
    const overlay = new StoreOverlay(below, serde, entries, bytes);
    named.set(name, overlay);
    stores.set(part.store, overlay);
  }
  const outputs = new Map(task.outputs.map((topic) => [topic.name, new TopicOutput(topic)]));
  const sinks = new Map(task.sinks.map(({ name }) => [name, new SinkOutput(recovered?.get(name))]));
  const clock = new TaskClock();
  const functions = compileTask(task, {
    stores: named,
    outputs,
    sinks,
    wakeAt: (at) => clock.wake(at),
    streamTime: () => clock.streamTime,
    parses: (target) => (target.writes ?? plan.writes ?? writes) === 'parsed',
  });
  return { stores, outputs: [...outputs.values()], sinks, clock, functions };
};

export interface Incarnation extends Pick<RecordsParts, 'epoch' | 'incarnation' | 'suspect' | 'pace' | 'careful' | 'beacon' | 'limits' | 'now'> {
  /** The group's positions, in the order of the task's inputs. */
  readonly positions: readonly bigint[];
  /** The opened store of `streamTimePart`, when the task asks for stream time. */
  readonly timeStore: StateStore | undefined;
  /** Put around the function of each input. */
  readonly around?: (emit: Emit) => Emit;
  /** Called before each tick that the task gets. */
  readonly ticks?: (wallClock: number) => void;
}
/** The work of one incarnation of an actor that reads topics. */
export const recordWork = (ground: Ground, { stores, outputs, sinks, clock, functions }: Compiled, incarnation: Incarnation): RecordWork => {
  const { plan, task, partition } = ground;
  const { positions, timeStore, around = (emit): Emit => emit, ticks, ...rest } = incarnation;
  const { stage } = functions;
  const calls = stage && { stage, inFlight: new InFlight({ task: task.id, concurrency: stage.concurrency }) };
  const inputs = task.inputs.map(({ topic }, i) => new Input(topic, partition, positions[i]!, around(functions.emits[i]!), calls?.inFlight));
  const streamTime = timeStore && new StreamTime(streamTimePart(plan, task, partition), timeStore);
  const advance = (time: number): void => functions.advance(time);
  const tick = (wallClock: number): void => {
    ticks?.(wallClock);
    functions.tick(wallClock);
  };
  return new RecordWork({ group: plan.name, task, partition, inputs, stores, outputs, sinks, advance, tick, streamTime, clock, calls, ...rest });
};
