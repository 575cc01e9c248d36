/**
 * Finds the topics whose records a store is made of, by walking back from the node that owns the store to the topics that its task reads.
 *
 * A task holds all nodes between two topics, so the walk ends at the nearest topics. Inside a task no verb changes a key: the records of a
 * key of the store have this key in each of these topics, and lie in the key's partition. Behind a `rekey` that is the topic of its
 * `through`. Tables that are joined on the way count, because their values reach the store.
 */
import { StoplogError } from '@stoplog/core';
import type { Node } from '../nodes/node.ts';
import type { Plan, Task, TaskInput, TaskStore } from './plan.ts';

export interface Ancestry {
  readonly task: Task;
  readonly store: TaskStore;
  /** In the order in which the task reads them at equal timestamps. */
  readonly inputs: readonly TaskInput[];
}

/** The ancestry of a store of the plan, or of the store `table:TOPIC` that a table keeps. */
export const ancestryOf = (plan: Plan, name: string): Ancestry => {
  const isIt = (store: TaskStore): boolean => store.name === name;
  const task = plan.tasks.find(({ stores }) => stores.some(isIt));
  const store = task?.stores.find(isIt);
  if (task === undefined || store === undefined) throw unknown(plan, name);
  const topics = topicsBehind(plan.nodes.filter((node) => node.stores?.some(isIt)));
  return { task, store, inputs: task.inputs.filter(({ topic }) => topics.has(topic.name)) };
};

const topicsBehind = (owners: readonly Node[]): ReadonlySet<string> => {
  const topics = new Set<string>();
  const seen = new Set<Node>(owners);
  // A set that grows while it is walked: each node is visited once.
  for (const node of seen) {
    if (node.reads !== undefined) topics.add(node.reads.topic.name);
    else for (const input of node.inputs) seen.add(input);
  }
  return topics;
};

const unknown = (plan: Plan, store: string): StoplogError => {
  const there = plan.tasks.flatMap(({ stores }) => stores.map(({ name }) => `'${name}'`));
  return new StoplogError(
    'STOPLOG_USAGE',
    { store, pipeline: plan.name },
    `pipeline '${plan.name}' has no store '${store}': it has ${there.join(', ') || 'none'}`,
  );
};
