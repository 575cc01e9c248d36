/** Once, condition: the further promises of a log that numbers its appends (port/numbered-log.ts). */
import { expect } from 'vitest';
import type { Committed } from '../../port/log.ts';
import type { NumberedAppend, NumberedLog, ProducerStamp } from '../../port/numbered-log.ts';
import { append, batchOf, commitOf, place, readAll, shape, TOPIC, values, type Promises } from './setting.ts';

const DAY = 24 * 3_600_000;
const send = (log: NumberedLog, texts: readonly string[], producer: ProducerStamp, partition = 0, also: Partial<NumberedAppend> = {}): Promise<Committed> =>
  log.commit(commitOf({ appends: [{ ...place(partition), batch: batchOf(texts), producer, ...also }] }));

const refusal = async (promised: Promise<unknown>): Promise<{ readonly code?: string; readonly facts?: Readonly<Record<string, unknown>> }> =>
  promised.then(
    () => ({}),
    (error: { readonly code?: string; readonly facts?: Readonly<Record<string, unknown>> }) => error,
  );

export const numbers: Promises<NumberedLog> = (promise) => {
  promise('once: a batch that is sent again gets its first offset, and is not appended', async ({ log }) => {
    const incarnation = await log.producer('p');
    const first = await send(log, ['a', 'b'], { ...incarnation, sequence: 0 });
    const second = await send(log, ['c'], { ...incarnation, sequence: 2 });
    expect((await send(log, ['a', 'b'], { ...incarnation, sequence: 0 })).offsets).toEqual(first.offsets);
    expect((await send(log, ['c'], { ...incarnation, sequence: 2 })).offsets).toEqual(second.offsets);
    await send(log, ['d'], { ...incarnation, sequence: 3 });
    expect(values(await readAll(log))).toEqual(['a', 'b', 'c', 'd']);
  });
  promise('once: the last five batches of a partition are remembered, and an older one is refused with both numbers', async ({ log }) => {
    const incarnation = await log.producer('p');
    const offsets: (readonly bigint[])[] = [];
    for (let sequence = 0; sequence < 7; sequence++) offsets.push((await send(log, [`${sequence}`], { ...incarnation, sequence })).offsets);
    for (const sequence of [6, 2, 4, 3, 5]) expect((await send(log, ['again'], { ...incarnation, sequence })).offsets).toEqual(offsets[sequence]);
    for (const sequence of [0, 1])
      expect(await refusal(send(log, ['again'], { ...incarnation, sequence }))).toMatchObject({
        code: 'STOPLOG_SEQUENCE',
        facts: { producer: 'p', topic: TOPIC, partition: 0, sequence, expected: 7 },
      });
    expect(await refusal(send(log, ['4', 'and more'], { ...incarnation, sequence: 4 }))).toMatchObject({
      code: 'STOPLOG_SEQUENCE',
      facts: { sequence: 4, expected: 7 },
    });
    expect((await readAll(log)).length).toBe(7);
  });
  promise('once: a batch that skips a sequence is refused with both numbers, and so is its whole commit', async ({ log }) => {
    const incarnation = await log.producer('p');
    await send(log, ['a'], { ...incarnation, sequence: 0 });
    const gap = log.commit(
      commitOf({
        appends: [
          { ...place(1), batch: batchOf(['never']) },
          { ...place(0), batch: batchOf(['never']), producer: { ...incarnation, sequence: 2 } },
        ],
      }),
    );
    expect(await refusal(gap)).toMatchObject({ code: 'STOPLOG_SEQUENCE', facts: { sequence: 2, expected: 1 } });
    for (const sequence of [-1, 0.5, Number.NaN])
      expect(await refusal(send(log, ['never'], { ...incarnation, sequence }))).toMatchObject({ code: 'STOPLOG_SEQUENCE' });
    expect(await refusal(send(log, ['never'], { ...incarnation, sequence: 1 }, 1))).toMatchObject({ facts: { partition: 1, sequence: 1, expected: 0 } });
    expect(values(await readAll(log, 0n, 1))).toEqual([]);
    expect(values(await readAll(log))).toEqual(['a']);
  });
  promise('once: batches of one commit continue the sequence, which each partition and each producer counts for itself', async ({ log }) => {
    const [one, two] = [await log.producer('one'), await log.producer('two')];
    const commit = commitOf({
      appends: [
        { ...place(0), batch: batchOf(['a', 'b']), producer: { ...one, sequence: 0 } },
        { ...place(1), batch: batchOf(['c']), producer: { ...one, sequence: 0 } },
        { ...place(0), batch: batchOf(['d']), producer: { ...one, sequence: 2 } },
        { ...place(0), batch: batchOf(['e']), producer: { ...two, sequence: 0 } },
        { ...place(0), batch: batchOf(['f']) },
      ],
    });
    const first = await log.commit(commit);
    const again = await log.commit({ ...commit, appends: commit.appends.slice(0, 4) });
    expect(again.offsets).toEqual(first.offsets.slice(0, 4));
    expect(values(await readAll(log))).toEqual(['a', 'b', 'd', 'e', 'f']);
    expect(values(await readAll(log, 0n, 1))).toEqual(['c']);
  });
  promise('once: a later incarnation of a producer fences the earlier one in every partition, and counts from 0', async ({ log }) => {
    const old = await log.producer('p');
    await send(log, ['a'], { ...old, sequence: 0 });
    const incarnation = await log.producer('p');
    expect(incarnation.epoch).toBeGreaterThan(old.epoch);
    for (const partition of [0, 1])
      expect(await refusal(send(log, ['zombie'], { ...old, sequence: 1 - partition }, partition))).toMatchObject({
        code: 'STOPLOG_FENCED',
        facts: { producer: 'p', epoch: old.epoch, current: incarnation.epoch },
      });
    expect(await refusal(send(log, ['a'], { ...old, sequence: 0 }))).toMatchObject({ code: 'STOPLOG_FENCED' });
    expect(await refusal(send(log, ['b'], { ...incarnation, sequence: 1 }))).toMatchObject({ code: 'STOPLOG_SEQUENCE', facts: { sequence: 1, expected: 0 } });
    await send(log, ['b'], { ...incarnation, sequence: 0 });
    expect(values(await readAll(log))).toEqual(['a', 'b']);
    expect(await refusal(log.producer('p', old))).toMatchObject({ code: 'STOPLOG_FENCED' });
    expect(await log.producer('p', incarnation)).toEqual(incarnation);
  });
  promise('once: the state of a producer survives closing and opening, retention and compaction', async ({ log, reopen, clean }) => {
    await log.ensure([shape('table', 1, { cleanup: 'compact', retentionMs: DAY, forgetting: { deleteRetentionMs: 0 } })]);
    const incarnation = await log.producer('p');
    const to = (subject: NumberedLog, sequence: number): Promise<Committed> =>
      subject.commit(commitOf({ appends: [{ ...place(0, 'table'), batch: batchOf(['k']), producer: { ...incarnation, sequence } }] }));
    const first = await to(log, 0);
    const second = await to(log, 1);
    await clean(log, { roll: true });
    await clean(log, { roll: true, now: Date.now() + 2 * DAY });
    expect(await readAll(log, second.offsets[0]! + 1n, 0, 'table')).toEqual([]);
    await log[Symbol.asyncDispose]();
    const again = await reopen();
    expect((await to(again, 0)).offsets).toEqual(first.offsets);
    expect((await to(again, 1)).offsets).toEqual(second.offsets);
    expect(await refusal(to(again, 3))).toMatchObject({ code: 'STOPLOG_SEQUENCE', facts: { sequence: 3, expected: 2 } });
    expect((await to(again, 2)).offsets[0]).toBeGreaterThan(second.offsets[0]!);
  });
  promise('once: a producer is remembered for seven days of silence; after them it is fenced, or starts from 0', async ({ log, clean }) => {
    const now = Date.now();
    const incarnation = await log.producer('p');
    await send(log, ['a'], { ...incarnation, sequence: 0 });
    await clean(log, { now: now + 7 * DAY - 3_600_000 });
    await send(log, ['b'], { ...incarnation, sequence: 1 });
    await clean(log, { now: Date.now() + 7 * DAY + 1 });
    expect(await refusal(send(log, ['c'], { ...incarnation, sequence: 2 }))).toMatchObject({ code: 'STOPLOG_FENCED', facts: { current: undefined } });
    const anew = await log.producer('p', incarnation);
    expect(anew.id).not.toBe(incarnation.id);
    await send(log, ['c'], { ...anew, sequence: 0 });
    expect(values(await readAll(log))).toEqual(['a', 'b', 'c']);
  });
  promise('once: an invalid name is refused', async ({ log }) => {
    expect(await refusal(log.producer('a name'))).toMatchObject({ code: 'STOPLOG_NAME' });
  });
  promise('condition: an append is committed at the expected end, and is refused whole with both numbers elsewhere', async ({ log }) => {
    const ending = async (partition = 0): Promise<bigint> => (await log.offsets([place(partition)], 'latest'))[0]!.offset;
    const expecting = (expectedEnd: bigint, texts: readonly string[]): Promise<Committed> =>
      log.commit(
        commitOf({
          appends: [
            { ...place(1), batch: batchOf(texts) },
            { ...place(0), batch: batchOf(texts), expectedEnd },
          ],
        }),
      );
    const { offsets } = await expecting(0n, ['a', 'b']);
    expect(offsets[1]).toBe(0n);
    const end = await ending();
    for (const expectedEnd of [0n, end - 1n, end + 1n, 2n ** 63n])
      expect(await refusal(expecting(expectedEnd, ['never']))).toMatchObject({
        code: 'STOPLOG_END_MOVED',
        facts: { topic: TOPIC, partition: 0, expectedEnd, end },
      });
    expect(await ending(1)).toBe(end);
    await expecting(end, ['c']);
    expect(values(await readAll(log))).toEqual(['a', 'b', 'c']);
    expect(values(await readAll(log, 0n, 1))).toEqual(['a', 'b', 'c']);
  });
  promise('condition: of many appends that expect the same end, one is committed', async ({ log }) => {
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, i) => refusal(log.commit(commitOf({ appends: [{ ...place(), batch: batchOf([`${i}`]), expectedEnd: 0n }] })))),
    );
    expect(outcomes.filter(({ code }) => code === undefined).length).toBe(1);
    expect(outcomes.filter(({ code }) => code === 'STOPLOG_END_MOVED').length).toBe(9);
    expect((await readAll(log)).length).toBe(1);
  });
  promise('condition: a batch that was appended already is answered, wherever the partition ends now', async ({ log }) => {
    const incarnation = await log.producer('p');
    const first = await send(log, ['a'], { ...incarnation, sequence: 0 }, 0, { expectedEnd: 0n });
    await append(log, ['b']);
    expect((await send(log, ['a'], { ...incarnation, sequence: 0 }, 0, { expectedEnd: 0n })).offsets).toEqual(first.offsets);
    expect(await refusal(send(log, ['c'], { ...incarnation, sequence: 1 }, 0, { expectedEnd: 0n }))).toMatchObject({ code: 'STOPLOG_END_MOVED' });
    await send(log, ['d'], { ...incarnation, sequence: 1 });
    expect(values(await readAll(log))).toEqual(['a', 'b', 'd']);
  });
};
