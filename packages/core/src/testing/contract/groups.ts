/** Fencing, one owner, endings: who may move a group's positions, and how that ends. */
import { expect } from 'vitest';
import type { Assignment, Log } from '../../port/log.ts';
import { append, at, batchOf, commitOf, never, NOW, place, readAll, values, WHEN_THERE } from './setting.ts';
import type { Promises } from '../log-contract.ts';

const GROUP = 'workers';
const PLACES = [place(0), place(1)];

/** A member of the group: its next assignment when asked, and a way out. */
const member = (log: Log): { readonly next: () => Promise<Assignment>; readonly leave: () => Promise<void> } => {
  const leaving = new AbortController();
  const assignments = log.join(GROUP, PLACES, leaving.signal)[Symbol.asyncIterator]();
  return {
    next: async () => {
      const { done, value } = await assignments.next();
      if (done === true) throw new Error('the member was to be assigned something, and its join has ended');
      return value;
    },
    leave: async () => {
      leaving.abort();
      while ((await assignments.next()).done !== true);
    },
  };
};
const commitAs = (log: Log, epoch: number, text: string): Promise<unknown> =>
  log.commit(commitOf({ group: GROUP, epoch, appends: [{ ...place(), batch: batchOf([text]) }] }));

export const groups: Promises = (promise) => {
  promise('one owner: the first member gets the partitions, and a later one gets them when it leaves, in a later epoch', async ({ log, reopen }) => {
    const first = member(log);
    const held = await first.next();
    expect(held).toMatchObject({ group: GROUP, partitions: PLACES });
    const second = member(await reopen());
    let given = false;
    const waiting = second.next().then((assignment) => ((given = true), assignment));
    await commitAs(log, held.epoch, 'first');
    expect(given).toBe(false);
    await first.leave();
    const taken = await waiting;
    expect(taken.partitions).toEqual(PLACES);
    expect(taken.epoch).toBeGreaterThan(held.epoch);
    await second.leave();
  });
  promise('one owner: no two of many members hold the partitions in one epoch, and each gets its turn', async ({ log, reopen }) => {
    const logs = [log, await reopen()];
    const epochs: number[] = [];
    let holding = 0;
    const life = async (i: number): Promise<void> => {
      const me = member(logs[i % 2]!);
      const { epoch, partitions } = await me.next();
      expect(partitions).toEqual(PLACES);
      expect(++holding).toBe(1);
      epochs.push(epoch);
      await commitAs(logs[i % 2]!, epoch, `${i}`);
      holding--;
      await me.leave();
    };
    await Promise.all(Array.from({ length: 6 }, (_, i) => life(i)));
    expect(new Set(epochs).size).toBe(6);
    expect(epochs).toEqual([...epochs].sort((a, b) => a - b));
    expect(values(await readAll(log)).length).toBe(6);
  });
  promise('fencing: a commit under an epoch that is over is refused and leaves nothing behind', async ({ log }) => {
    const first = member(log);
    const { epoch: old } = await first.next();
    await commitAs(log, old, 'first');
    await first.leave();
    const second = member(log);
    const { epoch } = await second.next();
    await expect(commitAs(log, old, 'zombie')).rejects.toMatchObject({ code: 'STOPLOG_FENCED', facts: { epoch: old, current: epoch } });
    await commitAs(log, epoch, 'second');
    expect(values(await readAll(log))).toEqual(['first', 'second']);
    await second.leave();
  });
  promise('fencing: an append from outside belongs to no group, and nobody fences it', async ({ log }) => {
    const holder = member(log);
    await holder.next();
    await append(log, ['outside']);
    expect(values(await readAll(log))).toEqual(['outside']);
    await holder.leave();
  });
  promise('endings: aborting the signal ends a join without an error, whether it holds, waits, or has not begun', async ({ log }) => {
    const holder = member(log);
    await holder.next();
    const waiter = member(log);
    const waiting = waiter.next().catch((error: Error) => error.message);
    await append(log, ['meanwhile']);
    await waiter.leave();
    expect(await waiting).toContain('its join has ended');
    await holder.leave();
    for await (const assignment of log.join(GROUP, PLACES, AbortSignal.abort())) expect.fail(`assigned ${assignment.epoch} after the end`);
  });
  promise('endings: walking away from the assignments leaves the group too', async ({ log }) => {
    for await (const { partitions } of log.join(GROUP, PLACES, never)) {
      expect(partitions).toEqual(PLACES);
      break;
    }
    const next = member(log);
    expect((await next.next()).partitions).toEqual(PLACES);
    await next.leave();
  });
  promise('endings: aborting a waiting fetch gives no batches and no error', async ({ log }) => {
    const stop = new AbortController();
    const waiting = log.fetch(at(0n), WHEN_THERE, stop.signal);
    stop.abort();
    expect(await waiting).toMatchObject({ from: 0n, next: 0n, batches: [] });
    expect(await log.fetch(at(0n), WHEN_THERE, AbortSignal.abort())).toMatchObject({ batches: [] });
  });
  promise('endings: a closed log refuses by name, and closing it twice is closing it once', async ({ log, reopen }) => {
    const other = await reopen();
    await append(other, ['a']);
    await readAll(other);
    await other[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();
    const closed = { code: 'STOPLOG_LOG_UNAVAILABLE' };
    await expect(append(other, ['b'])).rejects.toMatchObject(closed);
    await expect(other.fetch(at(0n), NOW, never)).rejects.toMatchObject(closed);
    await expect(other.offsets([place()], 'latest')).rejects.toMatchObject(closed);
    await expect(other.committed(GROUP, [place()])).rejects.toMatchObject(closed);
    expect(values(await readAll(log))).toEqual(['a']);
  });
};
