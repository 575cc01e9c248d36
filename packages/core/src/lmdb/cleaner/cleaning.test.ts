/** Cases of retention and compaction by id, over LMDB and in memory, by a clock that the test moves. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Log, LogRef, TopicShape } from '@stoplog/core/port';
import { BatchBuilder, openPort } from '@stoplog/core/kit';
import { type CleanOptions, loadTools } from '@stoplog/core/tools';
import { MemoryDisk, memoryLog } from '@stoplog/core/testing';
import { lmdb } from '@stoplog/core/lmdb';
import { afterEach, describe, expect, test } from 'vitest';
import { commitOf, never, shape as letters } from '../fixtures/letters.mjs';

const N = Date.UTC(2026, 0, 15);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const place = { topic: 't', partition: 0 };
const shape = (settings: Partial<TopicShape>): TopicShape => ({
  ...letters,
  name: 't',
  partitions: 1,
  ...settings,
});

interface Subject {
  log: Log;
  now(ms: number): void;
  clean(options?: CleanOptions): Promise<unknown>;
  reopen(): Promise<void>;
}
const undo: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of undo.splice(0)) await end();
});

const overLmdb = async (): Promise<Subject> => {
  const clock = new Float64Array(new SharedArrayBuffer(8));
  const path = mkdtempSync(join(tmpdir(), 'stoplog-cleaning-'));
  const made = lmdb(path, { maintenance: { everyMs: Infinity } });
  const ref: LogRef = { ...made, options: { ...(made.options as object), clock: clock.buffer } };
  const { clean } = await loadTools(ref);
  const subject: Subject = {
    log: await openPort(ref),
    now: (ms) => void (clock[0] = ms),
    clean: (options) => clean(subject.log, options),
    reopen: async () => {
      await subject.log[Symbol.asyncDispose]();
      subject.log = await openPort(ref);
    },
  };
  undo.push(async () => {
    await subject.log[Symbol.asyncDispose]();
    rmSync(path, { recursive: true });
  });
  return subject;
};
const inMemory = async (): Promise<Subject> => {
  let now = 0;
  const disk = new MemoryDisk({ holes: false, now: () => now });
  const subject: Subject = {
    log: memoryLog({ disk }),
    now: (ms) => void (now = ms),
    clean: async (options) => disk.clean(options),
    reopen: async () => {
      subject.log = memoryLog({ disk });
    },
  };
  return subject;
};

const write = (log: Log, key: string, value: string | null, timestamp = 1_000): Promise<unknown> => {
  const builder = new BatchBuilder();
  builder.append(key, value, timestamp);
  return log.commit(commitOf({ appends: [{ ...place, batch: builder.finish() }] }));
};
const read = async (log: Log, from?: bigint): Promise<readonly string[]> => {
  const records: string[] = [];
  const [start] = await log.offsets([place], 'earliest');
  const [end] = await log.offsets([place], 'latest');
  for (let offset = from ?? start!.offset; offset < end!.offset;) {
    const found = await log.fetch({ ...place, offset }, { bytes: 1, waitMs: 0 }, never);
    for (const view of found.batches)
      while (view.next())
        if (view.offset >= offset)
          records.push(`${view.offset}:${Buffer.from(view.key()!).toString()}=${view.value() === null ? null : Buffer.from(view.value()!).toString()}`);
    offset = found.next;
  }
  return records;
};
const where = async (log: Log, at: 'earliest' | 'latest' | { readonly time: number }): Promise<bigint> => (await log.offsets([place], at))[0]!.offset;

describe.each([
  ['LMDB', overLmdb],
  ['memory', inMemory],
] as const)('over %s', (_, open) => {
  test('O03: a reader at a position in a gap left by compaction resumes behind it', async () => {
    const subject = await open();
    const { log } = subject;
    await log.ensure([shape({ cleanup: 'compact', forgetting: { deleteRetentionMs: 0 } })]);
    for (const [key, value] of [
      ['g', '0'],
      ['a', '1'],
      ['b', '2'],
      ['c', '3'],
      ['g', '4'],
      ['g', '5'],
      ['g', '6'],
      ['g', '7'],
    ] as const)
      await write(log, key, value);
    await log.commit(commitOf({ group: 'g', positions: [{ ...place, from: 0n, to: 4n }] }));
    await subject.clean({ roll: true });
    expect(await read(log)).toEqual(['1:a=1', '2:b=2', '3:c=3', '7:g=7']);
    const [stands] = await log.committed('g', [place]);
    const found = await log.fetch(stands!, { bytes: 1, waitMs: 0 }, never);
    expect(found).toMatchObject({ from: 4n, next: 8n });
    expect(found.batches[0]!.next() && found.batches[0]!.offset).toBe(7n);
    await log.commit(commitOf({ group: 'g', positions: [{ ...place, from: 4n, to: found.next }] }));
    expect(await where(log, 'latest')).toBe(8n);
  });
  test('O03: ten thousand offsets that are gone cost one fetch', async () => {
    const subject = await open();
    const { log } = subject;
    await log.ensure([shape({ cleanup: 'compact' })]);
    const builder = new BatchBuilder();
    for (let i = 0; i < 10_000; i++) {
      builder.append('g', String(i), 1_000);
      if (i % 100 === 99) await log.commit(commitOf({ appends: [{ ...place, batch: builder.finish() }] }));
    }
    await write(log, 'g', 'last');
    await subject.clean({ roll: true });
    const found = await log.fetch({ ...place, offset: 0n }, { bytes: 1, waitMs: 0 }, never);
    expect([found.batches.length, found.batches[0]!.count, found.next]).toEqual([1, 1, 10_001n]);
  });
  test('O05: the offset for a time is that of the first record at or after it, also when compaction has removed the exact hit', async () => {
    const subject = await open();
    const { log } = subject;
    await log.ensure([shape({ cleanup: 'compact' })]);
    for (const time of [2, 4, 6, 8]) await write(log, `k${time}`, 'v', time);
    const answers = async (): Promise<readonly bigint[]> => Promise.all([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, -1].map((time) => where(log, { time })));
    expect(await answers()).toEqual([0n, 0n, 0n, 1n, 1n, 2n, 2n, 3n, 3n, 4n, 0n]);
    expect([await where(log, 'earliest'), await where(log, 'latest')]).toEqual([0n, 4n]);
    await write(log, 'k4', 'again', 3);
    await subject.clean({ roll: true });
    expect(await where(log, { time: 4 })).toBe(2n); // offset 1 is gone
    expect(await where(log, { time: 3 })).toBe(2n);
  });
  test('O06: a deleted key does not come back, though the segment of its value could not be cleaned', async () => {
    const subject = await open();
    await subject.log.ensure([shape({ cleanup: 'compact', forgetting: { deleteRetentionMs: 0, minCompactionLagMs: 1_000, segmentMs: 1 } })]);
    for (const [at, key, value] of [
      [50_000, 'a', '1'],
      [10, 'a', null],
      [20, 'b', '1'],
    ] as const) {
      subject.now(at);
      await write(subject.log, key, value);
      await subject.clean({ roll: true });
    }
    for (let i = 0; i < 2; i++) await subject.clean({ now: 5_000 });
    await subject.reopen();
    expect(await read(subject.log)).toEqual(['0:a=1', '1:a=null', '2:b=1']);
    for (let i = 0; i < 2; i++) await subject.clean({ now: 100_000 });
    await subject.reopen();
    expect(await read(subject.log)).toEqual(['2:b=1']);
    expect(await where(subject.log, 'latest')).toBe(3n);
  });
  test('O06: a reader within the retention of a tombstone sees it, and a new reader after that time does not', async () => {
    const subject = await open();
    await subject.log.ensure([shape({ cleanup: 'compact', forgetting: { deleteRetentionMs: 60_000 } })]);
    subject.now(0);
    for (const [key, value] of [
      ['a', '1'],
      ['a', null],
      ['b', '1'],
    ] as const)
      await write(subject.log, key, value);
    await subject.clean({ roll: true, now: 10_000 });
    await subject.clean({ roll: true, now: 59_000 });
    expect(await read(subject.log, 1n)).toEqual(['1:a=null', '2:b=1']); // the reader parked behind a=1
    await subject.clean({ roll: true, now: 71_000 });
    expect(await read(subject.log)).toEqual(['2:b=1']);
  });
  test('O07: records of any date are kept as long as their arrival says, and no longer', async () => {
    const subject = await open();
    const { log } = subject;
    await log.ensure([shape({ retentionMs: 7 * DAY, forgetting: { segmentBytes: 1 } })]);
    subject.now(N);
    const dates = [N - 8 * DAY, Math.round(N / 1_000), N, 1_000 * N, -1];
    for (const [i, date] of dates.entries()) await write(log, 'abcde'[i]!, 'v', date);
    await subject.clean({ now: N + HOUR });
    expect((await read(log)).map((record) => record[2])).toEqual(['a', 'b', 'c', 'd', 'e']);
    subject.now(N + 8 * DAY);
    await write(log, 'f', 'v', N + 8 * DAY);
    await subject.clean({ now: N + 8 * DAY });
    expect(await read(log)).toEqual(['5:f=v']);
    expect(await where(log, 'earliest')).toBe(5n);
    // An idle topic: no record comes, and the active segment is deleted too.
    await subject.clean({ now: N + 16 * DAY });
    expect([await where(log, 'earliest'), await where(log, 'latest')]).toEqual([6n, 6n]);
  });
  test('retention by bytes leaves at least the given number of bytes', async () => {
    const subject = await open();
    const { log } = subject;
    await log.ensure([shape({ forgetting: { segmentBytes: 1_000, retentionBytes: 5_000 } })]);
    for (let i = 0; i < 30; i++) await write(log, `k${i}`, 'x'.repeat(400));
    const [report] = (await subject.clean()) as readonly { readonly bytes: number; readonly bytesBefore: number }[];
    expect(report!.bytes).toBeGreaterThanOrEqual(5_000);
    expect(report!.bytes).toBeLessThan(6_500);
    expect(report!.bytesBefore).toBeGreaterThan(13_000);
  });
});
