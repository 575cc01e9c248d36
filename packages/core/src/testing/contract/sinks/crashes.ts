/** Together, crash, endings: a write that fails leaves all of its batch or nothing, and writing it again ends in the same target. */
import { expect } from 'vitest';
import { batch, texts, write, type SinkPromises } from './setting.ts';

export const crashes: SinkPromises = (promise) => {
  promise('together: a write that fails before its position is there leaves none of its records', async ({ open, read, crash }) => {
    const writer = await open();
    await write(writer, 2, [0, 'a', 'one'], [1, 'b', 'two']);
    const mend = await crash();
    await expect(write(writer, 5, [2, 'a', null], [3, 'b', 'three'], [4, 'c', 'four'])).rejects.toThrow();
    await mend();
    expect(await texts({ read })).toEqual({ a: 'one', b: 'two' });
    expect(await (await open()).recover()).toBe(2n);
  });
  promise('crash: the batch is written again by the next incarnation, and the target is as after one write', async ({ open, read, crash }) => {
    const writer = await open();
    await write(writer, 2, [0, 'a', 'one'], [1, 'b', 'two']);
    const mend = await crash();
    const lost = [
      [2, 'a', null],
      [3, 'b', 'three'],
      [4, 'c', 'four'],
    ] as const;
    await expect(write(writer, 5, ...lost)).rejects.toThrow();
    await mend();
    await writer[Symbol.asyncDispose]();
    const next = await open();
    await write(next, 5, ...lost);
    expect(await texts({ read })).toEqual({ b: 'three', c: 'four' });
    await write(next, 6, [5, 'a', 'five']);
    expect(await texts({ read })).toEqual({ a: 'five', b: 'three', c: 'four' });
  });
  promise('endings: a write whose signal is aborted rejects, and keeps nothing', async ({ open, read }) => {
    const writer = await open();
    await write(writer, 1, [0, 'a', 'one']);
    await expect(writer.write(batch(2, [1, 'a', 'two']), AbortSignal.abort())).rejects.toThrow();
    expect(await texts({ read })).toEqual({ a: 'one' });
  });
  promise('endings: a sink is closed twice without an error', async ({ open }) => {
    const writer = await open();
    await write(writer, 1, [0, 'a', 'one']);
    await writer[Symbol.asyncDispose]();
    await expect(writer[Symbol.asyncDispose]()).resolves.toBeUndefined();
  });
};
