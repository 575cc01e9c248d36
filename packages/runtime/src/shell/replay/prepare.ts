/**
 * Finds out whether stores of a pipeline must be rebuilt when it is run, and prepares their rebuild. Refuses one that would not find all
 * records again.
 */
import { type Millis, StoplogError } from '@stoplog/core';
import type { TopicPartition } from '@stoplog/core/port';
import { cleanupOf, type Tools } from '@stoplog/core/tools';
import { neededRebuild, tasksOf, type Needed } from '../../pure/replay/needed.ts';
import type { Plan, TaskInput } from '../../pure/topology/plan.ts';
import type { Rebuilding } from '../app.ts';
import { loadPlan } from '../load-plan.ts';
import { rebuild, type RebuildParts } from './rebuild.ts';

export interface RebuildOptions {
  /** How long the replaced version is kept, so that its program can take it up again; 7 days when left out. */
  readonly keep?: Millis;
  /** 'earliest': rebuilds from the records that are left, where retention or compaction has removed some. Left out, that is refused. */
  readonly from?: 'earliest';
  /** The threads that rebuild, besides those of the actors; 1 when left out, so that the pipeline beside it goes on. */
  readonly threads?: number;
}
const KEEP_MS = 7 * 24 * 3_600_000;

export type Preparing = Pick<RebuildParts, 'url' | 'plan' | 'ref' | 'log' | 'heapMb' | 'hangAfterMs' | 'sessionMs' | 'program' | 'report' | 'adopts'> & {
  readonly tools: Partial<Tools> | undefined;
  readonly options: RebuildOptions | undefined;
};

/** Undefined when every store of the plan can serve as it is, or when the log has no tools for a rebuild. */
export const prepareRebuild = async (preparing: Preparing): Promise<Rebuilding | undefined> => {
  const { url, plan, log, tools, options = {} } = preparing;
  const { groups, adoptRebuild } = tools ?? {};
  if (groups === undefined || adoptRebuild === undefined) return undefined;
  const described = await groups(log);
  const needed = neededRebuild(plan, described, await log.offsets(placesOf(plan.tasks.flatMap(({ inputs }) => inputs)), 'earliest'));
  if (needed === undefined) return undefined;
  const part = await loadPlan(
    url,
    needed.stores.map(({ store }) => store),
  );
  if (options.from === undefined && !needed.isBegun) await checkWhole(preparing, part, needed);
  const parts: RebuildParts = { ...preparing, part, needed, tools: { groups, adoptRebuild }, threads: options.threads ?? 1, keepMs: options.keep ?? KEEP_MS };
  return { needed, tasks: tasksOf(plan, part), run: (signal) => rebuild(parts, signal) };
};

const placesOf = (inputs: readonly TaskInput[]): readonly TopicPartition[] =>
  inputs.flatMap(({ topic }) => Array.from({ length: topic.partitions }, (_, partition) => ({ topic: topic.name, partition })));

/** Every record that the stores were folded from must still be there. */
const checkWhole = async ({ log, tools }: Preparing, part: Plan, { stores }: Needed): Promise<void> => {
  const inputs = part.tasks.flatMap((task) => task.inputs.filter(({ role }) => role !== 'through'));
  const names = stores.map(({ store }) => `'${store}'`).join(', ');
  const ways = `Run it with rebuild: { from: 'earliest' } to rebuild from what is left, or declare the version that serves`;
  for (const { topic, partition, offset } of await log.offsets(placesOf(inputs), 'earliest'))
    if (offset > 0n)
      throw new StoplogError(
        'STOPLOG_REBUILD',
        { stores: stores.map(({ store }) => store), topic, partition, start: offset },
        `store ${names} cannot be rebuilt whole: '${topic}' has lost its records before offset ${offset} of partition ${partition}. ${ways}`,
      );
  const compacted = inputs.filter(({ role, topic }) => role === 'stream' && cleanupOf(topic.shape).compacts).map(({ topic }) => topic.name);
  const cleanings = compacted.length === 0 ? [] : ((await tools?.cleanings?.(log, compacted)) ?? []);
  const cleaned = cleanings.find(({ last }) => last !== undefined);
  if (cleaned !== undefined)
    throw new StoplogError(
      'STOPLOG_REBUILD',
      { stores: stores.map(({ store }) => store), topic: cleaned.topic },
      `store ${names} cannot be rebuilt whole: compaction has removed earlier records of keys from '${cleaned.topic}'. ${ways}`,
    );
};
