/** Arrival: records of a topic with LogAppendTime get the time of their commit. And times as far from 1970 as there are. */
import { expect } from 'vitest';
import type { Committed, Log } from '../../port/log.ts';
import { BatchBuilder } from '../../pure/record/batch.ts';
import { append, at, batchOf, commitOf, never, NOW, place, readAll, shape, TOPIC, values, type Promises } from './setting.ts';

/** Each record with its time. */
const times = async (log: Log, topic: string = TOPIC): Promise<readonly (readonly [string, number])[]> => {
  const found: (readonly [string, number])[] = [];
  const end = (await log.offsets([place(0, topic)], 'latest'))[0]!.offset;
  for (let next = 0n; next < end;) {
    const batch = await log.fetch(at(next, 0, topic), NOW, never);
    for (const view of batch.batches) while (view.next()) found.push([Buffer.from(view.value()!).toString(), view.timestamp]);
    next = batch.next;
  }
  return found;
};

export const arrival: Promises = (promise) => {
  promise(
    'arrival: records of a topic with LogAppendTime have the time of their commit, whatever time they carry and however they are packed',
    async ({ log, reopen }) => {
      await log.ensure([shape('stamped', 1, { timestamps: 'arrival' })]);
      const to = (batch: Uint8Array): Promise<Committed> => log.commit(commitOf({ appends: [{ ...place(0, 'stamped'), batch }] }));
      const before = Date.now();
      await to(batchOf(['a', 'b', 'c'], 5_000)); // times that differ
      await to(batchOf(['d'], -1));
      const same = new BatchBuilder();
      for (const text of ['e', 'f']) same.append(text, text, 2 ** 53 - 1);
      await to(same.finish());
      const gaps = new BatchBuilder();
      gaps.appendAt(1, 'g', 'g', 1, [{ name: 'h', value: Buffer.from('x') }]);
      gaps.appendAt(4, 'h', 'h', -(2 ** 53 - 1));
      await to(gaps.finish(6));
      const after = Date.now();
      const found = await times(log, 'stamped');
      expect(found.map(([text]) => text)).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']);
      for (const [, time] of found) expect(time >= before && time <= after).toBe(true);
      expect(new Set(found.slice(0, 3).map(([, time]) => time)).size).toBe(1);
      expect(await log.offsets([place(0, 'stamped')], { time: before })).toEqual([at(0n, 0, 'stamped')]);
      expect((await log.offsets([place(0, 'stamped')], { time: after + 1 }))[0]!.offset).toBe((await log.offsets([place(0, 'stamped')], 'latest'))[0]!.offset);
      expect(await times(await reopen(), 'stamped')).toEqual(found);
    },
  );
  promise('arrival: the time policy of a topic may change, and existing records keep their times', async ({ log }) => {
    await append(log, ['given'], 0, 7);
    await log.ensure([shape(TOPIC, 2, { timestamps: 'arrival' })]);
    await append(log, ['stamped'], 0, 7);
    await log.ensure([shape(TOPIC)]);
    await append(log, ['given again'], 0, 8);
    const found = new Map(await times(log));
    expect([found.get('given'), found.get('given again')]).toEqual([7, 8]);
    expect(found.get('stamped')).toBeGreaterThan(1e12);
  });
  promise('arrival: a damaged batch is refused, and its neighbours are committed', async ({ log }) => {
    await log.ensure([shape(TOPIC, 2, { timestamps: 'arrival' })]);
    const damaged = batchOf(['never']);
    damaged[damaged.length - 1]! ^= 1;
    const outcomes = await Promise.allSettled([
      append(log, ['before']),
      log.commit(commitOf({ appends: [{ ...place(), batch: damaged }] })),
      append(log, ['after']),
    ]);
    expect(outcomes[1]).toMatchObject({ status: 'rejected', reason: { code: 'STOPLOG_LOG_CORRUPT' } });
    expect(values(await readAll(log))).toEqual(['before', 'after']);
  });
  promise('times from 285,000 years before 1970 to as long after it are kept, found and read', async ({ log }) => {
    const far = 2 ** 53 - 1;
    for (const time of [-far, -1, 0, 1_700_000_000_000_000, far]) await append(log, [String(time)], 0, time);
    const found = await times(log);
    expect(found.map(([text, time]) => [text, String(time)])).toEqual(found.map(([text]) => [text, text]));
    for (const time of [-far, -1, 0, 1_700_000_000_000_000, far]) {
      const [place] = await log.offsets([at(0n)], { time });
      const { batches } = await log.fetch(place!, NOW, never);
      expect(batches[0]!.next() && batches[0]!.timestamp).toBe(time);
    }
  });
};
