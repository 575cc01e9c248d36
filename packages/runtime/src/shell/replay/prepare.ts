/**
 * Finds out whether stores of a pipeline must be rebuilt when it is run, and prepares their rebuild. Refuses one that would not find all
 * records again.
 */
import { type Millis, StoplogError } from '@stoplog/core';
import type { Log, TopicPartition } from '@stoplog/core/port';
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

export type Preparing = Pick<RebuildParts, 'url' | 'plan' | 'ref' | 'log' | 'heapMb' | 'hangAfterMs' | 'sessionMs' | 'program' | 'report'> & {
  readonly tools: Partial<Tools> | undefined;
  readonly options: RebuildOptions | undefined;
};
export type Planned = Pick<RebuildParts, 'part' | 'needed' | 'tools' | 'threads' | 'keepMs'> & {
  /** The records to replay, of those topics that the rebuild does not fill by itself. */
  readonly records: number;
};

/** Undefined when every store of the plan can serve as it is, or when the log has no tools for a rebuild. */
export const prepareRebuild = async (preparing: Preparing): Promise<Rebuilding | undefined> => {
  const planned = await planRebuild(preparing);
  if (planned === undefined) return undefined;
  const parts: RebuildParts = { ...preparing, ...planned };
  return { needed: planned.needed, tasks: tasksOf(preparing.plan, planned.part), run: (signal) => rebuild(parts, signal) };
};
type Planning = Pick<Preparing, 'url' | 'plan' | 'log' | 'tools' | 'options'>;
export const planRebuild = async (planning: Planning): Promise<Planned | undefined> => {
  const { url, plan, log, tools, options = {} } = planning;
  const { groups, adoptRebuild } = tools ?? {};
  if (groups === undefined || adoptRebuild === undefined) return undefined;
  const there = new Set((await tools?.topics?.(log))?.map(({ name }) => name));
  const inputs = plan.tasks.flatMap((task) => task.inputs).filter(({ topic }) => there.has(topic.name));
  const needed = neededRebuild(plan, await groups(log), await log.offsets(placesOf(inputs), 'earliest'));
  if (needed === undefined) return undefined;
  const part = await loadPlan(
    url,
    needed.stores.map(({ store }) => store),
  );
  if (options.from === undefined && !needed.isBegun) await checkWhole(planning, part, needed);
  return {
    part,
    needed,
    tools: { groups, adoptRebuild },
    threads: options.threads ?? 1,
    keepMs: options.keep ?? KEEP_MS,
    records: await recordsIn(log, plan, part),
  };
};

/** The records that the serving group has processed, and are still there. */
const recordsIn = async (log: Log, plan: Plan, part: Plan): Promise<number> => {
  const places = placesOf(part.tasks.flatMap(({ inputs }) => inputs.filter(({ role }) => role !== 'through')));
  const starts = await log.offsets(places, 'earliest');
  return (await log.committed(plan.name, places)).reduce((sum, { offset }, i) => sum + Math.max(0, Number(offset - starts[i]!.offset)), 0);
};

const placesOf = (inputs: readonly TaskInput[]): readonly TopicPartition[] =>
  inputs.flatMap(({ topic }) => Array.from({ length: topic.partitions }, (_, partition) => ({ topic: topic.name, partition })));

/** Every record that the stores were folded from must still be there. */
const checkWhole = async ({ log, tools }: Planning, part: Plan, { stores }: Needed): Promise<void> => {
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
