/** What `stoplog describe` says besides the drawing: the stores, and all of it as data. */
import type { Plan, Task, TaskStore } from '@stoplog/runtime/kit';
import { columns } from './columns.ts';

/** A line for each store; none when there are none. */
export const storeLines = ({ tasks }: Plan): readonly string[] =>
  columns(tasks.flatMap((task) => task.stores.map((store) => ['  store', store.name, `task ${task.id}`, contents(store)])));

const contents = ({ table, version, store }: TaskStore): string =>
  table === undefined ? `version ${version}, ${store?.description ?? ''}` : `the latest value of each key of '${table.name}'`;

export const planData = (plan: Plan): unknown => ({
  pipeline: plan.name,
  fingerprint: plan.fingerprint,
  tasks: plan.tasks.map(taskData),
  topics: plan.topics.map(({ shape }) => shape),
});

const taskData = ({ id, partitions, inputs, outputs, stores, source }: Task): unknown => ({
  task: id,
  partitions,
  inputs: inputs.map(({ topic, role }) => ({ topic: topic.name, role })),
  ...(source === undefined ? {} : { source: source.name }),
  outputs: outputs.map(({ name }) => name),
  stores: stores.map(({ name, version, fingerprint, table, store }) => ({
    store: name,
    version,
    fingerprint,
    ...(table === undefined ? { description: store?.description } : { table: table.name }),
  })),
});
