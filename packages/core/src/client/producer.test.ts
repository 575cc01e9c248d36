import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type NumberedClient, type NewRecord, openLog, topic } from '@stoplog/core';
import type { NumberedCommit, NumberedLog } from '@stoplog/core/port';
import { makeClient, openPort } from '@stoplog/core/kit';
import { MemoryDisk, memoryLog } from '@stoplog/core/testing';
import { lmdb } from '@stoplog/core/lmdb';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

const letters = topic('letters', { key: z.string().nullable(), value: z.string(), partitions: 4 });
const other = topic('other', { key: z.string(), value: z.string(), partitions: 1 });
type Letter = NewRecord<string | null, string>;
const many = (count: number, from = 0): readonly Letter[] => Array.from({ length: count }, (_, i) => ({ key: `k${i % 50}`, value: `${from + i}` }));
const values = async (log: NumberedClient): Promise<readonly string[]> => {
  const found: string[] = [];
  for await (const batch of log.read(letters, { from: 'earliest', until: 'end' })) found.push(...batch.map(({ value }) => value!));
  return found.toSorted((a, b) => Number(a) - Number(b));
};
/** A client whose next commits are kept while their answers are lost. */
const losing = (disk: MemoryDisk = new MemoryDisk()): { readonly client: NumberedClient; lose: number; readonly commits: NumberedCommit[] } => {
  const log = memoryLog({ disk });
  const state = { lose: 0, commits: [] as NumberedCommit[], client: undefined as unknown as NumberedClient };
  state.client = makeClient(
    Object.create(log, {
      ensure: { value: log.ensure.bind(log) },
      offsets: { value: log.offsets.bind(log) },
      fetch: { value: log.fetch.bind(log) },
      producer: { value: log.producer.bind(log) },
      commit: {
        value: async (commit: NumberedCommit) => {
          state.commits.push(commit);
          const committed = await log.commit(commit);
          if (state.lose-- > 0) throw new Error('the answer was lost');
          return committed;
        },
      },
    }) as NumberedLog,
  );
  return state;
};

describe('a producer', () => {
  test('a producer appends as a log does, and a second producer of its name fences it', async () => {
    const log = makeClient(memoryLog());
    const first = await log.producer('api');
    expect(await first.append(letters, many(1_000))).toEqual({ records: 1_000 });
    const second = await log.producer('api');
    await expect(first.append(letters, many(1))).rejects.toMatchObject({ code: 'STOPLOG_FENCED', facts: { producer: 'api' } });
    expect(await second.append(letters, many(10, 1_000))).toEqual({ records: 10 });
    expect(await values(log)).toEqual(many(1_010).map((_, i) => `${i}`));
    await expect(log.producer('not a name')).rejects.toMatchObject({ code: 'STOPLOG_NAME' });
    await expect(log.producer({ name: 'x' } as never)).rejects.toMatchObject({ code: 'STOPLOG_USAGE' });
  });

  test('an append that is repeated after its answer was lost is appended once', async () => {
    const state = losing();
    const producer = await state.client.producer('api');
    state.lose = 1;
    await expect(producer.append(letters, many(3))).rejects.toThrow('the answer was lost');
    expect(await producer.append(letters, many(3))).toEqual({ records: 3 });
    expect(await producer.append(letters, many(2, 3))).toEqual({ records: 2 });
    expect(await values(state.client)).toEqual(['0', '1', '2', '3', '4']);
  });

  test('a producer that appends other records after a failed append is refused once, loses none and duplicates none', async () => {
    const state = losing();
    const producer = await state.client.producer('api');
    for (const wrong of [many(3, 50), many(2), [], [{ key: null, value: '0' }]] as const) {
      const before = (await values(state.client)).length;
      state.lose = 1;
      await expect(producer.append(letters, many(3, 100 + before))).rejects.toThrow('the answer was lost');
      await expect(producer.append(letters, wrong)).rejects.toMatchObject({ code: 'STOPLOG_USAGE', facts: { producer: 'api', sent: 3 } });
      expect((await values(state.client)).length).toBe(before + 3);
    }
    state.lose = 1;
    await expect(producer.append(letters, many(1, 200))).rejects.toThrow('the answer was lost');
    await expect(producer.append(other, [{ key: 'k', value: '0' }])).rejects.toMatchObject({ code: 'STOPLOG_USAGE' });
    expect(await producer.append(other, [{ key: 'k', value: '0' }])).toEqual({ records: 1 });
    expect((await values(state.client)).length).toBe(13);
  });

  test('settle() finishes an append whose records cannot be repeated, and returns how many of them are in the log', async () => {
    const state = losing();
    const producer = await state.client.producer('api');
    expect(await producer.settle()).toEqual({ records: 0 });
    state.lose = 1;
    await expect(
      producer.append(
        letters,
        (async function* () {
          yield* many(5);
          await new Promise((resolve) => setImmediate(resolve));
          await new Promise((resolve) => setImmediate(resolve));
          yield* many(5, 5);
        })(),
      ),
    ).rejects.toThrow('the answer was lost');
    const { records } = await producer.settle();
    expect(records).toBeGreaterThanOrEqual(5);
    expect(await producer.append(letters, many(10).slice(records))).toEqual({ records: 10 - records });
    expect(await values(state.client)).toEqual(many(10).map(({ value }) => value));
  });

  /** An iterable that throws when its first records are in flight. */
  const breaking = async function* (records: readonly Letter[], at: number): AsyncGenerator<Letter> {
    yield* records.slice(0, at);
    await turns(3);
    throw new Error('the file cannot be read');
  };
  test('an append that is repeated after its iterable threw, or a signal ended it, has each record once', async () => {
    const state = losing();
    const producer = await state.client.producer('api');
    await expect(producer.append(letters, breaking(many(10), 4))).rejects.toThrow('the file cannot be read');
    state.lose = 1;
    await expect(producer.append(letters, many(10))).rejects.toThrow('the answer was lost');
    await expect(producer.append(letters, breaking(many(10), 2))).rejects.toThrow('the file cannot be read');
    const stop = new AbortController();
    const stopping = async function* (): AsyncGenerator<Letter> {
      yield* many(3);
      stop.abort(new Error('enough'));
      yield* many(7, 3);
    };
    await expect(producer.append(letters, stopping(), { signal: stop.signal })).rejects.toThrow('enough');
    expect(await producer.append(letters, many(10))).toEqual({ records: 10 });
    expect(await producer.append(letters, many(1, 10))).toEqual({ records: 1 });
    expect(await values(state.client)).toEqual(many(11).map(({ value }) => value));
  });
  test('a producer that appends other records after an interruption is refused once, however many there are', async () => {
    const log = makeClient(memoryLog());
    const producer = await log.producer('api');
    for (const wrong of [many(20, 100), many(2), [{ key: 'k0', value: '0' }, ...many(30, 100)]]) {
      const before = (await values(log)).length;
      await expect(producer.append(letters, breaking(many(10, before), 4))).rejects.toThrow('the file cannot be read');
      await expect(producer.append(letters, wrong)).rejects.toMatchObject({ code: 'STOPLOG_USAGE', facts: { producer: 'api', sent: 4 } });
      expect((await values(log)).length).toBe(before + 4);
    }
    await expect(producer.append(letters, breaking(many(10, 12), 4))).rejects.toThrow('the file cannot be read');
    expect(await producer.settle()).toEqual({ records: 4 });
    expect(await producer.append(letters, many(2, 16))).toEqual({ records: 2 });
    expect(await values(log)).toEqual(many(18).map(({ value }) => value));
  });

  test('concurrent calls run one after the other', async () => {
    const log = makeClient(memoryLog());
    const producer = await log.producer('api');
    await Promise.all(Array.from({ length: 20 }, (_, i) => producer.append(letters, many(5, 5 * i))));
    expect((await values(log)).length).toBe(100);
  });

  test('a refused record ends its append as it does for a log, and the next append is a new one', async () => {
    const log = makeClient(memoryLog());
    const producer = await log.producer('api');
    const bad = { key: 'k', value: 5 } as unknown as Letter;
    await expect(producer.append(letters, [...many(3), bad])).rejects.toMatchObject({ code: 'STOPLOG_SCHEMA', facts: { appended: 3 } });
    expect(await producer.append(letters, many(2, 3))).toEqual({ records: 2 });
    expect(await values(log)).toEqual(['0', '1', '2', '3', '4']);
  });

  test('a producer keeps at most the commits in flight, and repeats them as they were sent', async () => {
    const state = losing();
    const producer = await state.client.producer('api');
    const large = Array.from({ length: 300 }, (_, i) => ({ key: `k${i}`, value: `${i}`.padEnd(10_000, ' ') }));
    state.lose = Infinity;
    await expect(producer.append(letters, large)).rejects.toThrow('the answer was lost');
    // More batches of a partition than the log remembers: it refuses the first ones as too old.
    const first = state.commits.length;
    expect(first).toBeGreaterThan(6);
    state.lose = 0;
    expect(await producer.append(letters, large)).toEqual({ records: 300 });
    expect(state.commits.slice(first).map(({ appends }) => appends)).toEqual(state.commits.slice(0, first).map(({ appends }) => appends));
    expect((await values(state.client)).map(Number)).toEqual(large.map((_, i) => i));
  });

  test('over LMDB, a producer that is cut off by the closing of its log continues over another one, and has each record once', async () => {
    const path = mkdtempSync(join(tmpdir(), 'stoplog-producer-'));
    const large = many(20_000);
    // The client would finish the append before it closes: the log is closed under it.
    let port = await openPort(lmdb(path));
    let log = makeClient(port);
    let producer = await log.producer('api');
    for (let lost = 0; ; lost++) {
      const appending = producer.append(letters, large);
      const closing = lost < 3 ? turns(lost).then(() => port[Symbol.asyncDispose]()) : undefined;
      const outcome = await appending.catch((error: { readonly code?: string }) => error.code);
      await closing;
      if (closing === undefined) {
        expect(outcome).toEqual({ records: 20_000 });
        break;
      }
      if (typeof outcome === 'object') expect.fail('it was to be cut off');
      expect(outcome).toBe('STOPLOG_LOG_UNAVAILABLE');
      port = await openPort(lmdb(path));
      log = makeClient(port);
      producer = await log.producer(producer);
    }
    expect(await values(log)).toEqual(large.map(({ value }) => value));
    await log[Symbol.asyncDispose]();
    rmSync(path, { recursive: true });
  });
});

/** Turns of the event loop: each round finds an append a little further on. */
const turns = async (n: number): Promise<void> => {
  for (let i = 0; i < n; i++) await new Promise((resolve) => setImmediate(resolve));
};

describe('an append that expects an end', () => {
  const one = topic('one', { key: z.string(), value: z.string(), partitions: 1 });
  test('the append is committed whole at the expected end, and refused elsewhere with both numbers', async () => {
    const log = makeClient(memoryLog({ holes: false }));
    const records = Array.from({ length: 40 }, (_, i) => ({ key: `${i}`, value: 'x'.repeat(10_000) }));
    expect(await log.append(one, records, { expectedEnd: 0n })).toEqual({ records: 40 });
    await expect(log.append(one, records, { expectedEnd: 0n })).rejects.toMatchObject({
      code: 'STOPLOG_END_MOVED',
      facts: { topic: 'one', partition: 0, expectedEnd: 0n, end: 40n, appended: 0 },
    });
    expect(await log.ends(one)).toEqual([40n]);
    expect(await log.append(one, records, { expectedEnd: await log.ends(one) })).toEqual({ records: 40 });
  });
  test('an append to several partitions needs the end of each; an invalid one is refused, and nothing is kept', async () => {
    const log = makeClient(memoryLog());
    const usage = { code: 'STOPLOG_USAGE' };
    await expect(log.append(letters, many(10), { expectedEnd: 0n })).rejects.toMatchObject({ ...usage, facts: { topic: 'letters', partitions: [0, 1, 2, 3] } });
    for (const expectedEnd of [0, -1n, 2n ** 64n, [0n], [0n, 0n, 0n, 0], 'end', null])
      await expect(log.append(letters, many(1), { expectedEnd } as never)).rejects.toMatchObject(usage);
    const bad = { key: 'k', value: 5 } as unknown as Letter;
    await expect(log.append(letters, [...many(3), bad], { expectedEnd: [0n, 0n, 0n, 0n] })).rejects.toMatchObject({
      code: 'STOPLOG_SCHEMA',
      facts: { appended: 0 },
    });
    expect(await values(log)).toEqual([]);
    expect(await log.append(letters, many(10), { expectedEnd: [0n, 0n, 0n, 0n] })).toEqual({ records: 10 });
    await expect(log.append(letters, many(10), { expectedEnd: [0n, 0n, 0n, 0n] })).rejects.toMatchObject({ code: 'STOPLOG_END_MOVED' });
    expect((await values(log)).length).toBe(10);
  });
  test('a producer repeats a conditional append whose answer was lost, and decides a refused one again', async () => {
    const state = losing(new MemoryDisk({ holes: false }));
    const producer = await state.client.producer('api');
    const append = (value: string, expectedEnd: bigint): Promise<unknown> => producer.append(other, [{ key: 'k', value }], { expectedEnd });
    state.lose = 1;
    await expect(append('a', 0n)).rejects.toThrow('the answer was lost');
    expect(await append('a', 0n)).toEqual({ records: 1 });
    await expect(append('b', 0n)).rejects.toMatchObject({ code: 'STOPLOG_END_MOVED', facts: { expectedEnd: 0n, end: 1n } });
    expect(await append('c', 1n)).toEqual({ records: 1 });
    const found: (string | null)[] = [];
    for await (const batch of state.client.read(other, { from: 'earliest', until: 'end' })) found.push(...batch.map(({ value }) => value));
    expect(found).toEqual(['a', 'c']);
  });
});

test('a topic with LogAppendTime gives each record the time at which the log appended it', async () => {
  const path = mkdtempSync(join(tmpdir(), 'stoplog-arrival-'));
  const stamped = topic('stamped', { key: z.string(), value: z.string(), partitions: 1, timestamps: 'arrival' });
  const log = await openLog(lmdb(path));
  const before = Date.now();
  await log.append(
    stamped,
    [5, -1, 2 ** 50].map((timestamp) => ({ key: 'k', value: 'v', timestamp })),
  );
  const times: number[] = [];
  for await (const batch of log.read(stamped, { from: { time: before }, until: 'end' })) times.push(...batch.map(({ timestamp }) => timestamp));
  expect(times.length).toBe(3);
  for (const time of times) expect(time >= before && time <= Date.now()).toBe(true);
  await log[Symbol.asyncDispose]();
  rmSync(path, { recursive: true });
  expect(() => topic('x', { key: z.string(), value: z.string(), timestamps: 'now' as never })).toThrow(expect.objectContaining({ code: 'STOPLOG_USAGE' }));
});
