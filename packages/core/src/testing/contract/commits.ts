/** Atomicity, isolation, continuity: a commit is visible as a whole or not at all. */
import { expect } from 'vitest';
import type { StorePart } from '../../port/state-store.ts';
import { append, at, batchOf, commitOf, never, NOW, numbers, place, readAll, TOPIC, values, WHEN_THERE, type Promises } from './setting.ts';

const GROUP = 'copier';
const part: StorePart = { store: 'seen', partition: 0, group: GROUP, version: 1, fingerprint: 'f' };
const key = Buffer.from('k');
const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text));

export const commits: Promises = (promise) => {
  promise('atomicity: appends, store writes and positions of a commit become visible together', async ({ log }) => {
    const store = await log.store(part, never);
    const end = (await log.offsets([place(1)], 'latest'))[0]!.offset;
    const seen = log.fetch(at(end, 1), WHEN_THERE, never);
    const committed = log.commit(
      commitOf({
        group: GROUP,
        appends: [
          { ...place(0), batch: batchOf(['a']) },
          { ...place(1), batch: batchOf(['b']) },
        ],
        stores: [{ store: 'seen', partition: 0, keys: [key], values: [bytes('v')] }],
        positions: [
          { ...place(0), from: 0n, to: 0n },
          { ...place(1), from: 0n, to: 7n },
        ],
      }),
    );
    expect((await seen).batches.length).toBe(1); // a reader that sees one part of the commit sees all of it
    expect(values(await readAll(log, 0n, 0))).toEqual(['a']);
    expect(numbers(store.get(key))).toEqual([...bytes('v')]);
    expect(await log.committed(GROUP, [place(1)])).toEqual([at(7n, 1)]);
    await committed;
  });
  promise('atomicity: a refused commit leaves nothing behind, and its neighbours are committed', async ({ log }) => {
    const store = await log.store(part, never);
    const refused = commitOf({
      group: GROUP,
      epoch: 99,
      appends: [{ ...place(0), batch: batchOf(['never']) }],
      stores: [{ store: 'seen', partition: 0, keys: [key], values: [bytes('never')] }],
      positions: [{ ...place(0), from: 0n, to: 1n }],
    });
    const outcomes = await Promise.allSettled([append(log, ['before']), log.commit(refused), append(log, ['after'])]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(values(await readAll(log))).toEqual(['before', 'after']);
    expect(store.get(key)).toBeUndefined();
    expect(await log.committed(GROUP, [place(0)])).toEqual([at(0n)]);
  });
  promise('atomicity: a damaged batch refuses its whole commit, and no other', async ({ log }) => {
    const damaged = batchOf(['never']);
    damaged[30] = damaged[30]! ^ 1;
    const appends = [
      { ...place(0), batch: batchOf(['never']) },
      { ...place(1), batch: damaged },
    ];
    const outcomes = await Promise.allSettled([append(log, ['before']), log.commit(commitOf({ appends })), append(log, ['after'])]);
    expect(outcomes[1]).toMatchObject({ status: 'rejected', reason: { code: 'STOPLOG_LOG_CORRUPT' } });
    expect(values(await readAll(log))).toEqual(['before', 'after']);
  });
  promise('isolation: a waiting fetch is not woken with records of a refused commit', async ({ log }) => {
    const end = (await log.offsets([place()], 'latest'))[0]!.offset;
    const waiting = log.fetch(at(end), WHEN_THERE, never);
    await expect(
      log.commit(commitOf({ group: GROUP, epoch: 99, appends: [{ ...place(), batch: batchOf(['never']) }], positions: [{ ...place(), from: 0n, to: 0n }] })),
    ).rejects.toMatchObject({
      code: 'STOPLOG_FENCED',
    });
    await append(log, ['real']);
    const [view] = (await waiting).batches;
    expect(view!.next() && Buffer.from(view!.value()!).toString()).toBe('real');
  });
  promise('continuity: a position moves from its stored value; a move from elsewhere is refused whole', async ({ log }) => {
    const move = (from: bigint, to: bigint, text: string): Promise<unknown> =>
      log.commit(commitOf({ group: GROUP, appends: [{ ...place(1), batch: batchOf([text]) }], positions: [{ ...place(), from, to }] }));
    await move(0n, 3n, 'first');
    await expect(move(0n, 3n, 'again')).rejects.toMatchObject({ code: 'STOPLOG_FENCED', facts: { from: 0n, stands: 3n } });
    await expect(move(4n, 5n, 'ahead')).rejects.toMatchObject({ code: 'STOPLOG_FENCED', facts: { from: 4n, stands: 3n } });
    await move(3n, 5n, 'second');
    expect(values(await readAll(log, 0n, 1))).toEqual(['first', 'second']);
    expect(await log.committed(GROUP, [place()])).toEqual([at(5n)]);
  });
  promise('continuity: a move to the same offset is refused too when it does not start at the stored position', async ({ log }) => {
    const stay = (from: bigint): Promise<unknown> => log.commit(commitOf({ group: GROUP, positions: [{ ...place(), from, to: from }] }));
    await stay(0n);
    await log.commit(commitOf({ group: GROUP, positions: [{ ...place(), from: 0n, to: 3n }] }));
    await expect(stay(0n)).rejects.toMatchObject({ code: 'STOPLOG_FENCED', facts: { from: 0n, stands: 3n } });
    await stay(3n);
    expect(await log.committed(GROUP, [place()])).toEqual([at(3n)]);
  });
  promise('continuity: of two concurrent commits from the same position, one is committed', async ({ log }) => {
    const twins = ['one', 'two'].map((text) =>
      log.commit(commitOf({ group: GROUP, appends: [{ ...place(1), batch: batchOf([text]) }], positions: [{ ...place(), from: 0n, to: 1n }] })),
    );
    const outcomes = await Promise.allSettled(twins);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(values(await readAll(log, 0n, 1))).toEqual(['one']);
  });
  promise('chain: after a refused commit, no later commit of the same incarnation is accepted, even if its position matches', async ({ log }) => {
    const move = (incarnation: string, from: bigint, to: bigint): Promise<unknown> =>
      log.commit(
        commitOf({
          group: GROUP,
          incarnation: incarnation,
          appends: [{ ...place(1), batch: batchOf([`${incarnation} ${to}`]) }],
          positions: [{ ...place(), from, to }],
        }),
      );
    const fenced = { code: 'STOPLOG_FENCED' };
    await move('late', 0n, 3n);
    const [refused, made] = [move('next', 0n, 3n), move('next', 3n, 5n)];
    await Promise.all([expect(refused).rejects.toMatchObject(fenced), expect(made).rejects.toMatchObject(fenced)]);
    await expect(move('next', 3n, 5n)).rejects.toMatchObject(fenced);
    await move('another', 3n, 5n);
    expect(values(await readAll(log, 0n, 1))).toEqual(['late 3', 'another 5']);
  });
  promise('order: the first commit of a group keeps its place among the commits in flight', async ({ log }) => {
    const first = commitOf({ group: 'newcomer', appends: [{ ...place(), batch: batchOf(['group']) }], positions: [{ ...place(), from: 0n, to: 0n }] });
    await Promise.all([log.commit(first), append(log, ['outside'])]);
    expect(values(await readAll(log))).toEqual(['group', 'outside']);
  });
  promise('positions belong to one group and one partition; a position that was never committed is at the beginning', async ({ log }) => {
    await append(log, ['a', 'b']);
    await log.commit(commitOf({ group: GROUP, positions: [{ ...place(1), from: 0n, to: 2n }] }));
    expect(await log.committed(GROUP, [place(0), place(1)])).toEqual([at(0n, 0), at(2n, 1)]);
    expect(await log.committed('another', [place(1)])).toEqual([at(0n, 1)]);
  });
  promise('an empty commit is committed', async ({ log }) => {
    const { offsets, durable } = await log.commit(commitOf({}));
    await durable;
    expect(offsets).toEqual([]);
  });
  promise('an unknown topic, partition or store is refused by name', async ({ log }) => {
    const unknown = { code: 'STOPLOG_TOPIC_UNKNOWN', facts: { topic: 'nowhere' } };
    await expect(log.fetch(at(0n, 0, 'nowhere'), NOW, never)).rejects.toMatchObject(unknown);
    await expect(log.offsets([place(0, 'nowhere')], 'latest')).rejects.toMatchObject(unknown);
    await expect(log.commit(commitOf({ appends: [{ ...place(0, 'nowhere'), batch: batchOf(['a']) }] }))).rejects.toMatchObject(unknown);
    const nowhere = { code: 'STOPLOG_USAGE', facts: { topic: TOPIC, partition: 2, partitions: 2 } };
    await expect(log.fetch(at(0n, 2), NOW, never)).rejects.toMatchObject(nowhere);
    await expect(log.commit(commitOf({ appends: [{ ...place(2), batch: batchOf(['a']) }] }))).rejects.toMatchObject(nowhere);
    await expect(log.commit(commitOf({ stores: [{ store: 'unopened', partition: 0, keys: [key], values: [key] }] }))).rejects.toMatchObject({
      code: 'STOPLOG_USAGE',
    });
  });
};
