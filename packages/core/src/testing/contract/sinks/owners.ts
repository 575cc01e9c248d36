/** Owners: once a partition's newer owner has opened the sink, the older one is fenced, though it does not know of the other. */
import { expect } from 'vitest';
import { texts, write, type SinkPromises } from './setting.ts';

const FENCED = { code: 'STOPLOG_FENCED' } as const;

export const owners: SinkPromises = (promise) => {
  promise('owners: a newer owner fences the older one, which writes nothing more', async ({ open, read }) => {
    const older = await open({ epoch: 1 });
    await write(older, 1, [0, 'a', 'one']);
    const newer = await open({ epoch: 2 });
    expect(await newer.recover()).toBe(1n);
    await expect(write(older, 3, [2, 'a', 'late'])).rejects.toMatchObject(FENCED);
    expect(await texts({ read })).toEqual({ a: 'one' });
    await write(newer, 2, [1, 'a', 'two']);
    expect(await texts({ read })).toEqual({ a: 'two' });
    expect(await (await open({ epoch: 2 })).recover()).toBe(2n);
  });
  promise('owners: an older owner cannot open the sink any more', async ({ open }) => {
    await write(await open({ epoch: 7 }), 1, [0, 'a', 'one']);
    await expect(open({ epoch: 6 })).rejects.toMatchObject(FENCED);
  });
  promise('owners: the owners of other partitions and groups are not fenced', async ({ open, read }) => {
    const older = [await open({ partition: 1 }), await open({ group: 'others' })];
    await open({ epoch: 9 });
    for (const [i, writer] of older.entries()) await write(writer, 1, [0, `k${i}`, 'here']);
    expect(await texts({ read })).toEqual({ k0: 'here', k1: 'here' });
  });
};
