/**
 * The reference: the output of an actor without faults for the same records in the same order.
 */
import type { StorePart } from '@stoplog/core/port';
import { type LazyRecord, openBatch } from '@stoplog/core/kit';
import { type MemoryDisk, MemoryPart, type MemoryPartition } from '@stoplog/core/testing';
import { compile, storesOf, type Compiled } from '../pure/actor/compile-task.ts';
import type { Writes } from '../pure/actor/overlay.ts';
import { StreamTime, streamTimePart } from '../pure/actor/stream-time.ts';
import { InputRecord } from '../pure/nodes/derived-record.ts';
import type { Emit } from '../pure/nodes/emit.ts';
import type { Plan, Task } from '../pure/topology/plan.ts';
import type { Handled } from './simulated-actor.ts';

/** The expected contents of one commit. */
export interface Expected {
  readonly writes: readonly { readonly store: string; readonly writes: Writes }[];
  readonly appends: readonly { readonly topic: string; readonly partition: number; readonly batch: Uint8Array }[];
}

interface Cursor {
  readonly emit: Emit;
  readonly partition: MemoryPartition;
  records: Iterator<LazyRecord, undefined>;
  head: LazyRecord | undefined;
  batch: number;
}

export class Reference {
  /** The parts of the stores, by their names in the log. */
  readonly stores: ReadonlyMap<string, MemoryPart>;
  readonly #compiled: Compiled;
  /** Undefined when no verb asks for stream time. */
  readonly #streamTime: StreamTime | undefined;
  readonly #cursors: ReadonlyMap<string, Cursor>;
  readonly #task: Task;
  #commits = 0;

  constructor(plan: Plan, task: Task, partition: number, log: MemoryDisk) {
    this.#task = task;
    const ground = { plan, task, partition };
    const stores = new Map<string, MemoryPart>();
    const open = ({ store }: StorePart): MemoryPart => {
      const part = new MemoryPart();
      stores.set(store, part);
      return part;
    };
    this.#compiled = compile(ground, storesOf(ground).map(open));
    const { emits, asksForStreamTime } = this.#compiled.functions;
    const timePart = streamTimePart(plan, task, partition);
    this.#streamTime = asksForStreamTime ? new StreamTime(timePart, open(timePart)) : undefined;
    this.stores = stores;
    this.#cursors = new Map(
      task.inputs.map(({ topic }, i) => [
        topic.name,
        { emit: emits[i]!, partition: log.partition(topic.name, partition), records: [][Symbol.iterator](), head: undefined, batch: 0 },
      ]),
    );
  }

  /** The next unhandled record, if it is in the log. */
  head(topic: string): LazyRecord | undefined {
    const cursor = this.#cursors.get(topic)!;
    while (cursor.head === undefined && cursor.batch < cursor.partition.batches.length) {
      cursor.records = this.#recordsOf(topic, cursor.partition.batches[cursor.batch++]!.bytes);
      cursor.head = cursor.records.next().value;
    }
    return cursor.head;
  }
  /** Processes the head, or a tick, with the task. */
  handle(what: Handled): void {
    const { functions } = this.#compiled;
    if ('tick' in what) return functions.tick(what.tick);
    const cursor = this.#cursors.get(what.topic)!;
    const record = this.head(what.topic)!;
    const isLatest = this.#streamTime !== undefined && record.timestamp > this.#streamTime.time;
    if (isLatest) {
      this.#streamTime?.reach(record.timestamp);
      this.#compiled.clock.streamTime = record.timestamp;
    }
    cursor.emit(record);
    if (isLatest) functions.advance(record.timestamp);
    cursor.head = cursor.records.next().value;
  }
  commit(): Expected {
    const number = ++this.#commits;
    const writes = [...this.#compiled.stores].map(([store, overlay]) => ({ store, writes: overlay.takeWrites(number) }));
    if (this.#streamTime !== undefined) writes.push({ store: this.#streamTime.store, writes: this.#streamTime.takeWrites() });
    for (const { store, writes: taken } of writes) this.stores.get(store)!.write(taken);
    for (const overlay of this.#compiled.stores.values()) overlay.onCommitted(number);
    return { writes, appends: this.#compiled.outputs.flatMap((output) => output.take().batches) };
  }

  *#recordsOf(topic: string, bytes: Uint8Array): Generator<LazyRecord, undefined> {
    const { keySerde, valueSerde } = this.#task.inputs.find((input) => input.topic.name === topic)!.topic;
    const view = openBatch(bytes);
    while (view.next()) yield new InputRecord(view, keySerde, valueSerde, topic);
  }
}
