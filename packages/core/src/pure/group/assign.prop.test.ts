import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assign } from './assign.ts';
import { unitName, type Unit } from './group-partition.ts';

const counts = (of: Iterable<string>, ids: readonly string[]): readonly number[] => {
  const all = [...of];
  return ids.map((id) => all.filter((one) => one === id).length);
};
/** The fewest possible moves: the members with the most units keep the surplus unit. */
const fewest = (held: readonly number[], units: number): number => {
  const share = Math.floor(units / held.length);
  const more = units % held.length;
  return [...held].sort((a, b) => b - a).reduce((sum, has, i) => sum + Math.max(0, has - (i < more ? share + 1 : share)), 0);
};

describe('assignment of units over any previous assignment', () => {
  test('every unit is assigned, sizes differ by one at most, as few units as possible move, and a second run moves none', () => {
    const cases = fc.record({ members: fc.integer({ min: 1, max: 12 }), holders: fc.array(fc.option(fc.nat(13), { nil: undefined }), { maxLength: 40 }) });
    fc.assert(
      fc.property(cases, ({ members, holders }) => {
        const ids = Array.from({ length: members }, (_, i) => `m${i}`);
        const units = holders.map((_, i): Unit => [{ topic: `t${i % 3}`, partition: i }]);
        const knows = new Set(units.map(unitName));
        const workers = ids.map((id) => ({ id, knows }));
        const current = new Map(holders.flatMap((holder, i) => (holder === undefined ? [] : [[unitName(units[i]!), `m${holder}`] as const])));
        const found = assign(units, workers, current);
        expect(found.size).toBe(units.length);
        const sizes = counts(found.values(), ids);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
        const moved = [...current].filter(([name, id]) => ids.includes(id) && found.get(name) !== id).length;
        expect(moved).toBe(fewest(counts(current.values(), ids), units.length));
        expect(assign(units, workers, found)).toEqual(found);
      }),
      { numRuns: 500 },
    );
  });
});
