import { compareBytes, encodeSortKey, serdeOf } from '@stoplog/core/kit';
import { MemoryPart } from '@stoplog/core/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { KeyMap } from './key-map.ts';
import { StoreOverlay, type Writes } from './overlay.ts';

const keys: readonly unknown[] = ['a', 'b', '__proto__', 1, -1, null, { x: 1 }, { x: 2 }, ['a']];
const key = fc.constantFrom(...keys);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('get' as const), key }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('set' as const), key, value: fc.oneof(fc.nat(9), fc.constant(null)) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('set bytes' as const), key, value: fc.nat(9) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('delete' as const), key }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('range' as const),
      from: fc.constantFrom('all', 'gte', 'gt'),
      key,
      end: fc.option(key),
      limit: fc.integer({ min: 1, max: 4 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('cut a commit' as const) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('a commit is done' as const) }) },
);

test('an overlay over a late store answers as a map would, after any sequence of reads, writes, cuts and commits', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), fc.integer({ min: 1, max: 4 }), (steps, limit) => {
      const below = new MemoryPart();
      const overlay = new StoreOverlay(below, serdeOf('json'), limit);
      const model = new KeyMap<unknown>();
      const underWay: { readonly commit: number; readonly writes: Writes }[] = [];
      let commits = 0;
      const done = (): void => {
        const oldest = underWay.shift();
        if (oldest === undefined) return;
        below.write(oldest.writes);
        overlay.onCommitted(oldest.commit);
      };
      const cut = (): void => {
        const commit = ++commits;
        underWay.push({ commit, writes: overlay.takeWrites(commit) });
      };
      const order = (a: unknown, b: unknown): number => compareBytes(encodeSortKey(a), encodeSortKey(b));
      const range = ({ from, key, end, limit }: { readonly from: string; readonly key: unknown; readonly end: unknown; readonly limit: number }): void => {
        const bounds = { ...(from === 'all' ? {} : { [from]: key }), ...(end === null ? {} : { lt: end }) };
        const inside = (one: unknown): boolean =>
          (from === 'all' || order(one, key) > 0 || (from === 'gte' && order(one, key) === 0)) && (end === null || order(one, end) < 0);
        const expected = keys
          .filter((one) => model.get(one) !== undefined && inside(one))
          .toSorted(order)
          .map((one) => [one, model.get(one)]);
        expect(overlay.range(bounds, limit)).toEqual(expected.slice(0, limit));
        expect(overlay.range(bounds, Infinity)).toEqual(expected);
      };
      for (const at of steps) {
        if (at.type === 'range') range(at);
        else if (at.type === 'get') expect(overlay.get(at.key)).toEqual(model.get(at.key));
        else if (at.type === 'cut a commit') cut();
        else if (at.type === 'a commit is done') done();
        else if (at.type === 'delete') {
          overlay.delete(at.key);
          model.delete(at.key);
        } else {
          if (at.type === 'set') overlay.set(at.key, at.value);
          else overlay.setBytes(at.key, Buffer.from(JSON.stringify(at.value)));
          model.set(at.key, at.value);
        }
      }
      for (const each of keys) expect(overlay.get(each)).toEqual(model.get(each));
      cut();
      while (underWay.length > 0) done();
      // Nothing was lost on the way down: a newly opened store holds the same.
      const opened = new StoreOverlay(below, serdeOf('json'));
      for (const each of keys) expect(opened.get(each)).toEqual(model.get(each));
    }),
    { numRuns: 500 },
  );
});
