/**
 * What an actor does, without a thread: fetch, step, commit. One for each partition of each task.
 *
 * A step takes all there is to read, the lowest timestamp first, and commits once. When something throws, nothing of
 * the step is kept, and the actor is of no further use: the next one goes on from the last commit.
 */
import { isStoplogError, StoplogError, type LazyRecord, type PackedBatch } from '@stoplog/core/port';
import { compileTask } from '../pure/nodes/compile.ts';
import type { Emit } from '../pure/nodes/emit.ts';
import { nextInput } from '../pure/actor/next-input.ts';
import { TopicOutput } from '../pure/actor/outputs.ts';
import { StoreOverlay } from '../pure/actor/overlay.ts';
import type { AnyRecord } from '../pure/nodes/record.ts';
import type { Task } from '../pure/topology/plan.ts';
import type { DrivenPart } from './driven-store.ts';
import type { DrivenTopic } from './driven-topic.ts';

/** What outlives an actor: its partition's topics and stores, and how many batches of each input are behind it. */
export interface Ground {
  readonly pipeline: string;
  readonly task: Task;
  readonly partition: number;
  readonly topics: ReadonlyMap<string, DrivenTopic>;
  readonly stores: ReadonlyMap<string, DrivenPart>;
  readonly positions: Map<string, number>;
  readonly now: () => number;
}

interface Input {
  readonly topic: DrivenTopic;
  readonly emit: Emit;
}

export class DrivenActor {
  readonly #ground: Ground;
  readonly #overlays = new Map<string, StoreOverlay>();
  readonly #outputs = new Map<string, TopicOutput>();
  readonly #emits: readonly Emit[];
  readonly #inputs: readonly Input[];
  #commits = 0;

  constructor(ground: Ground) {
    this.#ground = ground;
    const { task } = ground;
    for (const { name, store, table } of task.stores) {
      const serde = (store ?? table)?.valueSerde;
      if (serde !== undefined) this.#overlays.set(name, new StoreOverlay(part(ground.stores, name), serde));
    }
    for (const topic of task.outputs) this.#outputs.set(topic.name, new TopicOutput(topic));
    this.#emits = compileTask(task, { stores: this.#overlays, outputs: this.#outputs }).emits;
    this.#inputs = task.inputs.map((input, i) => ({ topic: part(ground.topics, input.topic.name), emit: this.#emits[i]! }));
  }

  /** Reads to the ends of its inputs and commits. */
  step(): void {
    const { partition, positions } = this.#ground;
    const ends = this.#inputs.map(({ topic }) => topic.partitions[partition]?.length ?? 0);
    const records = this.#inputs.map(({ topic }) => unread(topic, partition, positions.get(topic.topic.name) ?? 0));
    const heads = records.map((input) => input.next().value);
    const times = heads.map((head) => head?.timestamp);
    let read = 0;
    let last: LazyRecord | undefined;
    for (let next = nextInput(times); next >= 0; next = nextInput(times)) {
      const record = (last = heads[next]!);
      this.#handle(record, this.#inputs[next]!.emit);
      read++;
      heads[next] = records[next]!.next().value;
      times[next] = heads[next]?.timestamp;
    }
    this.#commit(read === 1 ? last : undefined);
    this.#inputs.forEach(({ topic }, i) => positions.set(topic.topic.name, ends[i] ?? 0));
  }
  /** Takes what a source has yielded and commits. */
  arrive(record: AnyRecord): void {
    this.#handle(record, this.#emits[0]!);
    this.#commit(record);
  }

  #handle(record: AnyRecord, emit: Emit): void {
    try {
      emit(record);
    } catch (cause) {
      throw failure(this.#ground, record, cause);
    }
  }
  /** What may throw comes first; then all of it is kept, in one go. */
  #commit(only: AnyRecord | undefined): void {
    const commit = ++this.#commits;
    const appends: PackedBatch[] = [];
    const keep: (() => void)[] = [];
    try {
      for (const [name, overlay] of this.#overlays) {
        const writes = overlay.takeWrites(commit);
        keep.push(() => {
          part(this.#ground.stores, name).write(writes);
          overlay.onCommitted(commit);
        });
      }
      for (const output of this.#outputs.values()) appends.push(...output.take().batches);
    } catch (cause) {
      throw failure(this.#ground, only, cause);
    }
    for (const act of keep) act();
    for (const packed of appends) part(this.#ground.topics, packed.topic).append(packed, this.#ground.now());
  }
}

/** True when an input has batches that are not behind the actor yet. */
export const hasUnread = ({ task, partition, topics, positions }: Ground): boolean =>
  task.inputs.some(({ topic }) => (part(topics, topic.name).partitions[partition]?.length ?? 0) > (positions.get(topic.name) ?? 0));

function* unread(topic: DrivenTopic, partition: number, from: number): Generator<LazyRecord, undefined> {
  for (const batch of topic.partitions[partition]?.slice(from) ?? []) yield* topic.recordsOf(batch);
}

const failure = ({ pipeline, task, partition }: Ground, record: AnyRecord | undefined, cause: unknown): StoplogError => {
  const key = record && keyOf(record);
  const at = record === undefined ? 'what it read' : `${record.topic}[${record.partition}] offset ${record.offset}, key ${shown(key)}`;
  return new StoplogError(
    'STOPLOG_HANDLER',
    { ...(isStoplogError(cause) ? cause.facts : {}), task: task.id, topic: record?.topic, partition, offset: record?.offset, key },
    `task ${task.id} of '${pipeline}' failed at ${at}: ${cause instanceof Error ? cause.message : String(cause)}. ` +
      'Nothing of this step was kept: correct the function, or catch there what it may throw; the next send, or restart(), tries the record again',
    { cause },
  );
};

/** A key that does not decode may be the very failure. */
const keyOf = (record: AnyRecord): unknown => {
  try {
    return record.key;
  } catch {
    return undefined;
  }
};
const shown = (key: unknown): string => (typeof key === 'object' ? JSON.stringify(key) : typeof key === 'string' ? `'${key}'` : String(key));

const part = <T>(parts: ReadonlyMap<string, T>, name: string): T => {
  const found = parts.get(name);
  if (found === undefined) throw new Error(`invariant broken: the driver has '${name}'`);
  return found;
};
