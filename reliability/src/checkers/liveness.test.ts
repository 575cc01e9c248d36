import { expect, test } from 'vitest';
import type { Event } from '../history/history.ts';
import { checkLiveness } from './liveness.ts';

const info = (op: 'start' | 'fault' | 'settled', at: number): Event => ({ type: 'info', op, process: 'p', what: `${op} at ${at}`, at });
test('settled in time after the last fault', () => {
  expect(checkLiveness([], 10)).toEqual([]);
  expect(checkLiveness([info('fault', 0), info('start', 5), info('settled', 15)], 10)).toEqual([]);
});
test('too late, or never, is stuck; a settling before the last fault says nothing', () => {
  expect(checkLiveness([info('fault', 0), info('settled', 11)], 10)).toMatchObject([{ kind: 'stuck' }]);
  expect(checkLiveness([info('settled', 1), info('fault', 2)], 10)).toMatchObject([{ kind: 'stuck' }]);
});
