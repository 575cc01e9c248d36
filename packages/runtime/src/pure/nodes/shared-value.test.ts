import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sizeOfValue } from '../actor/value-size.ts';
import { freezeDeep, sharedValue } from './shared-value.ts';

const isDeepFrozen = (value: unknown): boolean =>
  typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(isDeepFrozen));
const values = fc.jsonValue({ maxDepth: 2 });

describe('a frozen value', () => {
  test('all of it is frozen, and its size is the estimate for it', () => {
    fc.assert(
      fc.property(values, (value) => {
        const estimate = sizeOfValue(value);
        expect(freezeDeep(value)).toBe(estimate);
        expect(isDeepFrozen(value)).toBe(true);
        expect([freezeDeep(value), sharedValue(value)]).toEqual([estimate, value]);
      }),
    );
  });
  test('a large value that was frozen before has the same size the second time, also inside another one', () => {
    const list = Array.from({ length: 100 }, (_, n) => ({ n, text: 'x'.repeat(n) }));
    const table = Object.fromEntries(list.map((one) => [`key-${one.n}`, one]));
    for (const large of [list, table]) {
      const size = freezeDeep(large);
      expect(freezeDeep(large)).toBe(size);
      expect(freezeDeep({ large })).toBe(24 + 8 + size);
    }
  });
  test.each([
    ['bytes', new Uint8Array(3)],
    ['a date', new Date(0)],
    ['a map', new Map([['a', 1]])],
    ['an object of a class', new (class Counter {})()],
  ])('%s cannot be frozen, nor can what holds it', (_, one) => {
    for (const value of [one, { one }, [{ one }]]) {
      expect(freezeDeep(value)).toBeLessThan(0);
      expect(Object.isFrozen(value)).toBe(false);
    }
  });
});
