/**
 * Order, tombstones, replay: the target compares the version of a record (its offset, then its index) with the version that it has for the
 * key. So it holds the newest value though the positions are another group's, as when a pipeline was renamed.
 */
import { expect } from 'vitest';
import { texts, write, type SinkPromises } from './setting.ts';

export const versions: SinkPromises = (promise) => {
  promise('latest: of several records of a key in a batch, the last one stays', async ({ open, read }) => {
    await write(await open(), 5, [0, 'a', 'one'], [1, 'a', 'two'], [1, 'a', 'three', 1], [2, 'b', 'four'], [3, 'b', null], [4, 'c', null], [4, 'c', 'five', 1]);
    expect(await texts({ read })).toEqual({ a: 'three', c: 'five' });
  });
  promise('latest: a key that was deleted gets a newer value, and is deleted again', async ({ open, read }) => {
    const writer = await open();
    await write(writer, 1, [0, 'a', 'one']);
    await write(writer, 2, [1, 'a', null]);
    expect(await texts({ read })).toEqual({});
    await write(writer, 3, [2, 'a', 'two']);
    expect(await texts({ read })).toEqual({ a: 'two' });
    await write(writer, 4, [3, 'a', null]);
    expect(await texts({ read })).toEqual({});
  });
  promise('latest: keys and texts with quotes, line ends and other scripts are written as they are', async ({ open, read }) => {
    const odd = ["it's", 'a "key"', 'line\nend', 'Zürich 東京 🦉', '%_\\', 'a/b?c#d'];
    await write(await open(), odd.length, ...odd.map((text, i) => [i, text, `${text}!`] as const));
    expect(await read()).toEqual(new Map(odd.map((text) => [text, { text: `${text}!` }])));
  });
  promise('order: an older record of another group never overwrites a newer one', async ({ open, read }) => {
    await write(await open(), 6, [5, 'a', 'new'], [5, 'b', 'new', 1]);
    const other = await open({ group: 'others' });
    await write(other, 4, [3, 'a', 'old']);
    await write(other, 6, [5, 'b', 'old', 0]);
    expect(await texts({ read })).toEqual({ a: 'new', b: 'new' });
    await write(other, 7, [6, 'a', 'newer']);
    expect(await texts({ read })).toEqual({ a: 'newer', b: 'new' });
  });
  promise('tombstones: an older value of another group does not bring a deleted key back', async ({ open, read }) => {
    await write(await open(), 6, [4, 'a', 'one'], [5, 'a', null]);
    await write(await open({ group: 'others' }), 5, [4, 'a', 'one']);
    expect(await texts({ read })).toEqual({});
  });
  promise('tombstones: a tombstone of a key that was never there keeps its older values out', async ({ open, read }) => {
    await write(await open(), 6, [5, 'a', null]);
    const other = await open({ group: 'others' });
    await write(other, 5, [4, 'a', 'old']);
    expect(await texts({ read })).toEqual({});
    await write(other, 7, [6, 'a', 'new']);
    expect(await texts({ read })).toEqual({ a: 'new' });
  });
  promise('tombstones: an older tombstone of another group does not delete a newer value', async ({ open, read }) => {
    await write(await open(), 6, [5, 'a', 'new']);
    await write(await open({ group: 'others' }), 5, [4, 'a', null]);
    expect(await texts({ read })).toEqual({ a: 'new' });
  });
  promise('replay: a full second replay in other batches changes nothing at any moment', async ({ open, read }) => {
    const lines = Array.from({ length: 40 }, (_, n) => [n, `k${n % 7}`, n % 5 === 4 ? null : `v${n}`] as const);
    const replay = async (group: string, size: number, check: () => Promise<void>): Promise<void> => {
      const writer = await open({ group });
      for (let from = 0; from < lines.length; from += size) {
        await write(writer, Math.min(from + size, lines.length), ...lines.slice(from, from + size));
        await check();
      }
    };
    await replay('writers', 8, async () => {});
    const after = await texts({ read });
    const latest = new Map(lines.map(([, key, text]) => [key, text]));
    expect(after).toEqual(Object.fromEntries([...latest].filter(([, text]) => text !== null)));
    const unchanged = async (): Promise<void> => expect(await texts({ read })).toEqual(after);
    await replay('writers', 3, unchanged);
    await replay('renamed', 3, unchanged);
  });
};
