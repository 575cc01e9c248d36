/** Fencing, one owner, undisturbed, endings: the promises of group membership and positions. */
import { expect } from 'vitest';
import type { Assignment, AssignedPartition, Log, Membership, TopicPartition } from '../../port/log.ts';
import { sourcePartition } from '../../pure/group/group-partition.ts';
import { append, at, batchOf, commitOf, never, NOW, place, readAll, values, WHEN_THERE, type Promises } from './setting.ts';

const GROUP = 'workers';
const PLACES = [place(0), place(1)];
/** A unit for each partition. */
const UNITS = PLACES.map((one) => [one]);

interface TestMember {
  readonly next: () => Promise<Assignment>;
  readonly leave: () => Promise<void>;
}
/** A member of the group: its next assignment on request, and a way to leave. */
const member = (log: Log, membership: Membership = { units: UNITS }): TestMember => {
  const leaving = new AbortController();
  const assignments = log.join(GROUP, membership, leaving.signal)[Symbol.asyncIterator]();
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
/** The next assignment with that many partitions; accepts the ones before it, as a member does that has nothing to end. */
const until = async ({ next }: TestMember, count: number): Promise<readonly AssignedPartition[]> => {
  for (;;) {
    const { partitions } = await next();
    if (partitions.length === count) return partitions;
  }
};
const places = (holdings: readonly AssignedPartition[]): readonly TopicPartition[] => holdings.map(({ topic, partition }) => ({ topic, partition }));
const epochOf = (holdings: readonly AssignedPartition[], partition: number): number => holdings.find((holding) => holding.partition === partition)!.epoch;
/** A commit that moves nothing, from the group's position. */
const commitAs = (log: Log, epoch: number, text: string, partition = 0): Promise<unknown> =>
  log.commit(commitOf({ group: GROUP, epoch, appends: [{ ...place(), batch: batchOf([text]) }], positions: [{ ...place(partition), from: 0n, to: 0n }] }));
const fenced = { code: 'STOPLOG_FENCED' };

export const groups: Promises = (promise) => {
  promise(
    'one owner: a member that is alone gets every partition, and another member gets its partitions in a later epoch when it leaves',
    async ({ log, reopen }) => {
      const first = member(log);
      const { group, partitions: held } = await first.next();
      expect([group, places(held)]).toEqual([GROUP, PLACES]);
      await commitAs(log, epochOf(held, 0), 'first');
      await first.leave();
      const second = member(await reopen());
      const { partitions: taken } = await second.next();
      expect(places(taken)).toEqual(PLACES);
      expect(epochOf(taken, 0)).toBeGreaterThan(epochOf(held, 0));
      await second.leave();
    },
  );
  promise('one owner: a partition that moves is revoked first, and assigned only when its holder has released it', async ({ log, reopen }) => {
    const first = member(log);
    const { partitions: all } = await first.next();
    const second = member(await reopen());
    expect((await second.next()).partitions).toEqual([]);
    let given = false;
    const waiting = second.next().then(({ partitions }) => ((given = true), partitions));
    const { partitions: kept } = await first.next();
    expect(kept.length).toBe(1);
    // The partition is being revoked and the member finishes its work: its commits are accepted, and no other member has the
    // partition.
    const moving = all.find(({ partition }) => partition !== kept[0]!.partition)!;
    await commitAs(log, moving.epoch, 'the last of it', moving.partition);
    expect(given).toBe(false);
    const goesOn = first.next();
    const taken = await waiting;
    expect(places(taken)).toEqual([place(moving.partition)]);
    await expect(commitAs(log, moving.epoch, 'late', moving.partition)).rejects.toMatchObject({
      ...fenced,
      facts: { epoch: moving.epoch, current: taken[0]!.epoch },
    });
    await commitAs(log, taken[0]!.epoch, 'the first of it', moving.partition);
    expect(values(await readAll(log))).toEqual(['the last of it', 'the first of it']);
    await second.leave();
    expect((await goesOn).partitions.length).toBe(2);
    await first.leave();
  });
  promise('one owner: of several partitions that move, the released ones are assigned without waiting for the rest', async ({ log, reopen }) => {
    const units = [...UNITS, [sourcePartition('ticks')], [sourcePartition('tocks')]];
    const first = member(log, { units });
    const { partitions: all } = await first.next();
    const second = member(await reopen(), { units });
    expect((await second.next()).partitions).toEqual([]);
    const assignment = await first.next();
    const kept = assignment.partitions;
    const [quick, slow] = all.filter((one) => !kept.some(({ topic, partition }) => topic === one.topic && partition === one.partition));
    const commitTo = (on: Log, { topic, partition, epoch }: AssignedPartition): Promise<unknown> =>
      on.commit(commitOf({ group: GROUP, epoch, positions: [{ topic, partition, from: 0n, to: 0n }] }));
    const waiting = second.next();
    // A partition that is not being revoked is not released by saying that its work has ended.
    await assignment.release([quick!, kept[0]!]);
    const given = (await waiting).partitions;
    expect(places(given)).toEqual(places([quick!]));
    await expect(commitTo(log, quick!)).rejects.toMatchObject(fenced);
    for (const one of [slow!, ...kept]) await commitTo(log, one);
    const rest = second.next();
    const goesOn = first.next();
    expect((await rest).partitions.length).toBe(2);
    await expect(commitTo(log, slow!)).rejects.toMatchObject(fenced);
    await second.leave();
    expect((await goesOn).partitions.length).toBe(4);
    await first.leave();
  });
  promise(
    'undisturbed: a partition that stays with a member stays in its epoch, and the commits on it continue while others come and go',
    async ({ log, reopen }) => {
      const first = member(log);
      await first.next();
      const second = member(await reopen());
      const taken = until(second, 1);
      const { partitions: kept } = await first.next();
      const again = first.next();
      await taken;
      await commitAs(log, kept[0]!.epoch, 'beside', kept[0]!.partition);
      await second.leave();
      const { partitions: all } = await again;
      expect(all).toContainEqual(kept[0]);
      expect(all.length).toBe(2);
      await commitAs(log, kept[0]!.epoch, 'alone', kept[0]!.partition);
      await first.leave();
    },
  );
  promise('one owner: many members come and go, each partition is held by one of them, and no member is left out', async ({ log, reopen }) => {
    const logs = [log, await reopen()];
    const holders = new Map<number, number>();
    const incarnation = async (i: number): Promise<void> => {
      const me = member(logs[i % 2]!);
      let held: readonly AssignedPartition[];
      do {
        held = (await me.next()).partitions;
      } while (held.length === 0);
      for (const { partition, epoch } of held) {
        expect(holders.get(partition) ?? 0).toBeLessThan(epoch);
        holders.set(partition, epoch);
      }
      await commitAs(logs[i % 2]!, held[0]!.epoch, `${i}`, held[0]!.partition);
      await me.leave();
    };
    await Promise.all(Array.from({ length: 6 }, (_, i) => incarnation(i)));
    expect(new Set(values(await readAll(log))).size).toBe(6);
  });
  promise('one owner: the places of a unit are assigned together, in one epoch, to one member', async ({ log, reopen }) => {
    const units = [[place(0), place(1)]];
    const first = member(log, { units });
    const { partitions: held } = await first.next();
    expect(places(held)).toEqual(PLACES);
    expect(epochOf(held, 0)).toBe(epochOf(held, 1));
    const second = member(await reopen(), { units });
    expect((await second.next()).partitions).toEqual([]);
    const taken = second.next();
    await first.leave();
    expect(places((await taken).partitions)).toEqual(PLACES);
    await second.leave();
  });
  promise(
    'one owner: each partition of a source is held by one member; its commits are fenced and its positions move like any other',
    async ({ log, reopen }) => {
      const feed = sourcePartition('feed');
      const other = sourcePartition('feed', 1);
      const commit = (epoch: number, from = 0n, to = from): Promise<unknown> =>
        log.commit(commitOf({ group: GROUP, epoch, appends: [{ ...place(), batch: batchOf(['in']) }], positions: [{ ...feed, from, to }] }));
      expect(await log.committed(GROUP, [feed])).toEqual([{ ...feed, offset: 0n }]);
      const first = member(log, { units: [[feed]] });
      const [held] = (await first.next()).partitions;
      expect(held).toMatchObject(feed);
      await commit(held!.epoch);
      await commit(held!.epoch, 0n, 812n);
      await expect(commit(held!.epoch, 0n, 900n)).rejects.toMatchObject(fenced);
      await commit(held!.epoch, 812n, 900n);
      expect(await (await reopen()).committed(GROUP, [other, feed])).toEqual([
        { ...other, offset: 0n },
        { ...feed, offset: 900n },
      ]);
      const second = member(await reopen(), { units: [[feed]] });
      expect((await second.next()).partitions).toEqual([]);
      const taken = second.next();
      await first.leave();
      const [given] = (await taken).partitions;
      await expect(commit(held!.epoch, 900n)).rejects.toMatchObject(fenced);
      await commit(given!.epoch, 900n, 901n);
      await second.leave();
    },
  );
  promise('fencing: a commit under an old epoch is refused and leaves nothing behind', async ({ log }) => {
    const first = member(log);
    const old = epochOf((await first.next()).partitions, 0);
    await commitAs(log, old, 'first');
    await first.leave();
    await expect(commitAs(log, old, 'held by no member')).rejects.toMatchObject({ ...fenced, facts: { epoch: old } });
    const second = member(log);
    const epoch = epochOf((await second.next()).partitions, 0);
    await expect(commitAs(log, old, 'zombie')).rejects.toMatchObject({ ...fenced, facts: { epoch: old, current: epoch } });
    await commitAs(log, epoch, 'second');
    expect(values(await readAll(log))).toEqual(['first', 'second']);
    await second.leave();
  });
  promise('fencing: a commit of a group names a position, since nothing else fences it', async ({ log }) => {
    await expect(log.commit(commitOf({ group: GROUP, appends: [{ ...place(), batch: batchOf(['never']) }] }))).rejects.toMatchObject({ code: 'STOPLOG_USAGE' });
    expect(values(await readAll(log))).toEqual([]);
  });
  promise('fencing: an append from outside belongs to no group, and is never fenced', async ({ log }) => {
    const holder = member(log);
    await holder.next();
    await append(log, ['outside']);
    expect(values(await readAll(log))).toEqual(['outside']);
    await holder.leave();
  });
  promise('static members: a member that rejoins has its partitions at once and in new epochs, and no other member is disturbed', async ({ log, reopen }) => {
    const stays = { units: UNITS, instanceId: 'a' };
    const first = member(log, stays);
    await first.next();
    const second = member(await reopen());
    const other = until(second, 1);
    const { partitions: before } = await first.next();
    const ending = first.next().catch(() => undefined);
    const beside = await other;
    await first.leave();
    await ending;
    // The member is pending rejoin: nothing has moved.
    const again = member(log, stays);
    const { partitions: after } = await again.next();
    expect(places(after)).toEqual(places(before));
    expect(after[0]!.epoch).toBeGreaterThan(before[0]!.epoch);
    await expect(commitAs(log, before[0]!.epoch, 'the older', before[0]!.partition)).rejects.toMatchObject(fenced);
    await commitAs(log, beside[0]!.epoch, 'beside', beside[0]!.partition);
    await commitAs(log, after[0]!.epoch, 'the newer', after[0]!.partition);
    await second.leave();
    await again.leave();
  });
  promise('static members: of two under one id the older is fenced, and does not rejoin', async ({ log, reopen }) => {
    const same = { units: UNITS, instanceId: 'a' };
    const older = member(log, same);
    const { partitions: held } = await older.next();
    const ended = older.next();
    const newer = member(await reopen(), same);
    const taken = newer.next();
    await expect(ended).rejects.toMatchObject({ ...fenced, facts: { group: GROUP, instanceId: 'a' } });
    expect(places((await taken).partitions)).toEqual(PLACES);
    await expect(commitAs(log, held[0]!.epoch, 'the older')).rejects.toMatchObject(fenced);
    await newer.leave();
  });
  promise('a unit of an unknown topic and a session of no time are refused by name', async ({ log }) => {
    const joins = (membership: Membership): Promise<unknown> => member(log, membership).next();
    await expect(joins({ units: [[place(0, 'nowhere')]] })).rejects.toMatchObject({ code: 'STOPLOG_TOPIC_UNKNOWN' });
    await expect(joins({ units: [[place(2)]] })).rejects.toMatchObject({ code: 'STOPLOG_USAGE' });
    await expect(joins({ units: [[place(0)], [place(0)]] })).rejects.toMatchObject({ code: 'STOPLOG_USAGE' });
    await expect(joins({ units: UNITS, instanceId: 'a b' })).rejects.toMatchObject({ code: 'STOPLOG_USAGE' });
    await expect(joins({ units: UNITS, sessionMs: 0 })).rejects.toMatchObject({ code: 'STOPLOG_USAGE' });
  });
  promise('endings: aborting the signal ends a join without an error, whether it holds partitions, waits, or has not begun', async ({ log }) => {
    const holder = member(log);
    await holder.next();
    const waiter = member(log);
    await waiter.next();
    const waiting = waiter.next().catch((error: Error) => error.message);
    await append(log, ['meanwhile']);
    await waiter.leave();
    expect(await waiting).toContain('its join has ended');
    await holder.leave();
    for await (const { partitions } of log.join(GROUP, { units: UNITS }, AbortSignal.abort())) expect.fail(`assigned ${partitions.length} after the end`);
  });
  promise('endings: a loop over the assignments that is left leaves the group too', async ({ log }) => {
    for await (const { partitions } of log.join(GROUP, { units: UNITS }, never)) {
      expect(places(partitions)).toEqual(PLACES);
      break;
    }
    const next = member(log);
    expect(places((await next.next()).partitions)).toEqual(PLACES);
    await next.leave();
  });
  promise('endings: closing the log leaves its groups, even when no next assignment is requested', async ({ log, reopen }) => {
    const other = await reopen();
    await member(other).next();
    const next = member(log);
    const taken = until(next, 2);
    await other[Symbol.asyncDispose]();
    expect(places(await taken)).toEqual(PLACES);
    await next.leave();
  });
  promise('endings: aborting a waiting fetch returns no batches and no error', async ({ log }) => {
    const stop = new AbortController();
    const waiting = log.fetch(at(0n), WHEN_THERE, stop.signal);
    stop.abort();
    expect(await waiting).toMatchObject({ from: 0n, next: 0n, batches: [] });
    expect(await log.fetch(at(0n), WHEN_THERE, AbortSignal.abort())).toMatchObject({ batches: [] });
  });
  promise('endings: a closed log refuses by name, and closing twice equals closing once', async ({ log, reopen }) => {
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
