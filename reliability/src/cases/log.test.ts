/**
 * Public bug reports about other logs, restated for ours (cases.md), over LMDB. The rest are in the table of
 * docs/reliability.md.
 */
import {
  allHeaders,
  compactedTopic,
  type Header,
  lastHeader,
  type LogClient,
  type LogRecord,
  type NewRecord,
  openLog,
  type Origin,
  partitionOf,
  topic,
  type Topic,
} from '@stoplog/core';
import type { Log } from '@stoplog/core/port';
import { BatchBuilder, openPort, topicOf } from '@stoplog/core/kit';
import { lmdb } from '@stoplog/core/lmdb';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { withFolder } from '../harness/folder.ts';

const withLog = (use: (log: LogClient, port: Log) => Promise<void>): Promise<void> =>
  withFolder(async (folder) => {
    const port = await openPort(lmdb(folder));
    const log = await openLog(lmdb(folder));
    try {
      await use(log, port);
    } finally {
      await log[Symbol.asyncDispose]();
      await port[Symbol.asyncDispose]();
    }
  });
const all = async <K, V>(
  log: LogClient,
  face: Origin<K, V>,
  from: Parameters<LogClient['read']>[1]['from'] = 'earliest',
): Promise<readonly LogRecord<K, V | null>[]> => {
  const found: LogRecord<K, V | null>[] = [];
  for await (const batch of log.read(face, { from, until: 'end' })) found.push(...batch);
  return found;
};
const raw = (name: string): Topic<string, string> =>
  topic(name, { key: z.string(), value: z.string(), partitions: 1, codec: { key: 'string', value: 'string' } });
/** Appends one batch whose records have these offsets from its base, and which ends at `end`. */
const appendAt = async (port: Log, face: Topic<string, string>, deltas: readonly number[], end: number): Promise<void> => {
  const { name, shape } = topicOf(face as Origin<unknown, unknown>);
  await port.ensure([shape]);
  const builder = new BatchBuilder();
  for (const delta of deltas) builder.appendAt(delta, `k${delta}`, `v${delta}`, 1_000);
  await port.commit({ group: '', epoch: 0, appends: [{ topic: name, partition: 0, batch: builder.finish(end - 1) }], stores: [], positions: [] });
};

describe('O01: a key has one partition, whichever program computes it', () => {
  test.each([
    ['100:48069', 12, 9],
    ['TT0124', 15, 10],
    ['fd7af248-ce5c-46a5-93d7-1c0c9005b99d', 32, 26],
    ['wu', 10, 0],
    ['Struct{documentKey={"_id": "638d1b94ce8def06be68b439"}}', 50, 40],
    ['21', 10, 0],
    ['foobar', 10, 6],
    ['é', 10, 1],
    ['e\u0301', 10, 1],
    ['日本', 10, 7],
    ['😀', 10, 7],
    [Buffer.of(0xff, 0xfe), 10, 1],
    [Buffer.of(0), 10, 8],
  ])("the key %s of %i partitions has Kafka's partition", (key, count, partition) => expect(partitionOf(Buffer.from(key as string), count)).toBe(partition));
});

test('O02: null and zero bytes are two values, for keys of tables and for readers', async () => {
  await withLog(async (log) => {
    const marked = compactedTopic('marked', { key: z.string(), value: z.string(), partitions: 1, codec: { key: 'string', value: 'string' } });
    await log.append(marked, [
      { key: 'k1', value: 'v' },
      { key: 'k1', value: null },
      { key: 'k2', value: 'v' },
      { key: 'k2', value: '' },
      { key: 'k3', value: null },
    ]);
    expect((await all(log, marked)).map(({ value }) => value)).toEqual(['v', null, 'v', '', null]);
  });
});

test('O03: where records are missing, reading resumes at the next one that is there, and so does a position', async () => {
  await withLog(async (log, port) => {
    const face = raw('gaps');
    await appendAt(port, face, [1, 2, 3, 7], 8);
    expect((await all(log, face)).map(({ offset }) => offset)).toEqual([1n, 2n, 3n, 7n]);
    expect((await all(log, face, { offsets: [4n] })).map(({ offset }) => offset)).toEqual([7n]);
    expect(await log.ends(face)).toEqual([8n]);
    await appendAt(port, face, [9_999], 10_000);
    expect((await all(log, face, { offsets: [8n] })).map(({ offset }) => offset)).toEqual([10_007n]);
  });
});

test('O05: a lookup by time finds the first record at or after it, or none', async () => {
  await withLog(async (log, port) => {
    const face = raw('times');
    const at = async (time: number): Promise<bigint> => (await port.offsets([{ topic: 'times', partition: 0 }], { time }))[0]!.offset;
    await log.append(
      face,
      [2, 4, 6, 8].map((timestamp) => ({ key: 'k', value: 'v', timestamp })),
    );
    expect(await Promise.all([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, -1].map(at))).toEqual([0n, 0n, 0n, 1n, 1n, 2n, 2n, 3n, 3n, 4n, 0n]);
    // A batch for each record: the answer must not depend on how records were packed.
    const single = raw('times-apart');
    for (const timestamp of [2, 4, 6, 8]) await log.append(single, [{ key: 'k', value: 'v', timestamp }]);
    for (const [time, offset] of [
      [0, 0n],
      [3, 1n],
      [8, 3n],
      [9, 4n],
    ] as const)
      expect((await port.offsets([{ topic: 'times-apart', partition: 0 }], { time }))[0]!.offset).toBe(offset);
  });
});

test('O08: an end that holds no record is reached all the same', async () => {
  await withLog(async (log, port) => {
    const face = raw('tail');
    await appendAt(port, face, [0, 2, 4], 6);
    expect((await all(log, face)).map(({ offset }) => offset)).toEqual([0n, 2n, 4n]);
    const { next, batches } = await port.fetch({ topic: 'tail', partition: 0, offset: 5n }, { bytes: 1, waitMs: 0 }, new AbortController().signal);
    expect([next, batches.reduce((sum, { count }) => sum + count, 0)]).toEqual([6n, 3]);
  });
});

test('O09: 64-bit integers are read exactly, and an offset that is a number is refused', async () => {
  await withLog(async (log) => {
    const large = topic('large', { key: z.string(), value: z.bigint(), partitions: 1, codec: { value: 'msgpack' } });
    const values = [73_314_510_714_175_488n, -9_223_372_036_854_775_808n, 2n ** 53n + 1n];
    await log.append(
      large,
      values.map((value) => ({ key: 'k', value })),
    );
    expect((await all(log, large)).map(({ value }) => value)).toEqual(values);
    await expect(all(log, large, { offsets: [(2 ** 53) as unknown as bigint] })).rejects.toMatchObject({ code: 'STOPLOG_USAGE' });
  });
});

const utf8 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));
const HEADERS: readonly Header[] = [
  { name: 'a', value: utf8('1') },
  { name: 'b', value: null },
  { name: 'a', value: utf8('2') },
  { name: '', value: utf8('x') },
  { name: 'a', value: new Uint8Array(0) },
  { name: 'c', value: Uint8Array.of(0xff, 0xfe) },
  { name: '__proto__', value: utf8('p') },
];
test('O10: headers are a list, through the log', async () => {
  await withLog(async (log) => {
    const face = raw('headed');
    await log.append(face, [{ key: 'k', value: 'v', headers: HEADERS }]);
    const [{ headers }] = (await all(log, face)) as [LogRecord<string, string>];
    expect(headers.map(({ name, value }) => [name, value && [...value]])).toEqual(HEADERS.map(({ name, value }) => [name, value && [...value]]));
    expect(allHeaders(headers, 'a').map((value) => value && Buffer.from(value).toString())).toEqual(['1', '2', '']);
    expect(lastHeader(headers, 'a')?.length).toBe(0);
  });
});

test('O11: a record larger than the requested bytes is delivered; one over the limit uses no offset', async () => {
  await withLog(async (log, port) => {
    const face = raw('sizes');
    const sizes = [1, 1, 1, 5 * 1024, 1, 1, 1].map((kib) => kib * 1024);
    for (const size of sizes) await log.append(face, [{ key: 'k', value: 'x'.repeat(size) }]);
    const never = new AbortController().signal;
    const seen: number[] = [];
    let polls = 0;
    for (let offset = 0n; offset < 7n; polls++) {
      const found = await port.fetch({ topic: 'sizes', partition: 0, offset }, { bytes: 1024 * 1024, waitMs: 0 }, never);
      for (const view of found.batches) while (view.next()) seen.push(view.value()!.length);
      offset = found.next;
    }
    expect(seen).toEqual(sizes);
    expect(polls).toBeLessThanOrEqual(20);
    await expect(log.append(face, [{ key: 'k', value: 'x'.repeat(16 * 1024 * 1024) }])).rejects.toMatchObject({ code: 'STOPLOG_RECORD_TOO_LARGE' });
    expect(await log.ends(face)).toEqual([7n]);
  });
});

test('O12: keys that are special in JavaScript are kept, ten thousand times', async () => {
  await withLog(async (log) => {
    const hostile = topic('hostile', { key: z.string(), value: z.unknown(), partitions: 1 });
    const value: unknown = JSON.parse('{"__proto__":{"admin":true},"constructor":1,"prototype":2,"a":3}');
    await log.append(
      hostile,
      Array.from({ length: 10_000 }, (): NewRecord<string, unknown> => ({ key: '__proto__', value })),
    );
    let count = 0;
    for (const { key, value: found } of await all(log, hostile)) {
      if (
        key !== '__proto__' ||
        Object.keys(found as object).join() !== '__proto__,constructor,prototype,a' ||
        Object.getPrototypeOf(found) !== Object.prototype
      )
        throw new Error(`record ${count} came back as ${JSON.stringify(found)}`);
      count++;
    }
    expect([count, ({} as { admin?: boolean }).admin]).toEqual([10_000, undefined]);
  });
});
