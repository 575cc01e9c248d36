/** The lag of a pipeline in one log, for each topic that its tasks read. */
import type { PartitionLag } from '@stoplog/core';
import { readLag } from '@stoplog/core/kit';
import type { Plan } from '@stoplog/runtime/kit';
import type { TaskLag } from '../text/plan-text.ts';
import type { OpenedLog } from './log-argument.ts';

export const lagOf = async (plan: Plan, { log, topics }: OpenedLog): Promise<readonly TaskLag[]> => {
  const known = new Map(topics.map((shape) => [shape.name, shape.partitions]));
  const found: TaskLag[] = [];
  for (const { id, inputs } of plan.tasks) {
    for (const { topic } of inputs) {
      const partitions = known.get(topic.name);
      found.push({ task: id, topic: topic.name, parts: partitions === undefined ? undefined : await read(topic.name, partitions) });
    }
  }
  return found;

  function read(topic: string, partitions: number): Promise<readonly PartitionLag[]> {
    const places = Array.from({ length: partitions }, (_, partition) => ({ topic, partition }));
    return readLag(log, plan.name, places, Date.now);
  }
};
