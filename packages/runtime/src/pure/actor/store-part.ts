/**
 * How a task's store is called in the log. What a table keeps of its topic belongs to the pipeline that reads it: two
 * pipelines may join with one topic, each at its own pace.
 */
import type { StorePart } from '@stoplog/core/port';
import type { Plan, TaskStore } from '../topology/plan.ts';

export const storePart = (plan: Plan, store: TaskStore, partition: number): StorePart => ({
  store: store.table === undefined ? store.name : `${store.name}@${plan.name}`,
  partition,
  group: plan.name,
  version: store.version,
  fingerprint: store.fingerprint,
});
