/**
 * How the processes of one folder share its write lock: counted in records, so that the speed of the machine does not matter.
 *
 * Each process appends to one partition in a loop. The offsets are the order in which the processes got the lock.
 */
import { openPort } from '@stoplog/core/kit';
import { lmdb } from '@stoplog/core/lmdb';
import { describe, expect, test } from 'vitest';
import { readLetters, start, withFolder } from '../fixtures/child.ts';

interface Racer {
  /** Appends under way at the same time. */
  readonly lanes: number;
  readonly bytes: number;
}
const ONE_SMALL: Racer = { lanes: 1, bytes: 100 };
/** More than a transaction of the writer takes: its queue is never empty. */
const MANY_LARGE: Racer = { lanes: 60, bytes: 200_000 };

/** The processes append until the partition has `end` records. Returns the process of each record, in the order of the offsets. */
const race = (racers: readonly Racer[], end: number): Promise<readonly number[]> =>
  withFolder(async (path) => {
    const children = racers.map(({ lanes, bytes }, i) => start('racer', path, String(i), String(lanes), String(bytes), String(end)));
    await Promise.all(children.map((child) => child.said('ready')));
    for (const child of children) child.process.stdin!.write('go\n');
    for (const { code, errors } of await Promise.all(children.map(({ ended }) => ended))) expect([code, errors]).toEqual([0, '']);
    await using log = await openPort(lmdb(path));
    return (await readLetters(log)).slice(0, end).map(({ text }) => Number(text.split('.')[0]));
  });

/** The most records of other processes between two of this one. */
const longestWait = (order: readonly number[], racer: number): number => {
  let [longest, wait] = [0, 0];
  for (const one of order) {
    wait = one === racer ? 0 : wait + 1;
    longest = Math.max(longest, wait);
  }
  return longest;
};

describe('processes that append to one folder in a loop', () => {
  test.each([2, 4])(
    '%i of them get like shares of the write lock',
    async (processes) => {
      const order = await race(
        Array.from({ length: processes }, () => ONE_SMALL),
        1_000,
      );
      const shares = Array.from({ length: processes }, (_, i) => order.filter((one) => one === i).length);
      expect(Math.max(...shares) / Math.min(...shares), `shares ${shares.join(', ')}`).toBeLessThanOrEqual(20);
      for (let i = 0; i < processes; i++) expect(longestWait(order, i), `the longest wait of process ${i}, in records`).toBeLessThanOrEqual(250);
    },
    20_000,
  );

  test('one of them gets its turn beside another whose queue is never empty', async () => {
    const order = await race([ONE_SMALL, MANY_LARGE], 600);
    // Twenty large records share a transaction: ten transactions at most.
    expect(longestWait(order, 0), 'the longest wait, in records').toBeLessThanOrEqual(200);
    expect(order.filter((one) => one === 0).length).toBeGreaterThanOrEqual(4);
  }, 20_000);
});
