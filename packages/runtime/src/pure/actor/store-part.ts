/**
 * Names a task's stores in the log. The store of a table belongs to the pipeline that reads the topic: two pipelines may join with one
 * topic, each at its own pace.
 */
import type { StorePart, TopicUse } from '@stoplog/core/port';
import type { Plan, Task, TaskStore } from '../topology/plan.ts';

export const storePart = (plan: Plan, store: TaskStore, partition: number): StorePart => ({
  store: store.table === undefined ? store.name : `${store.name}@${plan.name}`,
  partition,
  group: plan.name,
  version: store.version,
  fingerprint: store.fingerprint,
});

/** The stores of a task as they are opened before anything runs. A new store is refused when the records that fill it were read already. */
export const newStoreParts = (plan: Plan, task: Task): readonly StorePart[] =>
  task.stores.map((store) => ({ ...storePart(plan, store, 0), filledFrom: task.inputs.map(({ topic }) => topic.name) }));

/** The pipeline's use of its topics: it owns the topics of its own `through`, and appends to the others that its ends name. */
export const topicUse = ({ name, tasks }: Plan): TopicUse => {
  const owns = new Set(tasks.flatMap(({ inputs }) => inputs.filter(({ role }) => role === 'through').map(({ topic }) => topic.name)));
  const outputs = new Set(tasks.flatMap((task) => task.outputs.map((topic) => topic.name)));
  return { group: name, owns: [...owns], appends: [...outputs].filter((topic) => !owns.has(topic)) };
};
