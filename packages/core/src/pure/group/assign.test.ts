import { describe, expect, test } from 'vitest';
import { assign, type Worker } from './assign.ts';
import { unitName, type Unit } from './group-partition.ts';

const partitions = (topic: string, count: number): readonly Unit[] => Array.from({ length: count }, (_, partition) => [{ topic, partition }]);
const workers = (units: readonly Unit[], ...ids: readonly string[]): readonly Worker[] => ids.map((id) => ({ id, knows: new Set(units.map(unitName)) }));
const shares = (assignment: ReadonlyMap<string, string>, ids: readonly string[]): readonly (readonly string[])[] =>
  ids.map((id) => [...assignment].flatMap(([name, holder]) => (holder === id ? [name] : [])).sort());

describe('assignment of units to members', () => {
  test('the inputs of one task are assigned together: two topics of three partitions, two members, two units and one', () => {
    const units: readonly Unit[] = [0, 1, 2].map((partition) => ['t0', 't1'].map((topic) => ({ topic, partition })));
    expect(shares(assign(units, workers(units, 'C0', 'C1'), new Map()), ['C0', 'C1'])).toEqual([['t0[0] t1[0]', 't0[2] t1[2]'], ['t0[1] t1[1]']]);
  });
  test('each task is spread out: of two topics of three partitions neither member has a whole one', () => {
    const units = [...partitions('t0', 3), ...partitions('t1', 3)];
    expect(shares(assign(units, workers(units, 'C0', 'C1'), new Map()), ['C0', 'C1'])).toEqual([
      ['t0[0]', 't0[2]', 't1[1]'],
      ['t0[1]', 't1[0]', 't1[2]'],
    ]);
  });
  test('eight units and twelve members: eight members have one unit, four are idle', () => {
    const units = partitions('t', 8);
    const ids = Array.from({ length: 12 }, (_, i) => `m${i}`);
    expect(shares(assign(units, workers(units, ...ids), new Map()), ids).map(({ length }) => length)).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0]);
  });
  test('a member that joins gets its share, and the other units stay with their members', () => {
    const units = partitions('t', 6);
    const before = assign(units, workers(units, 'a', 'b'), new Map());
    const after = assign(units, workers(units, 'a', 'b', 'c'), before);
    expect(shares(after, ['a', 'b', 'c']).map(({ length }) => length)).toEqual([2, 2, 2]);
    expect([...after].filter(([name, id]) => before.get(name) !== id).map(([, id]) => id)).toEqual(['c', 'c']);
  });
  test('a member that leaves gives its units to the others, and nothing else moves', () => {
    const units = partitions('t', 6);
    const before = assign(units, workers(units, 'a', 'b', 'c'), new Map());
    const after = assign(units, workers(units, 'a', 'c'), before);
    expect([...after].filter(([name, id]) => before.get(name) !== id).map(([name]) => before.get(name))).toEqual(['b', 'b']);
    expect(shares(after, ['a', 'c']).map(({ length }) => length)).toEqual([3, 3]);
  });
  test('a unit is assigned only to members that declared it, and a unit that no member declared stays unassigned', () => {
    const [old, both, fresh] = [partitions('old', 1), partitions('both', 2), partitions('fresh', 1)];
    const [a] = workers([...old, ...both], 'a');
    const [b] = workers([...both, ...fresh], 'b');
    const found = assign([...old, ...both, ...fresh, ...partitions('unknown', 1)], [a!, b!], new Map());
    expect(shares(found, ['a', 'b'])).toEqual([
      ['both[1]', 'old[0]'],
      ['both[0]', 'fresh[0]'],
    ]);
  });
  test('the work grows with the units and not with their square: each unit is looked at a few times, even when half of them move', () => {
    let looks = 0;
    class Counted extends Set<string> {
      override has(name: string): boolean {
        looks++;
        return super.has(name);
      }
    }
    const units = ['t0', 't1', 't2', 't3'].flatMap((topic) => partitions(topic, 500));
    const knowing = (id: string): Worker => ({ id, knows: new Counted(units.map(unitName)) });
    const before = assign(units, [knowing('a')], new Map());
    looks = 0;
    expect(shares(assign(units, [knowing('a'), knowing('b')], before), ['a', 'b']).map(({ length }) => length)).toEqual([1_000, 1_000]);
    expect(looks).toBeLessThan(5 * units.length);
  });
  test('a group without members is no error', () => expect(assign(partitions('t', 2), [], new Map())).toEqual(new Map()));
});
