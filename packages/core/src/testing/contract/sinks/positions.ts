/** Position, once: the position in the target says which records are there, and a record that is there is not written again. */
import { expect } from 'vitest';
import { batch, never, texts, write, type SinkPromises } from './setting.ts';

export const positions: SinkPromises = (promise) => {
  promise('position: an empty target has no position', async ({ open }) => {
    expect(await (await open()).recover()).toBeUndefined();
  });
  promise('position: after a write, a new incarnation finds its records and its position', async ({ open, read }) => {
    await write(await open(), 3, [0, 'a', 'one'], [2, 'b', 'two']);
    expect(await (await open()).recover()).toBe(3n);
    expect(await texts({ read })).toEqual({ a: 'one', b: 'two' });
  });
  promise('position: a batch without records moves the position', async ({ open }) => {
    const writer = await open();
    await write(writer, 3, [2, 'a', 'one']);
    await write(writer, 9);
    expect(await (await open()).recover()).toBe(9n);
  });
  promise('position: large offsets and positions are kept exactly', async ({ open, read }) => {
    const large = 9_007_199_254_740_993n; // as a number it would be equal to the offset before it
    const [last] = batch(0, [0, 'a', 'one']).records;
    await (
      await open()
    ).write(
      {
        position: large + 2n,
        records: [
          { ...last!, offset: large - 1n },
          { ...last!, offset: large, value: { text: 'two' } },
        ],
      },
      never,
    );
    expect(await (await open()).recover()).toBe(large + 2n);
    const other = await open({ group: 'others' });
    await other.write({ position: large, records: [{ ...last!, offset: large - 1n }] }, never);
    expect(await texts({ read })).toEqual({ a: 'two' });
  });
  promise('position: each partition, each topic and each group has its own', async ({ open }) => {
    const others = [{}, { partition: 1 }, { topic: 'cards' }, { group: 'others' }];
    for (const [i, start] of others.entries()) await write(await open(start), 10 + i, [i, `k${i}`, 'here']);
    for (const [i, start] of others.entries()) expect(await (await open(start)).recover()).toBe(BigInt(10 + i));
  });
  promise('partitions: two partitions are written at the same time, and neither disturbs the other', async ({ open, read }) => {
    const [first, second] = [await open({ partition: 0 }), await open({ partition: 1 })];
    for (let n = 0; n < 10; n++)
      await Promise.all([write(first, n + 1, [n, 'a', `a${n}`]), write(second, n + 1, [n, 'b', `b${n}`], [n, 'c', n % 2 === 0 ? 'there' : null, 1])]);
    expect(await texts({ read })).toEqual({ a: 'a9', b: 'b9' });
  });
  promise('once: a batch that is written again changes nothing, in this incarnation and in the next', async ({ open, read }) => {
    const first = await open();
    await write(first, 2, [0, 'a', 'one'], [1, 'b', 'two']);
    await write(first, 4, [2, 'a', 'three'], [3, 'b', null]);
    const after = await texts({ read });
    for (const writer of [first, await open()]) {
      await write(writer, 2, [0, 'a', 'one'], [1, 'b', 'two']);
      expect(await texts({ read })).toEqual(after);
      await write(writer, 4, [2, 'a', 'three'], [3, 'b', null]);
      expect(await texts({ read })).toEqual(after);
    }
    expect(after).toEqual({ a: 'three' });
  });
  promise('once: of a batch that is there in part, only the rest is written', async ({ open, read }) => {
    const writer = await open();
    await write(writer, 2, [0, 'a', 'one'], [1, 'a', null]);
    await write(writer, 3, [0, 'a', 'one'], [1, 'a', null], [2, 'b', 'two']);
    expect(await texts({ read })).toEqual({ b: 'two' });
  });
};
