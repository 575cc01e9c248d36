import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { NumberedCommit, NumberedLog } from '../port/numbered-log.ts';
import { topic } from '../pure/topic/topic.ts';
import { memoryLog } from '../testing/memory-log.ts';
import { makeClient } from './client.ts';
import { inFolder, run } from './fixtures/pressed.ts';

const letters = topic('letters', { key: z.string(), value: z.string(), partitions: 1 });
const MB = 1024 * 1024;
/** A log whose commits are answered only when the test says so. */
const held = (): { readonly log: NumberedLog; readonly release: () => void; readonly bytes: () => number } => {
  const log = memoryLog();
  let bytes = 0;
  let release = (): void => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const slow = Object.create(log, {
    ensure: { value: log.ensure.bind(log) },
    commit: {
      value: async (commit: NumberedCommit) => {
        bytes += commit.appends.reduce((sum, { batch }) => sum + batch.length, 0);
        await released;
        return log.commit(commit);
      },
    },
    offsets: { value: log.offsets.bind(log) },
    producer: { value: log.producer.bind(log) },
  }) as NumberedLog;
  return { log: slow, release, bytes: () => bytes };
};
const turns = async (): Promise<void> => {
  for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
};

describe('the credit of a client', () => {
  test('ten thousand concurrent appends hold the limit and at most one record more, and all of them end up in the log', async () => {
    const { log, release, bytes } = held();
    const client = makeClient(log, async () => {});
    const value = 'x'.repeat(16 * 1024);
    const appends = Array.from({ length: 10_000 }, (_, i) => client.append(letters, [{ key: `k${i}`, value }]));
    await turns();
    const { limit } = client.pressure;
    expect(client.pressure.bytes).toBeLessThanOrEqual(limit + 17 * 1024);
    expect(bytes()).toBe(client.pressure.bytes);
    expect(client.pressure.waiting).toBeGreaterThan(8_000);
    release();
    const appended = await Promise.all(appends);
    expect(appended.reduce((sum, { records }) => sum + records, 0)).toBe(10_000);
    expect([client.pressure.bytes, client.pressure.waiting]).toEqual([0, 0]);
  });
  test('is shared by appends, producers and conditional appends, and each gives back what it took, also after a refusal', async () => {
    const { log, release } = held();
    const client = makeClient(log, async () => {});
    const value = 'x'.repeat(MB);
    const many = Array.from({ length: 20 }, (_, i) => ({ key: `k${i}`, value }));
    const producer = await client.producer('p');
    const ends = Promise.allSettled([
      client.append(letters, many),
      producer.append(letters, many),
      client.append(letters, many, { expectedEnd: 7n }),
      client.append(letters, [...many, { key: 'bad', value: 7 as never }]),
    ]);
    await turns();
    expect(client.pressure.bytes).toBeLessThanOrEqual(client.pressure.limit + 21 * MB);
    release();
    expect((await ends).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected']);
    expect([client.pressure.bytes, client.pressure.waiting]).toEqual([0, 0]);
  });
  test('a waiting append that is aborted stops waiting, and what comes after it does not', async () => {
    const { log, release } = held();
    const client = makeClient(log, async () => {});
    const large = Array.from({ length: 9 }, (_, i) => client.append(letters, [{ key: `k${i}`, value: 'x'.repeat(MB) }]));
    const stop = new AbortController();
    const aborted = client.append(letters, [{ key: 'k', value: 'v' }], { signal: stop.signal });
    const later = client.append(letters, [{ key: 'l', value: 'v' }]);
    let relieved = false;
    await turns();
    void client.pressure.relieved().then(() => (relieved = true));
    await turns();
    expect(client.pressure.waiting).toBe(3);
    stop.abort(new Error('enough'));
    await expect(aborted).rejects.toThrow('enough');
    expect([client.pressure.waiting, relieved]).toEqual([2, false]);
    release();
    await Promise.all([...large, later]);
    await client.pressure.relieved();
    expect(relieved).toBe(true);
  });
});

test('over LMDB, ten thousand concurrent appends of one record hold at most 64 MiB of memory', async () => {
  const { grown, limit } = await inFolder((folder) => run(folder, 10_000, 16 * 1024));
  console.log(`ten thousand appends of 16 KiB: ${(grown / MB).toFixed(1)} MiB live in their thread, at most ${limit / MB} MiB more in the writer`);
  expect(grown + limit).toBeLessThanOrEqual(64 * MB);
});
