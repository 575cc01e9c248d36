/**
 * Who of the members gets which unit: balance first, then as few moves as possible, then each task spread out.
 *
 * Who has a unit keeps it. What nobody has goes to whoever has the least; then, while one member has two more than another that
 * could do the same, the one gives the other a unit. So sizes end at most one apart, and no unit moves that did not
 * have to. Of several it could give or get, a unit goes where its task has the least, so that the partitions of a busy
 * task do not meet in one process. Nothing is random: equal members are served as they are given.
 */
import { taskName, unitName, type Unit } from './place.ts';

export interface Worker {
  readonly id: string;
  /** Names of the units that it declared: no other can be given to it. */
  readonly knows: ReadonlySet<string>;
}
interface Load {
  readonly worker: Worker;
  /** Units by name, and the task of each. */
  readonly has: Map<string, string>;
  readonly tasks: Map<string, number>;
}

/** The id of the member that each unit should be with. `current` names who has a unit now; a unit that nobody declared is with nobody. */
export const assign = (units: readonly Unit[], workers: readonly Worker[], current: ReadonlyMap<string, string>): ReadonlyMap<string, string> => {
  const loads = workers.map((worker): Load => ({ worker, has: new Map(), tasks: new Map() }));
  const byId = new Map(loads.map((load) => [load.worker.id, load]));
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
  while (moveOne(loads));
  return new Map(loads.flatMap(({ worker, has }) => [...has.keys()].map((name) => [name, worker.id] as const)));
};

const take = ({ has, tasks }: Load, name: string, task: string): void => {
  has.set(name, task);
  tasks.set(task, (tasks.get(task) ?? 0) + 1);
};
const give = ({ has, tasks }: Load, name: string, task: string): void => {
  has.delete(name);
  tasks.set(task, tasks.get(task)! - 1);
};

/** Who knows the unit and has the least, and of those the least of its task. */
const least = (loads: readonly Load[], name: string, task: string): Load | undefined =>
  loads
    .filter(({ worker }) => worker.knows.has(name))
    .reduce<Load | undefined>((best, load) => (best === undefined || compare(load, best, task) < 0 ? load : best), undefined);
const compare = (a: Load, b: Load, task: string): number => a.has.size - b.has.size || (a.tasks.get(task) ?? 0) - (b.tasks.get(task) ?? 0);

/** Moves one unit from a member to one that has at least two less; false when there is none. Each move brings the sizes nearer, so it ends. */
const moveOne = (loads: readonly Load[]): boolean => {
  const from = [...loads].sort((a, b) => b.has.size - a.has.size);
  for (const giver of from) {
    for (const taker of from.toReversed()) {
      if (giver.has.size - taker.has.size < 2) break;
      const found = theirs(giver, taker);
      if (found === undefined) continue;
      give(giver, ...found);
      take(taker, ...found);
      return true;
    }
  }
  return false;
};
/** Of what the taker knows, a unit of the task of which the giver has most and the taker least. */
const theirs = (giver: Load, taker: Load): readonly [name: string, task: string] | undefined => {
  let best: readonly [string, string] | undefined;
  let most = -Infinity;
  for (const [name, task] of giver.has) {
    if (!taker.worker.knows.has(name)) continue;
    const difference = giver.tasks.get(task)! - (taker.tasks.get(task) ?? 0);
    if (difference >= most) [best, most] = [[name, task], difference];
  }
  return best;
};
