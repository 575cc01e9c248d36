import type { ResetLine } from '@stoplog/core/tools';
import { expect, test } from 'vitest';
import { resetIn, resetText, storesLeftBehind } from './reset-text.ts';

test('a reset policy is a word or a duration', () => {
  expect(['earliest', 'latest', 'fail', '2h', 'PT15M'].map(resetIn)).toEqual(['earliest', 'latest', 'fail', { ago: 7_200_000 }, { ago: 900_000 }]);
  expect(() => resetIn('never')).toThrow(/^--reset 'never' is no reset policy: give earliest, latest, a duration such as 2h, or fail$/);
});
test('a plan that moves nothing asks nobody to carry it out', () => {
  const line = { topic: 'orders', partition: 0, from: 3n, to: 3n, moves: 0n, clamped: undefined };
  expect(resetText([line], false)).toBe('nothing moves: the group is at these positions already, or would start at them');
  expect(resetText([{ ...line, to: 4n, moves: 1n }], false)).toMatch(/1 of 1 positions would be moved.*add --execute to do it$/);
});
test('a table is wrong when its topic was moved, any other store when anything was', () => {
  const line = (topic: string, moves: bigint): ResetLine => ({ topic, partition: 0, from: 3n, to: 3n + moves, moves, clamped: undefined });
  const stores = ['spent', 'table:customers@shop'];
  expect(storesLeftBehind(stores, [line('orders', -1n), line('customers', 0n)])).toEqual(['spent']);
  expect(storesLeftBehind(stores, [line('customers', 1n)])).toEqual(stores);
  expect(storesLeftBehind(stores, [line('orders', 0n)])).toEqual([]);
});
