import { expect, test } from 'vitest';
import { RebuildRate } from './progress.ts';

test('the time left follows the rate of the last ten seconds, and the total may grow', () => {
  const rate = new RebuildRate();
  expect(rate.look(0, 0, 1_000)).toEqual({ done: 0, total: 1_000, perSecond: 0, secondsLeft: undefined });
  expect(rate.look(1_000, 10, 1_000)).toMatchObject({ perSecond: 10, secondsLeft: 99 });
  // After a slow start of a second it goes at 100 a second.
  for (let second = 2; second <= 12; second++) rate.look(second * 1_000, 10 + 100 * (second - 1), 2_000);
  expect(rate.look(13_000, 1_210, 2_010)).toMatchObject({ perSecond: 100, secondsLeft: 8 });
});
test('a rebuild of a topic without records is done at once', () => {
  expect(new RebuildRate().look(5, 0, 0)).toMatchObject({ done: 0, total: 0, secondsLeft: 0 });
});
