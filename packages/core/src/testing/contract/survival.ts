/** Durability, prefix: what is found when the log is opened again. */
import { expect } from 'vitest';
import { append, at, batchOf, commitOf, never, numbers, place, readAll, values, type Promises } from './setting.ts';

const part = { store: 'totals', partition: 1, group: 'adder', version: 3, fingerprint: 'f' } as const;

export const survival: Promises = (promise) => {
  promise('durability: a commit whose `durable` has resolved is there when the log is opened again', async ({ log, reopen }) => {
    await log.store(part, never);
    const { durable, offsets } = await log.commit(
      commitOf({
        group: 'adder',
        appends: [{ ...place(1), batch: batchOf(['kept']) }],
        stores: [{ store: 'totals', partition: 1, keys: [Buffer.from('k')], values: [Buffer.from('v')] }],
        positions: [{ ...place(), from: 0n, to: 4n }],
      }),
    );
    await durable;
    await log[Symbol.asyncDispose]();
    const again = await reopen();
    expect(await readAll(again, 0n, 1)).toEqual([{ offset: offsets[0], value: 'kept' }]);
    expect(numbers((await again.store(part, never)).get(Buffer.from('k')))).toEqual([...Buffer.from('v')]);
    expect(await again.committed('adder', [place()])).toEqual([at(4n)]);
    await expect(again.store({ ...part, version: 4 }, never)).rejects.toMatchObject({ code: 'STOPLOG_STORE_VERSION' });
  });
  promise('offsets never change, and are never assigned twice, across closing and opening', async ({ log, reopen }) => {
    await append(log, ['a', 'b']);
    const before = await readAll(log);
    await log[Symbol.asyncDispose]();
    const again = await reopen();
    await append(again, ['c']);
    const after = await readAll(again);
    expect(after.slice(0, 2)).toEqual(before);
    expect(after[2]!.offset).toBeGreaterThan(before[1]!.offset);
  });
  promise('prefix: of the commits cut off by closing, a prefix survives, with every acknowledged one', async ({ log, reopen }) => {
    let answered = 0;
    const underWay = Array.from({ length: 60 }, (_, i) =>
      append(log, [String(i)], i % 2, i).then(
        () => answered++,
        () => {},
      ),
    );
    await underWay[10];
    await log[Symbol.asyncDispose]();
    await Promise.all(underWay);
    const again = await reopen();
    const kept = [...(await readAll(again, 0n, 0)), ...(await readAll(again, 0n, 1))].map(({ value }) => Number(value)).sort((a, b) => a - b);
    expect(kept).toEqual(Array.from({ length: kept.length }, (_, i) => i));
    expect(kept.length).toBeGreaterThanOrEqual(Math.max(11, answered));
  });
  promise('two handles on the same data see each other’s records, and wake each other', async ({ log, reopen }) => {
    const other = await reopen();
    const waiting = other.fetch(at(0n), { bytes: 1, waitMs: Infinity }, never);
    await append(log, ['hello']);
    expect((await waiting).batches.length).toBe(1);
    await append(other, ['back']);
    expect(values(await readAll(log))).toEqual(['hello', 'back']);
  });
};
