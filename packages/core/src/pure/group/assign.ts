/**
 * Assigns units to members: balance first, then as few moves as possible, then each task spread over the members.
 *
 * A member keeps the units that it has. Unassigned units go to the member with the fewest; then, while one member has two
 * more than another that could take one, a unit moves from the first to the second. So sizes end at most one apart, and no
 * unit moves without need. When several units or members would do, a unit goes to the member with the fewest units of its
 * task, so that the partitions of a busy task are spread over the processes. Nothing is random: equal members are served in
 * the given order.
 */
import { taskName, unitName, type Unit } from './group-partition.ts';

export interface Worker {
  readonly id: string;
  /** Names of the units that the member declared: no other unit can be assigned to it. */
  readonly knows: ReadonlySet<string>;
}
interface Had {
  readonly name: string;
  /** Grows with each unit that the member takes. */
  readonly at: number;
}
interface Load {
  readonly worker: Worker;
  /**
   * The member's units by task, in the order in which they were taken: a group may have ten thousand units, and a member may
   * give away thousands.
   */
  readonly has: Map<string, Had[]>;
  size: number;
}

/**
 * The member that each unit should be assigned to. `current` maps each unit to its present member; a unit that no member
 * declared has none.
 */
export const assign = (units: readonly Unit[], workers: readonly Worker[], current: ReadonlyMap<string, string>): ReadonlyMap<string, string> => {
  const loads = workers.map((worker): Load => ({ worker, has: new Map(), size: 0 }));
  const byId = new Map(loads.map((load) => [load.worker.id, load]));
  let taken = 0;
  const take = (load: Load, name: string, task: string): void => {
    const had = load.has.get(task) ?? [];
    load.has.set(task, had);
    had.push({ name, at: taken++ });
    load.size++;
  };
  const free: (readonly [name: string, task: string])[] = [];
  for (const unit of units) {
    const [name, task] = [unitName(unit), taskName(unit)];
    const holder = byId.get(current.get(name) ?? '');
    if (holder?.worker.knows.has(name) === true) take(holder, name, task);
    else free.push([name, task]);
  }
  for (const [name, task] of free) {
    const to = least(loads, name, task);
    if (to !== undefined) take(to, name, task);
  }
  while (moveOne(loads, take));
  return new Map(loads.flatMap(({ worker, has }) => [...has.values()].flat().map(({ name }) => [name, worker.id] as const)));
};

/**
 * The member with the fewest units among the members that know this unit, and among equals the one with the fewest units of
 * its task.
 */
const least = (loads: readonly Load[], name: string, task: string): Load | undefined =>
  loads
    .filter(({ worker }) => worker.knows.has(name))
    .reduce<Load | undefined>((best, load) => (best === undefined || compare(load, best, task) < 0 ? load : best), undefined);
const compare = (a: Load, b: Load, task: string): number => a.size - b.size || countOf(a, task) - countOf(b, task);
const countOf = ({ has }: Load, task: string): number => has.get(task)?.length ?? 0;

/**
 * Moves one unit from a member to one that has at least two fewer; false when there is none. Each move brings the sizes
 * closer, so the loop ends.
 */
const moveOne = (loads: readonly Load[], take: (to: Load, name: string, task: string) => void): boolean => {
  const from = [...loads].sort((a, b) => b.size - a.size);
  for (const giver of from) {
    for (const taker of from.toReversed()) {
      if (giver.size - taker.size < 2) break;
      const found = theirs(giver, taker);
      if (found === undefined) continue;
      const { task, index } = found;
      const [{ name }] = giver.has.get(task)!.splice(index, 1) as [Had];
      giver.size--;
      take(taker, name, task);
      return true;
    }
  }
  return false;
};
/**
 * Among the units that the taker knows: one of the task with the most units at the giver and the fewest at the taker, and of
 * these the last taken.
 */
const theirs = (giver: Load, taker: Load): { readonly task: string; readonly index: number } | undefined => {
  let best: { readonly task: string; readonly index: number } | undefined;
  let most = -Infinity;
  let latest = -Infinity;
  for (const [task, had] of giver.has) {
    const index = had.findLastIndex(({ name }) => taker.worker.knows.has(name));
    if (index < 0) continue;
    const difference = had.length - countOf(taker, task);
    const { at } = had[index]!;
    if (difference > most || (difference === most && at > latest)) [best, most, latest] = [{ task, index }, difference, at];
  }
  return best;
};
