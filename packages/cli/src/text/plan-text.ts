/** The text beside the drawing of a plan: its stores and its lag in a log; and the whole plan as data. */
import type { PartitionLag } from '@stoplog/core';
import { grouped, type Plan, secondsText, type Task, type TaskStore } from '@stoplog/runtime/kit';
import { columns } from './columns.ts';
import { ageIn, lagIn } from './group-text.ts';

export interface TaskLag {
  readonly task: number;
  readonly topic: string;
  /** Undefined while the topic is missing in the log: the first run of the pipeline makes it. */
  readonly parts: readonly PartitionLag[] | undefined;
}

/** A line for each store. */
export const storeLines = ({ tasks }: Plan): readonly string[] =>
  columns(tasks.flatMap((task) => task.stores.map((store) => ['  store', store.name, `task ${task.id}`, contents(store)])));

const contents = ({ table, version, store }: TaskStore): string =>
  table === undefined ? `version ${version}, ${store?.description ?? ''}` : `the latest value of each key of '${table.name}'`;

/** A line for each topic that a task reads. */
export const lagLines = (lags: readonly TaskLag[]): readonly string[] =>
  columns(
    [
      ['TASK', 'READS', 'LAG', 'OLDEST'],
      ...lags.map(({ task, topic, parts }) => {
        if (parts === undefined) return [String(task), topic, '–', 'not there yet'];
        return [String(task), topic, grouped(lagIn(parts)), lagIn(parts) === 0 ? '–' : secondsText(ageIn(parts) / 1000)];
      }),
    ],
    [2, 3],
  );

/** With `lags`, each input has its lag; null where the log has no such topic. */
export const planData = (plan: Plan, lags: readonly TaskLag[] = []): unknown => ({
  pipeline: plan.name,
  fingerprint: plan.fingerprint,
  tasks: plan.tasks.map((task) => taskData(task, lags)),
  topics: plan.topics.map(({ shape }) => shape),
});

const taskData = ({ id, partitions, inputs, outputs, stores, source }: Task, lags: readonly TaskLag[]): unknown => ({
  task: id,
  partitions,
  inputs: inputs.map(({ topic, role }) => ({ topic: topic.name, role, ...lagData(lags.find((lag) => lag.task === id && lag.topic === topic.name)) })),
  ...(source === undefined ? {} : { source: source.name }),
  outputs: outputs.map(({ name }) => name),
  stores: stores.map(({ name, version, fingerprint, table, store }) => ({
    store: name,
    version,
    fingerprint,
    ...(table === undefined ? { description: store?.description } : { table: table.name }),
  })),
});

const lagData = (lag: TaskLag | undefined): object => {
  if (lag === undefined) return {};
  return lag.parts === undefined ? { lag: null, lagSeconds: null } : { lag: lagIn(lag.parts), lagSeconds: ageIn(lag.parts) / 1000 };
};
