/**
 * What an actor that nothing ever disturbs makes of the same records in the same order: the measure of the disturbed one.
 */
import { LazyRecord, openBatch } from '@stoplog/core/port';
import { MemoryPart, type MemoryDisk, type MemoryPartition } from '@stoplog/core/testing/memory';
import { compileTask } from '../pure/nodes/compile.ts';
import type { Emit } from '../pure/nodes/emit.ts';
import { TopicOutput } from '../pure/actor/outputs.ts';
import { StoreOverlay, type Writes } from '../pure/actor/overlay.ts';
import { storePart } from '../pure/actor/store-part.ts';
import type { Plan, Task } from '../pure/topology/plan.ts';
import type { Handled } from './simulated-actor.ts';

/** What one commit ought to hold. */
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
  readonly stores: ReadonlyMap<string, MemoryPart>;
  readonly #overlays = new Map<string, { readonly name: string; readonly overlay: StoreOverlay }>();
  readonly #outputs: ReadonlyMap<string, TopicOutput>;
  readonly #cursors: ReadonlyMap<string, Cursor>;
  readonly #task: Task;
  #commits = 0;

  constructor(plan: Plan, task: Task, partition: number, log: MemoryDisk) {
    this.#task = task;
    const stores = new Map<string, MemoryPart>();
    for (const declared of task.stores) {
      const name = storePart(plan, declared, partition).store;
      const part = new MemoryPart();
      stores.set(name, part);
      this.#overlays.set(declared.name, { name, overlay: new StoreOverlay(part, (declared.store ?? declared.table!).valueSerde) });
    }
    this.stores = stores;
    this.#outputs = new Map(task.outputs.map((topic) => [topic.name, new TopicOutput(topic)]));
    const { emits } = compileTask(task, { stores: new Map([...this.#overlays].map(([name, { overlay }]) => [name, overlay])), outputs: this.#outputs });
    this.#cursors = new Map(
      task.inputs.map(({ topic }, i) => [
        topic.name,
        { emit: emits[i]!, partition: log.partition(topic.name, partition), records: [][Symbol.iterator](), head: undefined, batch: 0 },
      ]),
    );
  }

  /** The record that nobody has handled yet, if it is there. */
  head(topic: string): LazyRecord | undefined {
    const cursor = this.#cursors.get(topic)!;
    while (cursor.head === undefined && cursor.batch < cursor.partition.batches.length) {
      cursor.records = this.#recordsOf(topic, cursor.partition.batches[cursor.batch++]!.bytes);
      cursor.head = cursor.records.next().value;
    }
    return cursor.head;
  }
  /** Takes the head through the task. */
  handle({ topic }: Handled): void {
    const cursor = this.#cursors.get(topic)!;
    cursor.emit(this.head(topic)!);
    cursor.head = cursor.records.next().value;
  }
  commit(): Expected {
    const number = ++this.#commits;
    const writes = [...this.#overlays.values()].map(({ name, overlay }) => {
      const taken = overlay.takeWrites(number);
      this.stores.get(name)!.write(taken);
      overlay.onCommitted(number);
      return { store: name, writes: taken };
    });
    return { writes, appends: [...this.#outputs.values()].flatMap((output) => output.take().batches) };
  }

  *#recordsOf(topic: string, bytes: Uint8Array): Generator<LazyRecord, undefined> {
    const { keySerde, valueSerde } = this.#task.inputs.find((input) => input.topic.name === topic)!.topic;
    const view = openBatch(bytes);
    while (view.next()) yield new LazyRecord(view, keySerde, valueSerde, topic);
  }
}
