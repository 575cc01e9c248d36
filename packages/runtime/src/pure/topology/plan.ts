/**
 * A plan lists the tasks of a pipeline, each with the topics that it reads, the stores that it owns and the topics that it appends to.
 *
 * A task has as many actors as its topics have partitions; actor p of a task reads partition p of every input, and so meets all records
 * of a key. Tasks meet only in topics: each can be stopped, moved and started alone.
 */
import type { AnyTopic, Writes } from '@stoplog/core/kit';
import type { AnySink, AnySource, Node, NodeStore, Role } from '../nodes/node.ts';
import { pipelineOf, type Pipeline } from '../pipeline/pipeline.ts';
import { checkGraph } from './check.ts';
import { checkCoPartitioning } from './co-partition.ts';
import { checkSinks } from './check-sinks.ts';
import { checkCycles } from './cycle.ts';
import { fingerprintOf } from './fingerprint.ts';
import { numberNodes } from './graph.ts';
import { cutAtTopics, writtenTopic, type Cut } from './wiring.ts';

/** A store of a task, owned by a node of the task. */
export type TaskStore = NodeStore;

export interface TaskInput {
  readonly topic: AnyTopic;
  /** 'through' when a rekey of this pipeline fills the topic, even if the topic is read as a stream too. */
  readonly role: Role;
}

export interface Task {
  readonly id: number;
  /**
   * The nodes that run here, inputs first. A `through` is in two tasks: it appends in the task that holds its input, and reads in the
   * task whose inputs name its topic; never both in one.
   */
  readonly nodes: readonly Node[];
  readonly inputs: readonly TaskInput[];
  readonly partitions: number;
  readonly stores: readonly TaskStore[];
  readonly outputs: readonly AnyTopic[];
  readonly sinks: readonly AnySink[];
  readonly source: AnySource | undefined;
}

/** The names of the topics or the source that a task reads; the number of an input is its index here. */
export const readBy = (task: Task): readonly string[] => (task.source === undefined ? task.inputs.map(({ topic }) => topic.name) : [task.source.name]);

export interface Plan {
  readonly name: string;
  /** Every node; its index is its number. */
  readonly nodes: readonly Node[];
  readonly tasks: readonly Task[];
  /** Every topic that is read or appended to, each once. */
  readonly topics: readonly AnyTopic[];
  readonly fingerprint: string;
  /** As the pipeline declares it. */
  readonly writes?: Writes | undefined;
}

/** Plans the pipeline, or throws a `STOPLOG_TOPOLOGY` that names the declaration to write instead. */
export const planOf = (pipeline: Pipeline): Plan => {
  const { name, ends, writes } = pipelineOf(pipeline);
  const nodes = numberNodes(ends);
  checkGraph(name, ends, nodes);
  checkCoPartitioning(nodes);
  const cuts = cutAtTopics(nodes);
  checkCycles(nodes, cuts);
  const plan = planFrom(name, nodes, cuts, ends, writes);
  checkSinks(plan.tasks);
  return plan;
};

/**
 * The part of a pipeline that makes some of its stores, with everything that leads to them and nothing that follows from them. It
 * appends only to the topics between its tasks.
 */
export const rebuildPlanOf = (pipeline: Pipeline, stores: readonly string[]): Plan => {
  const { name, ends, writes } = pipelineOf(pipeline);
  const owners = numberNodes(ends).filter((node) => node.stores?.some((store) => store.table === undefined && stores.includes(store.name)));
  const nodes = numberNodes(owners);
  return planFrom(name, nodes, cutAtTopics(nodes), owners, writes);
};

const planFrom = (name: string, nodes: readonly Node[], cuts: readonly Cut[], ends: readonly Node[], writes: Writes | undefined): Plan => {
  const tasks = cuts.map((cut, id) => taskOf(id, nodes, cut));
  const topics = uniqueByName(nodes.flatMap((node) => [node.reads?.topic, writtenTopic(node)].filter((topic) => topic !== undefined)));
  return Object.freeze({ name, nodes, tasks, topics, fingerprint: fingerprintOf(name, nodes, ends), writes });
};

const taskOf = (id: number, nodes: readonly Node[], cut: Cut): Task => {
  const inside = at(nodes, cut.nodes);
  const readers = at(nodes, cut.readers);
  const inputs = inputsOfTask(readers);
  return Object.freeze({
    id,
    nodes: inside,
    inputs,
    partitions: inputs[0]?.topic.partitions ?? 1,
    stores: uniqueByName(inside.flatMap((node) => node.stores ?? [])),
    outputs: uniqueByName(
      at(nodes, cut.writers)
        .map(writtenTopic)
        .filter((topic) => topic !== undefined),
    ),
    sinks: uniqueByName(at(nodes, cut.writers).flatMap(({ writes }) => (writes?.kind === 'sink' ? [writes] : []))),
    source: readers.find((node) => node.source !== undefined)?.source,
  });
};

const inputsOfTask = (readers: readonly Node[]): readonly TaskInput[] => {
  const reads = readers.map((node) => node.reads).filter((read) => read !== undefined);
  const through = new Set(reads.filter((read) => read.role === 'through').map((read) => read.topic.name));
  const inputs: readonly TaskInput[] = uniqueByName(reads.map(({ topic, role }) => ({ topic, role, name: topic.name }))).map(({ topic, role }) => ({
    topic,
    role: through.has(topic.name) ? 'through' : role,
  }));
  // At equal timestamps a table is read before the stream that is joined with it: a change and the record that needs it often have one
  // timestamp.
  return [...inputs.filter(({ role }) => role === 'table'), ...inputs.filter(({ role }) => role !== 'table')];
};

const at = (nodes: readonly Node[], numbers: readonly number[]): readonly Node[] => numbers.map((number) => nodes[number]).filter((node) => node !== undefined);

const uniqueByName = <T extends { readonly name: string }>(values: readonly T[]): readonly T[] => {
  const unique = new Map<string, T>();
  for (const value of values) if (!unique.has(value.name)) unique.set(value.name, value);
  return [...unique.values()];
};
