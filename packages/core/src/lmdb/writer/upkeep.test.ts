/** The work that the writer does by itself, by a clock that the test moves. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { timesOf } from '../tables/log-time.ts';
import { Cleanups } from '../tables/cleanups.ts';
import { openBareEnv, type BareEnv } from '../fixtures/bare-env.ts';
import { CallQueue } from './queue.ts';
import { Upkeep } from './upkeep.ts';

let bare: BareEnv;
beforeEach(() => {
  bare = openBareEnv();
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterEach(async () => {
  vi.useRealTimers();
  await bare.close();
});

test('the writer checks twice a minute whether the process is alone, after removing dead readers, and never when it is stopped', () => {
  const seen: string[] = [];
  const { env } = bare;
  vi.spyOn(env.root, 'readerCheck').mockImplementation(() => seen.push('check'));
  const queue = new CallQueue(env, bare.inTransaction, () => {});
  const upkeep = new Upkeep(
    env,
    queue,
    new Cleanups(
      env,
      timesOf(() => 0),
    ),
    { everyMs: Infinity },
    () => seen.push('look'),
  );
  upkeep.start();
  expect(seen).toEqual([]);
  vi.advanceTimersByTime(60_000);
  expect(seen).toEqual(['check', 'look', 'check', 'look']);
  upkeep.stop();
  vi.advanceTimersByTime(60_000);
  expect(seen).toHaveLength(4);
});
