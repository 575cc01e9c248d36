/**
 * Decides which stores of a pipeline must be rebuilt before they can serve: those with a raised version, new ones whose records the group
 * has read already, and those that return to a version which is still kept.
 *
 * What is wrong otherwise (another schema under the same version, a lower version that is not kept) is left to the log, which refuses it
 * when the store is opened.
 */
import type { Position } from '@stoplog/core/port';
import { partsOfShadow, partitionName, rebuildTag, type StoreVersion } from '@stoplog/core/kit';
import type { GroupDescription } from '@stoplog/core/tools';
import type { Plan } from '../topology/plan.ts';

export interface NeededStore {
  readonly store: string;
  /** The version that serves; undefined for a new store. */
  readonly from: number | undefined;
  readonly to: number;
  /** The serving values can be read by the declared schemas. */
  readonly isReadable: boolean;
}
export interface Needed {
  readonly stores: readonly NeededStore[];
  readonly tag: string;
  /** The tag under which what serves now is kept after the exchange; undefined when nothing serves yet. */
  readonly keptAs: string | undefined;
  /** The rebuild begins from what an earlier run, or an earlier exchange, has left. */
  readonly isBegun: boolean;
}

/** `groups` are those of the log, and `starts` are the first kept offsets of all inputs of the plan. Undefined when every store can serve. */
export const neededRebuild = (plan: Plan, groups: readonly GroupDescription[], starts: readonly Position[]): Needed | undefined => {
  const group = groups.find((one) => one.group === plan.name);
  if (group === undefined) return undefined;
  const begun = new Set(groups.flatMap(({ group: name }) => (partsOfShadow(name)?.name === plan.name ? [partsOfShadow(name)!.tag] : [])));
  const firsts = new Map(starts.map((start) => [partitionName(start), start.offset]));
  const read = new Set(group.positions.flatMap((at) => (at.offset > (firsts.get(partitionName(at)) ?? at.offset) ? [at.topic] : [])));

  const found = plan.tasks.flatMap((task) =>
    task.stores.flatMap(({ name, version, fingerprint, table }): readonly NeededStore[] => {
      if (table !== undefined) return [];
      const served = group.stores.find(({ store }) => store === name);
      if (served === undefined)
        return task.inputs.some(({ topic }) => read.has(topic.name)) ? [{ store: name, from: undefined, to: version, isReadable: false }] : [];
      if (served.version === version) return [];
      return [{ store: name, from: served.version, to: version, isReadable: served.fingerprint === fingerprint }];
    }),
  );
  const tagged = (stores: readonly NeededStore[]): string => rebuildTag(stores.map(({ store, to }) => ({ store, version: to })));
  // A version that was served before is right only if it is kept: its code is not this program's otherwise.
  const isLowered = ({ from, to }: NeededStore): boolean => from !== undefined && to < from;
  const stores = begun.has(tagged(found)) ? found : found.filter((store) => !isLowered(store));
  if (stores.length === 0) return undefined;
  const tag = tagged(stores);
  const served = stores.flatMap(({ store, from }): readonly StoreVersion[] => (from === undefined ? [] : [{ store, version: from }]));
  return { stores, tag, keptAs: served.length === 0 ? undefined : rebuildTag(served), isBegun: begun.has(tag) };
};

/** The tasks of the pipeline that wait until the rebuild is adopted: those that read what the rebuild reads. */
export const tasksOf = (plan: Plan, rebuild: Plan): ReadonlySet<number> => {
  const inputs = new Set(rebuild.tasks.flatMap((task) => task.inputs.map(({ topic }) => topic.name)));
  return new Set(plan.tasks.flatMap(({ id, inputs: own }) => (own.some(({ topic }) => inputs.has(topic.name)) ? [id] : [])));
};

/** The topics between the tasks of a rebuild. */
export const ownTopics = (rebuild: Plan): readonly string[] =>
  rebuild.tasks.flatMap(({ inputs }) => inputs.flatMap(({ role, topic }) => (role === 'through' ? [topic.name] : [])));

/** The topics that it reads, and does not fill. */
export const sourceTopics = (rebuild: Plan): readonly string[] =>
  rebuild.tasks.flatMap(({ inputs }) => inputs.flatMap(({ role, topic }) => (role === 'through' ? [] : [topic.name])));

/**
 * The own topics that the serving version must have read to their ends before they are replaced: their readers have effects, or stores,
 * that the rebuild does not make. Records that are left in the other topics are in the rebuilt stores.
 */
export const drainedTopics = (plan: Plan, rebuild: Plan): readonly string[] => {
  const made = new Set(rebuild.tasks.flatMap((task) => task.stores.map(({ name }) => name)));
  return ownTopics(rebuild).filter((topic) =>
    plan.tasks.some(
      (task) =>
        task.inputs.some((input) => input.topic.name === topic) &&
        (task.outputs.length > 0 || task.sinks.length > 0 || task.stores.some(({ name }) => !made.has(name))),
    ),
  );
};
