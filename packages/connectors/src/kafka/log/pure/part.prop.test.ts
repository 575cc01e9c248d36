import { compareBytes } from '@stoplog/core/kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Part } from './part.ts';

const seed = Date.now() % 2 ** 31;

test(`a part answers as a sorted list of entries does (seed ${seed})`, () => {
  const key = fc.uint8Array({ maxLength: 3 });
  const put = fc.tuple(key, fc.option(fc.uint8Array({ maxLength: 2 })));
  const bounds = fc.record({ gte: key, gt: key, lt: key }, { requiredKeys: [] });
  fc.assert(
    fc.property(fc.array(put, { maxLength: 30 }), fc.array(fc.tuple(bounds, fc.nat({ max: 8 }))), fc.array(put, { maxLength: 5 }), (puts, ranges, later) => {
      const part = new Part();
      let model: readonly (readonly [Uint8Array, Uint8Array])[] = [];
      const apply = ([at, value]: readonly [Uint8Array, Uint8Array | null]): void => {
        part.put(at, value);
        const others = model.filter(([other]) => compareBytes(other, at) !== 0);
        model = value === null ? others : [...others, [at, value] as const].sort(([a], [b]) => compareBytes(a, b));
        expect(part.get(at)).toEqual(value ?? undefined);
      };
      const expectRanges = (): void => {
        for (const [{ gte, gt, lt }, limit] of ranges) {
          const within = model.filter(
            ([at]) =>
              (gte === undefined || compareBytes(at, gte) >= 0) &&
              (gt === undefined || compareBytes(at, gt) > 0) &&
              (lt === undefined || compareBytes(at, lt) < 0),
          );
          expect(part.range({ ...(gte && { gte }), ...(gt && { gt }), ...(lt && { lt }) }, limit)).toEqual(within.slice(0, limit));
        }
      };
      puts.forEach(apply);
      expectRanges();
      later.forEach(apply);
      expectRanges();
    }),
    { seed },
  );
});
