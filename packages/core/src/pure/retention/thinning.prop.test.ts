import fc from 'fast-check';
import { expect, test } from 'vitest';
import { movesOf, Thinning, type TimeEntry } from './thinning.ts';

/** A batch of one offset: its time, whether its record is still there, and whether a slice ends behind it. */
const batch = fc.record({ time: fc.nat(30), live: fc.boolean(), cut: fc.boolean() });

test('a search for any time finds the same record with the remaining entries, and a record is left between any two of them', () => {
  fc.assert(
    fc.property(fc.array(batch, { minLength: 1, maxLength: 30 }), (batches) => {
      const entries: (TimeEntry & { readonly time: number })[] = [];
      for (const [i, { time }] of batches.entries())
        if (time > (entries.at(-1)?.time ?? -1)) entries.push({ key: Buffer.from([time]), offset: BigInt(i), time });
      const thinning = new Thinning();
      const gone = new Set<Buffer>();
      for (let from = 0; from < batches.length;) {
        let to = from + 1;
        while (to < batches.length && !batches[to - 1]!.cut) to++;
        const within = (offset: bigint): boolean => offset >= BigInt(from) && offset < BigInt(to);
        const live = [...batches.entries()].filter(([i, { live }]) => live && within(BigInt(i))).map(([i]) => ({ base: BigInt(i), next: BigInt(i + 1) }));
        const slice = entries.filter(({ offset }) => within(offset));
        for (const { key } of thinning.take(slice, live)) gone.add(key);
        from = to;
      }
      const left = entries.filter(({ key }) => !gone.has(key));
      const search = (among: typeof entries, time: number): number => {
        const first = among.find((entry) => entry.time >= time);
        if (first === undefined) return batches.length;
        const found = batches.findIndex((one, i) => BigInt(i) >= first.offset && one.live && one.time >= time);
        return found < 0 ? batches.length : found;
      };
      for (let time = 0; time <= 31; time++) expect(search(left, time)).toBe(search(entries, time));
      for (const [i, entry] of left.slice(1).entries())
        expect(batches.some((one, at) => one.live && BigInt(at) >= left[i]!.offset && BigInt(at) < entry.offset)).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test('an entry follows its batch into an empty batch, also one that was merged before, and no other entry moves', () => {
  const key = (n: number): Buffer => Buffer.from([n]);
  const entries = [0n, 5n, 12n, 30n].map((offset, i) => ({ key: key(i), offset }));
  const batches = [
    { base: 0n, next: 5n },
    { base: 5n, next: 10n },
    { base: 10n, next: 20n },
    { base: 20n, next: 30n },
  ];
  expect(movesOf(entries, batches, new Map())).toEqual([{ key: key(2), offset: 10n }]);
  const heads = new Map([
    [0n, 0n],
    [5n, 0n],
    [10n, 0n],
  ]);
  expect(movesOf(entries, batches, heads)).toEqual([
    { key: key(1), offset: 0n },
    { key: key(2), offset: 0n },
  ]);
  expect(movesOf(entries, [], heads)).toEqual([]);
});
