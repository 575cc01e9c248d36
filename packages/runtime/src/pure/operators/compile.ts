/**
 * A task's nodes fused into one synchronous function per input.
 *
 * Nodes are taken from the ends back, so that when a node is made, what it hands on to is already there. What comes out
 * is a closure for each topic the task reads: call it with a record, and everything up to the next topic has happened.
 */
import { assert } from '@stoplog/core/port';
import type { TopicOutput } from '../task/outputs.ts';
import type { StoreOverlay } from '../task/overlay.ts';
import type { Node, StreamNode, TableNode } from '../topology/graph.ts';
import type { Task } from '../topology/plan.ts';
import { fanOut, fanOutChanges, settled, type Emit, type EmitChange } from './emit.ts';
import { count, fold, process } from './stateful.ts';
import { filter, flatMap, join, map } from './stateless.ts';
import { changes, lookupIn, materialize, tableFilter, tableMap } from './tables.ts';

export interface TaskParts {
  /** By the names of the task's stores and outputs. */
  readonly stores: ReadonlyMap<string, StoreOverlay>;
  readonly outputs: ReadonlyMap<string, TopicOutput>;
}

/** One function for each of the task's inputs, in their order; a source task has one. */
export const compileTask = (task: Task, parts: TaskParts): readonly Emit[] => {
  const inside = new Set(task.nodes);
  const reads = new Set(task.inputs.map((input) => input.topic.name));
  const storeOf = (name: string): StoreOverlay => part(parts.stores, name);
  const storeOfTable = (node: Extract<TableNode, { readonly kind: 'table' | 'fold' }>): StoreOverlay =>
    storeOf(node.kind === 'table' ? `table:${node.topic.name}` : node.store.name);

  // What each node hands its records, or its changes, to; filled from the ends back.
  const recordsTo = new Map<Node, Emit[]>();
  const changesTo = new Map<Node, EmitChange[]>();
  const emitOf = (node: Node): Emit => fanOut((recordsTo.get(node) ?? []).toReversed());
  const emitChangeOf = (node: Node): EmitChange => fanOutChanges((changesTo.get(node) ?? []).toReversed());
  const after = (input: StreamNode, emit: Emit): void => add(recordsTo, input, emit);
  const afterChange = (input: TableNode, emit: EmitChange): void => add(changesTo, input, emit);

  for (const node of task.nodes.toReversed()) {
    switch (node.kind) {
      case 'stream':
      case 'source':
      case 'table':
        break;
      case 'filter':
        after(node.input, filter(node, emitOf(node)));
        break;
      case 'map':
        after(node.input, map(node, emitOf(node)));
        break;
      case 'flat-map':
        after(node.input, flatMap(node, emitOf(node)));
        break;
      case 'merge': {
        const emit = emitOf(node);
        after(node.right, emit);
        after(node.left, emit);
        break;
      }
      case 'join':
        after(node.input, join(node, lookupIn(node.table, storeOfTable), emitOf(node)));
        break;
      case 'process':
        after(node.input, process(node, storeOf(node.store.name), emitOf(node)));
        break;
      case 'fold':
        after(
          node.input,
          node.verb === 'count' ? count(storeOf(node.store.name), emitChangeOf(node)) : fold(node, storeOf(node.store.name), emitChangeOf(node)),
        );
        break;
      case 'changes':
        afterChange(node.input, changes(emitOf(node)));
        break;
      case 'table-map':
        afterChange(node.input, tableMap(node, emitChangeOf(node)));
        break;
      case 'table-filter':
        afterChange(node.input, tableFilter(node, emitChangeOf(node)));
        break;
      case 'through':
        // Only the half that appends: what reads the topic again is an input, of this task or of another.
        if (inside.has(node.input)) {
          const output = part(parts.outputs, node.topic.name);
          const { by } = node;
          after(node.input, (record) => output.rekeyed(settled('rekey', by(record.value, record)), record));
        }
        break;
      case 'to':
        if (node.target.kind !== 'sink') {
          const output = part(parts.outputs, node.target.name);
          after(node.input, (record) => output.record(record));
        }
        break;
      case 'table-to':
        if (node.target.kind !== 'sink') {
          const output = part(parts.outputs, node.target.name);
          afterChange(node.input, (record, _before, now) => output.latest(record.key, now, record));
        }
        break;
    }
  }

  const entriesOf = (topic: string): Emit => {
    const readers = task.nodes.filter(
      (node) => (node.kind === 'stream' || node.kind === 'table' || node.kind === 'through') && node.topic.name === topic && reads.has(topic),
    );
    const tables = readers.filter((node) => node.kind === 'table');
    const [first] = tables;
    if (first === undefined) return fanOut(readers.map(emitOf));
    // However often a pipeline says table(topic), it is kept once, and all are told the same before and after.
    const changed = tables.filter((node) => changesTo.has(node)).map(emitChangeOf);
    return materialize(storeOfTable(first), changed.length === 0 ? undefined : fanOutChanges(changed));
  };
  if (task.source !== undefined) return [fanOut(task.nodes.filter((node) => node.kind === 'source').map(emitOf))];
  return task.inputs.map((input) => entriesOf(input.topic.name));
};

const add = <T>(map: Map<Node, T[]>, node: Node, value: T): void => {
  const values = map.get(node);
  if (values === undefined) map.set(node, [value]);
  else values.push(value);
};

const part = <T>(parts: ReadonlyMap<string, T>, name: string): T => {
  const found = parts.get(name);
  assert(found !== undefined, `the task has a part '${name}'`);
  return found;
};
