/** Order, gaps, offsets: what a reader may rely on. */
import { expect } from 'vitest';
import { BatchBuilder } from '../../pure/record/batch.ts';
import { append, at, batchOf, commitOf, never, NOW, place, readAll, TOPIC, values, WHEN_THERE, type Promises } from './setting.ts';

export const reads: Promises = (promise) => {
  promise('order: within a partition, records are read in the order of their offsets, each once', async ({ log }) => {
    for (let i = 0; i < 20; i++) await append(log, [`${i}a`, `${i}b`], i % 2);
    const records = await readAll(log, 0n, 1);
    expect(values(records)).toEqual(Array.from({ length: 10 }, (_, i) => [`${2 * i + 1}a`, `${2 * i + 1}b`]).flat());
    records.forEach(({ offset }, i) => i > 0 && expect(offset).toBeGreaterThan(records[i - 1]!.offset));
  });
  promise('order: concurrent commits are stored in the order in which they were made', async ({ log }) => {
    await Promise.all(Array.from({ length: 50 }, (_, i) => append(log, [String(i)])));
    expect(values(await readAll(log))).toEqual(Array.from({ length: 50 }, (_, i) => String(i)));
  });
  promise('order: two appends to one partition in one commit follow each other', async ({ log }) => {
    const { offsets } = await log.commit(
      commitOf({
        appends: [
          { ...place(), batch: batchOf(['a', 'b']) },
          { ...place(), batch: batchOf(['c']) },
        ],
      }),
    );
    const records = await readAll(log);
    expect(values(records)).toEqual(['a', 'b', 'c']);
    expect(offsets).toEqual([records[0]!.offset, records[2]!.offset]);
  });
  promise('gaps: following `next` finds every record, however small each fetch is', async ({ log }) => {
    for (let i = 0; i < 10; i++) await append(log, [`${i}a`, `${i}b`]);
    const all = await readAll(log);
    expect(all.length).toBe(20);
    expect(await readAll(log, 0n, 0, TOPIC, 1)).toEqual(all);
  });
  promise('gaps: a read from an offset without a record resumes at the next record', async ({ log }) => {
    const builder = new BatchBuilder();
    builder.appendAt(2, 'c', 'c', 1_000);
    builder.appendAt(5, 'f', 'f', 1_000);
    const {
      offsets: [base],
    } = await log.commit(commitOf({ appends: [{ ...place(), batch: builder.finish(8) }] }));
    await append(log, ['j']);
    expect(values(await readAll(log, base! + 3n))).toEqual(['f', 'j']);
    expect(values(await readAll(log, base! + 7n))).toEqual(['j']);
  });
  promise('gaps: a fetch may begin inside a batch; `from` is the requested offset, and `next` is the offset after the batch', async ({ log }) => {
    await append(log, ['a', 'b', 'c']);
    const batch = await log.fetch(at(1n), NOW, never);
    expect(batch).toMatchObject({ topic: TOPIC, partition: 0, from: 1n });
    expect(batch.batches[0]!.baseOffset).toBeLessThanOrEqual(1n);
    expect(batch.next).toBeGreaterThanOrEqual(3n);
  });
  promise('a fetch returns at least one batch, whatever its size, and stops at about the requested bytes', async ({ log }) => {
    for (let i = 0; i < 5; i++) await append(log, ['x'.repeat(1_000)]);
    expect((await log.fetch(at(0n), { bytes: 1, waitMs: 0 }, never)).batches.length).toBe(1);
    const some = await log.fetch(at(0n), { bytes: 5_000, waitMs: 0 }, never);
    expect(some.batches.length).toBeLessThan(5);
  });
  promise('a fetch at the end is empty and keeps its offset', async ({ log }) => {
    await append(log, ['a']);
    const [{ offset: end } = at(0n)] = await log.offsets([place()], 'latest');
    expect(await log.fetch(at(end), NOW, never)).toEqual({ ...place(), from: end, next: end, batches: [] });
    expect(await log.fetch(at(end), { bytes: 1, waitMs: 5 }, never)).toEqual({ ...place(), from: end, next: end, batches: [] });
  });
  promise('a waiting fetch returns as soon as a batch is there', async ({ log }) => {
    const [{ offset: end } = at(0n)] = await log.offsets([place()], 'latest');
    const waiting = log.fetch(at(end), WHEN_THERE, never);
    await append(log, ['elsewhere'], 1);
    await append(log, ['a']);
    const batch = await waiting;
    expect(batch.batches.length).toBe(1);
    expect(batch.next).toBeGreaterThan(end);
  });
  promise('a position outside the log is refused with its ends, on both sides', async ({ log }) => {
    await append(log, ['a']);
    const [{ offset: end } = at(0n)] = await log.offsets([place()], 'latest');
    for (const offset of [end + 1n, -1n]) {
      await expect(log.fetch(at(offset), NOW, never)).rejects.toMatchObject({
        code: 'STOPLOG_OFFSET_OUT_OF_RANGE',
        facts: { topic: TOPIC, partition: 0, offset, start: 0n, end },
      });
    }
  });
  promise('the earliest offset is the first that is kept, and the latest is the one that the next append gets', async ({ log }) => {
    expect(await log.offsets([place(0), place(1)], 'earliest')).toEqual([at(0n, 0), at(0n, 1)]);
    await append(log, ['a', 'b']);
    const [latest] = await log.offsets([place()], 'latest');
    const { offsets } = await append(log, ['c']);
    expect(offsets).toEqual([latest!.offset]);
    expect(await log.offsets([place()], 'earliest')).toEqual([at(0n)]);
  });
  promise('a lookup by time returns the first record at or after it, even where times do not grow, and the end when there is none', async ({ log }) => {
    const times = [50, 10, 70, 70, 20, 90, 30];
    const placed: { readonly offset: bigint; readonly time: number }[] = [];
    for (const time of times) placed.push({ offset: (await append(log, ['x'], 0, time)).offsets[0]!, time });
    const end = (await log.offsets([place()], 'latest'))[0]!.offset;
    for (const time of [-5, 0, 10, 11, 50, 51, 70, 71, 90, 91, 1e12]) {
      const expected = placed.find((record) => record.time >= time)?.offset ?? end;
      expect([time, (await log.offsets([place()], { time }))[0]!.offset]).toEqual([time, expected]);
    }
    expect(await log.offsets([place(1)], { time: 5 })).toEqual([at(0n, 1)]);
  });
  promise('a lookup by time may return an offset in the middle of a batch', async ({ log }) => {
    const {
      offsets: [base],
    } = await append(log, ['a', 'b', 'c', 'd'], 0, 100);
    expect(await log.offsets([place()], { time: 102 })).toEqual([at(base! + 2n)]);
  });
  promise('the bytes that a fetch returns belong to the caller: changing them changes nothing in the log', async ({ log }) => {
    await append(log, ['abc']);
    const { batches } = await log.fetch(at(0n), NOW, never);
    batches[0]!.bytes.fill(0xff);
    expect(values(await readAll(log))).toEqual(['abc']);
  });
};
