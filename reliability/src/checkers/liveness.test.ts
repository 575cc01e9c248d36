import { expect, test } from 'vitest';
import type { Event } from '../history/history.ts';
import { checkLiveness } from './liveness.ts';

const info = (op: 'start' | 'fault' | 'settled', at: number): Event => ({ type: 'info', op, process: 'p', what: `${op} at ${at}`, at });
test('work that is settled in time after the last fault has no finding', () => {
  expect(checkLiveness([], 10)).toEqual([]);
  expect(checkLiveness([info('fault', 0), info('start', 5), info('settled', 15)], 10)).toEqual([]);
});
test('settling too late, or never, is stuck; settling before the last fault does not count', () => {
  expect(checkLiveness([info('fault', 0), info('settled', 11)], 10)).toMatchObject([{ kind: 'stuck' }]);
  expect(checkLiveness([info('settled', 1), info('fault', 2)], 10)).toMatchObject([{ kind: 'stuck' }]);
});
