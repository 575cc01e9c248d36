import { type LogClient, type LogRecord, topic } from '@stoplog/core';
import type { Log } from '@stoplog/core/port';
import { makeClient } from '@stoplog/core/kit';
import { memoryLog } from '@stoplog/core/testing';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

const letters = topic('letters', { key: z.string(), value: z.string(), partitions: 2 });
const append = (log: LogClient, from: number, to: number): Promise<unknown> =>
  log.append(
    letters,
    Array.from({ length: to - from }, (_, i) => ({ key: `k${from + i}`, value: `v${from + i}`, timestamp: 1_000 * (from + i) })),
  );
const all = async (records: AsyncIterable<readonly LogRecord<string, string | null>[]>): Promise<readonly LogRecord<string, string | null>[]> => {
  const found = [];
  for await (const batch of records) found.push(...batch);
  return found;
};
const numbers = (records: readonly LogRecord<string, string | null>[]): readonly number[] =>
  records.map(({ value }) => Number(value!.slice(1))).sort((a, b) => a - b);
const range = (from: number, to: number): readonly number[] => Array.from({ length: to - from }, (_, i) => from + i);

describe('read', () => {
  test('a read from the earliest until the end yields every record that was there when it began, and ends', async () => {
    const log = makeClient(memoryLog());
    expect(await all(log.read(letters, { from: 'earliest', until: 'end' }))).toEqual([]);
    for (let i = 0; i < 10; i++) await append(log, i * 10, i * 10 + 10);
    const reading = log.read(letters, { from: 'earliest', until: 'end' })[Symbol.asyncIterator]();
    const first = await reading.next();
    await append(log, 100, 110);
    const rest = [];
    for (let next = await reading.next(); next.done !== true; next = await reading.next()) rest.push(...next.value);
    expect(numbers([...(first.value as typeof rest), ...rest])).toEqual(range(0, 100));
  });

  test('each batch has records of one partition in order, and each record knows its offset', async () => {
    const log = makeClient(memoryLog());
    for (let i = 0; i < 5; i++) await append(log, i * 10, i * 10 + 10);
    const last = new Map<number, bigint>();
    for await (const batch of log.read(letters, { from: 'earliest', until: 'end' })) {
      expect(new Set(batch.map(({ partition }) => partition)).size).toBe(1);
      for (const { partition, offset, topic: name, timestamp, value } of batch) {
        expect(offset).toBeGreaterThan(last.get(partition) ?? -1n);
        last.set(partition, offset);
        expect([name, timestamp]).toEqual(['letters', 1_000 * Number(value!.slice(1))]);
      }
    }
    expect(last.size).toBe(2);
  });

  test('a read from the latest yields only records appended after it began', async () => {
    const log = makeClient(memoryLog());
    await append(log, 0, 10);
    const reading = log.read(letters, { from: 'latest' })[Symbol.asyncIterator]();
    const next = reading.next();
    await new Promise((resolve) => setImmediate(resolve));
    await append(log, 10, 11);
    expect(numbers((await next).value as readonly LogRecord<string, string | null>[])).toEqual([10]);
    await reading.return?.();
  });

  test('a read from a time takes milliseconds or a Date', async () => {
    const log = makeClient(memoryLog());
    await append(log, 0, 30);
    for (const time of [20_000, new Date(20_000)]) expect(numbers(await all(log.read(letters, { from: { time }, until: 'end' })))).toEqual(range(20, 30));
    expect(await all(log.read(letters, { from: { time: 1e12 }, until: 'end' }))).toEqual([]);
    await expect(all(log.read(letters, { from: { time: NaN } }))).rejects.toMatchObject({ code: 'STOPLOG_USAGE' });
  });

  test('a read until a time or an offset yields the records before it, and ends at the end when no record reaches the time', async () => {
    const log = makeClient(memoryLog());
    await append(log, 0, 30);
    expect(numbers(await all(log.read(letters, { from: 'earliest', until: { time: 20_000 } })))).toEqual(range(0, 20));
    expect(numbers(await all(log.read(letters, { from: 'earliest', until: { time: new Date(1e12) } })))).toEqual(range(0, 30));
    const whole = await all(log.read(letters, { from: 'earliest', until: 'end', partitions: [1] }));
    expect(await all(log.read(letters, { from: 'earliest', until: { offsets: [whole[3]!.offset] }, partitions: [1] }))).toHaveLength(3);
    expect(await all(log.read(letters, { from: { offsets: [whole[3]!.offset] }, until: { offsets: [0n] }, partitions: [1] }))).toEqual([]);
    await expect(all(log.read(letters, { from: 'earliest', until: { offsets: [] } }))).rejects.toMatchObject({ code: 'STOPLOG_USAGE' });
  });

  test('a read from offsets takes one for each partition that is read', async () => {
    const log = makeClient(memoryLog());
    await append(log, 0, 40);
    const whole = await all(log.read(letters, { from: 'earliest', until: 'end', partitions: [1] }));
    const part = await all(log.read(letters, { from: { offsets: [whole[3]!.offset] }, until: 'end', partitions: [1] }));
    expect(numbers(part)).toEqual(numbers(whole.slice(3)));
    await expect(all(log.read(letters, { from: { offsets: [0n] }, until: 'end' }))).rejects.toMatchObject({ code: 'STOPLOG_USAGE' });
    await expect(all(log.read(letters, { from: { offsets: [0n, 1_000n] }, until: 'end' }))).rejects.toMatchObject({ code: 'STOPLOG_OFFSET_OUT_OF_RANGE' });
    await expect(all(log.read(letters, { from: { offsets: [0n, 1_000n] } }))).rejects.toMatchObject({ code: 'STOPLOG_OFFSET_OUT_OF_RANGE' });
  });

  test('an abort ends the read without an error: before it begins, in the middle, and while it waits', async () => {
    const log = makeClient(memoryLog());
    await append(log, 0, 10);
    expect(await all(log.read(letters, { from: 'earliest', signal: AbortSignal.abort() }))).toEqual([]);
    const stop = new AbortController();
    const seen = [];
    for await (const batch of log.read(letters, { from: 'earliest', signal: stop.signal })) {
      seen.push(...batch);
      if (seen.length === 10) setImmediate(() => stop.abort());
    }
    expect(numbers(seen)).toEqual(range(0, 10));
  });

  test('a loop that is left ends the fetches that wait', async () => {
    const log = memoryLog();
    let waiting = 0;
    const counting: Log = Object.create(log, {
      ensure: { value: (...topics: Parameters<Log['ensure']>) => log.ensure(...topics) },
      offsets: { value: (...at: Parameters<Log['offsets']>) => log.offsets(...at) },
      fetch: { value: (...from: Parameters<Log['fetch']>) => (waiting++, log.fetch(...from).finally(() => waiting--)) },
    });
    await append(makeClient(log), 0, 1);
    for await (const batch of makeClient(counting).read(letters, { from: 'earliest' })) {
      expect(batch.length).toBe(1);
      break;
    }
    await new Promise((resolve) => setImmediate(resolve));
    expect(waiting).toBe(0);
  });

  test('ends are the offsets that the next records get', async () => {
    const log = makeClient(memoryLog({ holes: false }));
    expect(await log.ends(letters)).toEqual([0n, 0n]);
    await append(log, 0, 10);
    const ends = await log.ends(letters);
    expect(ends.reduce((sum, end) => sum + end, 0n)).toBe(10n);
  });

  test('an object that only has the name of a topic is refused by the types, and by a sentence where there are none', async () => {
    const log = makeClient(memoryLog({ holes: false }));
    const named = { name: 'letters' };
    // @ts-expect-error not a topic
    await expect(log.ends(named)).rejects.toThrow(/not a topic: pass a value made by topic/);
    // @ts-expect-error not a topic
    await expect(log.lag('group', named)).rejects.toThrow(/not a topic/);
    // @ts-expect-error not a topic
    await expect(log.append(named, [{ key: 'a', value: 'b' }])).rejects.toThrow(/not a topic/);
  });
});

test('lag counts the records that a group has not read, and the age of the first of them', async () => {
  const port = memoryLog({ holes: false });
  const log = makeClient(port);
  await append(log, 0, 10);
  const before = await log.lag('readers', letters);
  expect(before.reduce((sum, { records }) => sum + records, 0)).toBe(10);
  expect(before.find(({ partition }) => partition === 0)!.age).toBeGreaterThan(Date.UTC(2020));
  const positions = before.map(({ topic: name, partition, end }) => ({ topic: name, partition, from: 0n, to: end }));
  await port.commit({ group: 'readers', epoch: 0, appends: [], stores: [], positions });
  expect((await log.lag('readers', letters)).map(({ records, age }) => [records, age])).toEqual([
    [0, 0],
    [0, 0],
  ]);
});

describe('deleteRecords', () => {
  const started = async (): Promise<LogClient> => {
    const log = makeClient(memoryLog({ holes: false }));
    for (let i = 0; i < 10; i++) await log.append(letters, [{ key: 'k0', value: `v${i}`, timestamp: 1_000 * i }]);
    return log;
  };
  test('deleting before a time removes older records for every reader, and returns the new starts', async () => {
    const log = await started();
    const starts = await log.deleteRecords(letters, { time: 4_000 });
    expect(starts.toSorted((a, b) => Number(a - b))).toEqual([0n, 4n]);
    expect(numbers(await all(log.read(letters, { from: 'earliest', until: 'end' })))).toEqual(range(4, 10));
  });
  test('a reader below the start is refused with the range, or resumes where its auto offset reset says', async () => {
    const log = await started();
    await log.deleteRecords(letters, { time: 4_000 });
    const from = { offsets: [0n, 0n] };
    await expect(all(log.read(letters, { from, until: 'end' }))).rejects.toMatchObject({ code: 'STOPLOG_OFFSET_OUT_OF_RANGE', facts: { start: 4n, end: 10n } });
    expect(numbers(await all(log.read(letters, { from, until: 'end', reset: 'earliest' })))).toEqual(range(4, 10));
    expect(await all(log.read(letters, { from, until: 'end', reset: 'latest' }))).toEqual([]);
  });
  test('a read from an offset beyond the end is refused', async () => {
    const log = await started();
    await expect(log.deleteRecords(letters, { offsets: [11n, 11n] })).rejects.toMatchObject({ code: 'STOPLOG_OFFSET_OUT_OF_RANGE' });
  });
});
