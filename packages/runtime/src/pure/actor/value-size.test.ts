import { expect, test } from 'vitest';
import { sizeOfValue } from './value-size.ts';

test('a value takes the memory of its texts, properties and objects', () => {
  expect(sizeOfValue('x'.repeat(100))).toBe(116);
  expect([sizeOfValue(5), sizeOfValue(null), sizeOfValue(undefined), sizeOfValue(true)]).toEqual([0, 0, 0, 0]);
  expect(sizeOfValue({ n: 1, text: 'four' })).toBe(24 + 2 * 8 + 16 + 4);
  expect(sizeOfValue(new Uint8Array(1_000))).toBe(1_024);
});
test('a long list is estimated from its beginning', () => {
  const row = { n: 1, text: 'x'.repeat(30) };
  const one = sizeOfValue(row);
  expect(sizeOfValue(Array.from({ length: 10_000 }, () => row))).toBeGreaterThan(10_000 * one);
  expect(sizeOfValue(Array.from({ length: 10_000 }, () => row))).toBeLessThan(10_000 * (one + 16));
});
