/**
 * A unit is a part of a pipeline that is assigned to one process: a task at a partition, with all partitions that its actor reads.
 *
 * The processes of a group share units, not partitions: an actor that joins two topics needs the same partition of both. A partition of a
 * source is a unit, too.
 */
import type { TopicPartition } from '@stoplog/core/port';
import { sourcePartition } from '@stoplog/core/kit';
import type { Plan, Task } from '../topology/plan.ts';

export interface Unit {
  readonly name: string;
  readonly task: Task;
  readonly partition: number;
  /** The topic partitions that are assigned together with the unit. */
  readonly places: readonly TopicPartition[];
}

export const actorName = ({ task, partition }: { readonly task: number; readonly partition: number }): string => `${task}:${partition}`;

/** Every unit of a pipeline, task by task. */
export const unitsOf = (plan: Plan): readonly Unit[] =>
  plan.tasks.flatMap((task) =>
    Array.from({ length: task.partitions }, (_, partition) => ({
      name: actorName({ task: task.id, partition }),
      task,
      partition,
      places: task.source === undefined ? task.inputs.map(({ topic }) => ({ topic: topic.name, partition })) : [sourcePartition(task.source.name, partition)],
    })),
  );
