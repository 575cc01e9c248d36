/** Starts, retention, compaction: what a reader may rely on while the log drops records. */
import { expect } from 'vitest';
import type { Log } from '../../port/log.ts';
import type { CleanOptions } from '../../port/tools.ts';
import { BatchBuilder } from '../../pure/record/batch.ts';
import type { Header } from '../../pure/record/record.ts';
import type { TopicShape } from '../../pure/topic/shape.ts';
import { append, at, commitOf, never, NOW, place, readAll, shape, TOPIC, values, type Promises } from './setting.ts';

const TABLE = 'table';
const DAY = 24 * 3_600_000;
const compacted = (settings: Partial<TopicShape> = {}): TopicShape =>
  shape(TABLE, 1, { cleanup: 'compact', forgetting: { deleteRetentionMs: 0 }, ...settings });

type Pair = readonly [key: string, value: string | null, headers?: readonly Header[]];
const write = async (log: Log, pairs: readonly Pair[], timestamp: number = 1_000): Promise<bigint> => {
  const builder = new BatchBuilder();
  pairs.forEach(([key, value, headers], i) => builder.append(key, value, timestamp + i, headers));
  return (await log.commit(commitOf({ appends: [{ ...place(0, TABLE), batch: builder.finish() }] }))).offsets[0]!;
};
const read = async (log: Log): Promise<readonly (readonly [bigint, number, string, string | null, readonly Header[]])[]> => {
  const records: (readonly [bigint, number, string, string | null, readonly Header[]])[] = [];
  const [{ offset: start } = at(0n)] = await log.offsets([place(0, TABLE)], 'earliest');
  const [{ offset: end } = at(0n)] = await log.offsets([place(0, TABLE)], 'latest');
  for (let next = start; next < end;) {
    const found = await log.fetch(at(next, 0, TABLE), NOW, never);
    for (const view of found.batches) {
      while (view.next()) {
        const value = view.value();
        if (view.offset >= next)
          records.push([view.offset, view.timestamp, Buffer.from(view.key()!).toString(), value && Buffer.from(value).toString(), view.headers()]);
      }
    }
    next = found.next;
  }
  return records;
};
const pairs = (records: Awaited<ReturnType<typeof read>>): readonly unknown[] => records.map(([, , key, value]) => [key, value]);
const ROLL: CleanOptions = { topics: [TABLE], roll: true };

export const forgetting: Promises = (promise) => {
  promise('starts: a read below a deleted offset is refused with the range, and the records after it are read', async ({ log }) => {
    const {
      offsets: [base],
    } = await append(log, ['a', 'b', 'c']);
    const {
      offsets: [later],
    } = await append(log, ['d']);
    expect(await log.deleteRecords([at(base! + 1n)])).toEqual([at(base! + 1n)]);
    expect(await log.offsets([place()], 'earliest')).toEqual([at(base! + 1n)]);
    const [{ offset: end } = at(0n)] = await log.offsets([place()], 'latest');
    await expect(log.fetch(at(base!), NOW, never)).rejects.toMatchObject({
      code: 'STOPLOG_OFFSET_OUT_OF_RANGE',
      facts: { topic: TOPIC, partition: 0, offset: base, start: base! + 1n, end },
    });
    expect(values(await readAll(log, base! + 1n))).toEqual(['b', 'c', 'd']);
    await log.deleteRecords([at(later!)]);
    expect(values(await readAll(log, later))).toEqual(['d']);
  });
  promise('starts: a start only grows, also across closing and opening, and an end is never lost', async ({ log, reopen }) => {
    await append(log, ['a', 'b', 'c']);
    const [end] = await log.offsets([place()], 'latest');
    expect(await log.deleteRecords([end!])).toEqual([end]);
    expect(await log.deleteRecords([at(0n)])).toEqual([end]);
    await log[Symbol.asyncDispose]();
    const again = await reopen();
    expect(await again.offsets([place()], 'earliest')).toEqual([end]);
    expect((await append(again, ['d'])).offsets).toEqual([end!.offset]);
    expect(values(await readAll(again, end!.offset))).toEqual(['d']);
  });
  promise('starts: an offset beyond the end is refused, and no other start is moved', async ({ log }) => {
    await append(log, ['a']);
    const [end] = await log.offsets([place()], 'latest');
    await expect(log.deleteRecords([end!, at(1n, 1)])).rejects.toMatchObject({ code: 'STOPLOG_OFFSET_OUT_OF_RANGE' });
    expect(await log.offsets([place()], 'earliest')).toEqual([at(0n)]);
  });
  promise('starts: a group that never committed begins at the start, and its first commit may come from an earlier start', async ({ log }) => {
    await append(log, ['a', 'b']);
    const [stood] = await log.committed('g', [place()]);
    await log.deleteRecords([at(1n)]);
    expect(await log.committed('g', [place()])).toEqual([at(1n)]);
    await log.commit(commitOf({ group: 'g', positions: [{ ...place(), from: stood!.offset, to: 2n }] }));
    expect(await log.committed('g', [place()])).toEqual([at(2n)]);
  });
  promise('starts: a lookup by time returns no deleted offset', async ({ log }) => {
    for (const time of [50, 70, 60, 90]) await append(log, ['x'], 0, time);
    const [from] = await log.offsets([place()], { time: 65 });
    await log.deleteRecords([at(from!.offset + 1n)]);
    const [third] = await log.offsets([place()], { time: 55 });
    const found = (await log.fetch(third!, NOW, never)).batches[0]!;
    expect(found.next() && found.timestamp).toBe(60);
    const [fourth] = await log.offsets([place()], { time: 65 });
    const last = (await log.fetch(fourth!, NOW, never)).batches[0]!;
    expect(last.next() && last.timestamp).toBe(90);
  });
  promise('retention drops whole expired segments, the active one too, and keeps the end', async ({ log, clean }) => {
    await log.ensure([shape(TABLE, 1, { retentionMs: DAY, forgetting: { ageBy: 'timestamp', segmentMs: 10 } })]);
    await write(log, [['a', '1']], 1_000);
    const second = await write(log, [['b', '2']], 2_000);
    await clean(log, { topics: [TABLE], now: 1_000 + DAY });
    expect(pairs(await read(log))).toEqual([
      ['a', '1'],
      ['b', '2'],
    ]); // older than the retention, not equal to it
    await clean(log, { topics: [TABLE], now: 1_001 + DAY });
    expect(pairs(await read(log))).toEqual([['b', '2']]);
    expect(second).toBeGreaterThanOrEqual((await log.offsets([place(0, TABLE)], 'earliest'))[0]!.offset);
    const [end] = await log.offsets([place(0, TABLE)], 'latest');
    await clean(log, { topics: [TABLE], now: 2_001 + DAY });
    expect(await log.offsets([place(0, TABLE)], 'earliest')).toEqual([end]);
    expect(await write(log, [['c', '3']], 3_000)).toBe(end!.offset);
  });
  promise('survivors: compaction keeps the latest record of each key with offset, time and headers, and a fold ends as before', async ({ log, clean }) => {
    await log.ensure([compacted()]);
    const headers: readonly Header[] = [
      { name: 'h', value: null },
      { name: 'h', value: Buffer.from('x') },
    ];
    await write(log, [
      ['a', '1'],
      ['b', '2', headers],
      ['c', '3'],
    ]);
    await write(
      log,
      [
        ['a', '4'],
        ['c', ''],
      ],
      500,
    );
    const before = await read(log);
    const [report] = await clean(log, ROLL);
    expect(report).toMatchObject({ topic: TABLE, partition: 0, dropped: 2, kept: 3 });
    const after = await read(log);
    expect(
      after.map(([offset, time, key, value, list]) => [
        offset,
        time,
        key,
        value,
        list.map(({ name, value }) => [name, value && Buffer.from(value).toString()]),
      ]),
    ).toEqual(
      [before[1]!, before[3]!, before[4]!].map(([offset, time, key, value, list]) => [
        offset,
        time,
        key,
        value,
        list.map(({ name, value }) => [name, value && Buffer.from(value).toString()]),
      ]),
    );
  });
  promise('survivors: compaction leaves the active segment alone, and records younger than the lag', async ({ log, clean }) => {
    await log.ensure([compacted({ forgetting: { minCompactionLagMs: 100, ageBy: 'timestamp' } })]);
    await write(
      log,
      [
        ['a', '1'],
        ['a', '2'],
      ],
      1_000,
    );
    await clean(log, { topics: [TABLE] });
    expect(pairs(await read(log))).toEqual([
      ['a', '1'],
      ['a', '2'],
    ]);
    await clean(log, { ...ROLL, now: 1_050 });
    expect(pairs(await read(log))).toEqual([
      ['a', '1'],
      ['a', '2'],
    ]);
    await write(log, [['a', '3']], 1_060);
    await clean(log, { ...ROLL, now: 1_101 });
    expect(pairs(await read(log))).toEqual([
      ['a', '2'],
      ['a', '3'],
    ]); // the record above is in the active segment and does not count
  });
  promise('survivors: keys of 100 KB that differ in their last byte are compacted like any others', async ({ log, clean }) => {
    await log.ensure([compacted()]);
    const long = 'k'.repeat(100_000);
    await write(log, [
      [`${long}a`, '1'],
      [`${long}b`, '2'],
      [`${long}a`, '3'],
      [`${long}c`, null],
    ]);
    await clean(log, ROLL);
    expect((await read(log)).map(([, , key, value]) => [key.slice(99_999), value])).toEqual([
      ['kb', '2'],
      ['ka', '3'],
      ['kc', null],
    ]);
  });
  promise('survivors: O02: null and empty are different, and only null deletes', async ({ log, clean }) => {
    await log.ensure([compacted()]);
    await write(log, [
      ['k1', 'v'],
      ['k1', null],
      ['k2', 'v'],
      ['k2', ''],
      ['k3', null],
    ]);
    expect((await read(log)).map(([, , , value]) => value)).toEqual(['v', null, 'v', '', null]);
    await clean(log, ROLL);
    expect(pairs(await read(log))).toEqual([
      ['k1', null],
      ['k2', ''],
      ['k3', null],
    ]); // the first cleaning keeps tombstones
    await clean(log, ROLL);
    expect(pairs(await read(log))).toEqual([['k2', '']]);
  });
  promise('survivors: a tombstone stays until its retention has passed since the first cleaning, whatever its own timestamp', async ({ log, clean }) => {
    await log.ensure([compacted({ forgetting: { deleteRetentionMs: 60_000, ageBy: 'timestamp' } })]);
    await write(
      log,
      [
        ['a', '1'],
        ['a', null],
        ['b', '1'],
      ],
      1,
    );
    await clean(log, { ...ROLL, now: 10_000 });
    await clean(log, { ...ROLL, now: 69_999 });
    expect(pairs(await read(log))).toEqual([
      ['a', null],
      ['b', '1'],
    ]);
    await clean(log, { ...ROLL, now: 70_000 });
    expect(pairs(await read(log))).toEqual([['b', '1']]);
  });
  promise('survivors: the end stays when no record is left before it, and following `next` leads to it', async ({ log, clean, reopen }) => {
    await log.ensure([compacted()]);
    await write(log, [['a', '1']]);
    const last = await write(log, [['a', null]]);
    const [end] = await log.offsets([place(0, TABLE)], 'latest');
    for (let i = 0; i < 3; i++) await clean(log, ROLL);
    expect(await read(log)).toEqual([]);
    await log[Symbol.asyncDispose]();
    const again = await reopen();
    expect(await again.offsets([place(0, TABLE)], 'latest')).toEqual([end]);
    expect(await write(again, [['b', '1']])).toBe(end!.offset);
    expect(end!.offset).toBeGreaterThan(last);
    expect(pairs(await read(again))).toEqual([['b', '1']]);
  });
  promise('survivors: a reader that keeps up sees every record, however much is compacted behind it', async ({ log, clean }) => {
    await log.ensure([compacted({ forgetting: { deleteRetentionMs: 0, segmentBytes: 1, minDirtyRatio: 0 } })]);
    const seen: (string | null)[] = [];
    let next = (await log.offsets([place(0, TABLE)], 'latest'))[0]!.offset;
    for (let n = 0; n < 6; n++) {
      await write(log, [
        ['a', `${n}`],
        ['b', n % 2 === 0 ? `${n}` : null],
      ]);
      const found = await log.fetch(at(next, 0, TABLE), NOW, never);
      for (const view of found.batches) while (view.next()) if (view.offset >= next) seen.push(view.value() && Buffer.from(view.value()!).toString());
      next = found.next;
      await clean(log, { topics: [TABLE] });
    }
    expect(seen).toEqual(['0', '0', '1', null, '2', '2', '3', null, '4', '4', '5', null]);
  });
  promise('survivors: from any offset in an empty batch, a reader and a position resume at the next record', async ({ log, clean }) => {
    await log.ensure([compacted({ forgetting: { deleteRetentionMs: 0 } })]);
    const first = await write(log, [['a', '0']]);
    for (let n = 1; n < 30; n++) await write(log, [['a', `${n}`]], 1_000 + n);
    const last = await write(log, [['a', 'last']], 2_000);
    for (let n = 0; n < 2; n++) await clean(log, ROLL);
    for (let from = first; from <= last; from++) {
      let found: bigint | undefined;
      for (let offset = from; found === undefined && offset <= last;) {
        const { batches, next } = await log.fetch(at(offset, 0, TABLE), NOW, never);
        expect(next).toBeGreaterThan(offset);
        for (const view of batches) while (view.next()) if (view.offset >= from) found ??= view.offset;
        offset = next;
      }
      expect(found).toBe(last);
    }
    for (const time of [0, 1_000, 1_015, 2_000]) expect(await log.offsets([place(0, TABLE)], { time })).toEqual([at(last, 0, TABLE)]);
    await log.commit(commitOf({ group: 'g', positions: [{ ...place(0, TABLE), from: 0n, to: first + 7n }] }));
    await log.commit(commitOf({ group: 'g', positions: [{ ...place(0, TABLE), from: first + 7n, to: last }] }));
    expect(await log.committed('g', [place(0, TABLE)])).toEqual([at(last, 0, TABLE)]);
  });
  promise('both: a compacted topic with a retention drops records by age too', async ({ log, clean }) => {
    await log.ensure([compacted({ retentionMs: DAY, forgetting: { ageBy: 'timestamp' } })]);
    await write(log, [['old', '1']], 1_000);
    await clean(log, { ...ROLL, now: 1_000 });
    await write(
      log,
      [
        ['new', '1'],
        ['new', '2'],
      ],
      1_000 + DAY,
    );
    await clean(log, { ...ROLL, now: 1_001 + DAY });
    expect(pairs(await read(log))).toEqual([['new', '2']]);
  });
};
