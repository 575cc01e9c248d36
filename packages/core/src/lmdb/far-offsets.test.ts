/** O09 (b), (c), (d): offsets around 2^53, where numbers begin to name their neighbours, and sizes beyond 32 bits. */
import { topic } from '@stoplog/core';
import type { Assignment, TopicShape } from '@stoplog/core/port';
import { BatchBuilder, makeClient, openPort, readLag } from '@stoplog/core/kit';
import { loadTools } from '@stoplog/core/tools';
import { lmdb } from '@stoplog/core/lmdb';
import { open } from 'lmdb';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { encodeEnds, NO_ENDS, partitionKey, seal, unseal } from './layout/keyspace.ts';
import { fromBytes, topicMetaKey, type TopicMeta } from './layout/meta.ts';
import { emptySegment } from '../pure/retention/segment.ts';
import { withFolder } from './fixtures/child.ts';
import { never } from './fixtures/letters.mjs';

const FIRST = 2n ** 53n;
const BYTES = 3_221_225_472;
const place = { topic: 'far', partition: 0 };
const shape = (cleanup: TopicShape['cleanup']): TopicShape => ({
  name: 'far',
  partitions: 1,
  cleanup,
  retentionMs: undefined,
  keyCodec: 'string',
  valueCodec: 'string',
  keySchema: {},
  valueSchema: {},
});

/**
 * Moves a partition of a closed log to where 2^53 appends would have brought it: its start, its end and the size of its
 * batches.
 */
const moveEnds = async (path: string): Promise<void> => {
  const binary = { keyEncoding: 'binary', encoding: 'binary' } as const;
  const root = open<Buffer, Buffer>({ path, noSubdir: false, pageSize: 8192, maxDbs: 12, ...binary });
  const metaKey = topicMetaKey('far');
  const { id } = fromBytes<TopicMeta>(unseal('meta', metaKey, root.openDB<Buffer, Buffer>({ name: 'meta', ...binary }).get(metaKey)!));
  const key = partitionKey(id, 0);
  const ends = encodeEnds({ ...NO_ENDS, start: FIRST, end: FIRST, cleanTo: FIRST, bytes: BYTES, active: emptySegment(FIRST) });
  root.openDB<Buffer, Buffer>({ name: 'ends', ...binary }).putSync(key, seal(key, ends));
  await root.close();
};
const withFar = async (cleanup: TopicShape['cleanup'], use: (log: Awaited<ReturnType<typeof openPort>>) => Promise<void>): Promise<void> =>
  withFolder(async (path) => {
    const ref = lmdb(path, { maintenance: { everyMs: Infinity } });
    const fresh = await openPort(ref);
    await fresh.ensure([shape(cleanup)]);
    await fresh[Symbol.asyncDispose]();
    await moveEnds(path);
    const log = await openPort(ref);
    try {
      await use(log);
    } finally {
      await log[Symbol.asyncDispose]();
    }
  });
const appendTo = async (log: Awaited<ReturnType<typeof openPort>>, key: string, timestamp: number): Promise<bigint> => {
  const builder = new BatchBuilder();
  builder.append(key, `${key}${timestamp}`, timestamp);
  return (await log.commit({ group: '', epoch: 0, appends: [{ ...place, batch: builder.finish() }], stores: [], positions: [] })).offsets[0]!;
};
const latest = async (log: Awaited<ReturnType<typeof openPort>>, time?: number): Promise<bigint> =>
  (await log.offsets([place], time === undefined ? 'latest' : { time }))[0]!.offset;

test('O09: offsets from 2^53 on are told apart by appends, reads, groups, lag and times', async () => {
  await withFar('delete', async (log) => {
    expect([await appendTo(log, 'a', 10), await appendTo(log, 'b', 20), await appendTo(log, 'c', 30)]).toEqual([FIRST, FIRST + 1n, FIRST + 2n]);
    expect([await latest(log), await latest(log, 20), await latest(log, 21), await latest(log, 31)]).toEqual([FIRST + 3n, FIRST + 1n, FIRST + 2n, FIRST + 3n]);
    const client = makeClient(log, async () => {});
    const far = topic('far', { key: z.string(), value: z.string(), partitions: 1, codec: { key: 'string', value: 'string' } });
    const readFrom = async (offset: bigint): Promise<readonly string[]> => {
      const found: string[] = [];
      for await (const batch of client.read(far, { from: { offsets: [offset] }, until: 'end' }))
        found.push(...batch.map((record) => `${record.offset} ${record.value}`));
      return found;
    };
    expect(await readFrom(FIRST + 1n)).toEqual(['9007199254740993 b20', '9007199254740994 c30']);
    const leaving = new AbortController();
    const members = log.join('g', { units: [[place]] }, leaving.signal)[Symbol.asyncIterator]();
    const { epoch } = ((await members.next()).value as Assignment).partitions[0]!;
    const move = (from: bigint, to: bigint): Promise<unknown> =>
      log.commit({ group: 'g', epoch, appends: [], stores: [], positions: [{ ...place, from, to }] });
    await move(FIRST, FIRST + 1n);
    expect((await readLag(log, 'g', [place], Date.now))[0]).toMatchObject({ position: FIRST + 1n, end: FIRST + 3n, records: 2 });
    // As a number 2^53 + 1 is 2^53, so a commit from there would be a commit from elsewhere.
    await expect(move(FIRST, FIRST + 3n)).rejects.toMatchObject({ code: 'STOPLOG_FENCED' });
    await move(FIRST + 1n, FIRST + 3n);
    expect((await readLag(log, 'g', [place], Date.now))[0]).toMatchObject({ position: FIRST + 3n, records: 0 });
    leaving.abort();
    while ((await members.next()).done !== true);
    expect(await log.deleteRecords([{ ...place, offset: FIRST + 1n }])).toEqual([{ ...place, offset: FIRST + 1n }]);
    await expect(readFrom(FIRST)).rejects.toMatchObject({ code: 'STOPLOG_OFFSET_OUT_OF_RANGE', facts: { start: FIRST + 1n, end: FIRST + 3n } });
  });
});

test('O09: an offset that is a number is refused, wherever it is given', async () => {
  await withFar('delete', async (log) => {
    await appendTo(log, 'a', 10);
    for (const offset of [2 ** 53, 2 ** 53 + 2, 0] as readonly unknown[] as readonly bigint[]) {
      await expect(log.fetch({ ...place, offset }, { bytes: 1, waitMs: 0 }, never)).rejects.toMatchObject({ code: 'STOPLOG_USAGE' });
      const move = { ...place, from: offset, to: offset };
      await expect(log.commit({ group: 'g', epoch: 0, appends: [], stores: [], positions: [move] })).rejects.toThrow(TypeError);
    }
    expect(await latest(log)).toBe(FIRST + 1n);
  });
});

test('O09: compaction keeps the latest of each key at its offset, and the size of a partition of 3 GiB is exact to the byte', async () => {
  await withFar('compact', async (log) => {
    for (const [i, key] of ['a', 'b', 'a', 'c'].entries()) await appendTo(log, key, i);
    const { clean } = await loadTools(lmdb('.'));
    const [report] = await clean(log, { roll: true });
    expect([report!.dropped, report!.kept]).toEqual([1, 3]);
    expect(report!.bytesBefore).toBeGreaterThan(BYTES);
    expect(report!.bytesBefore - BYTES).toBeLessThan(1_000);
    expect(report!.bytes).toBeLessThan(report!.bytesBefore);
    const found = await log.fetch({ ...place, offset: FIRST }, { bytes: 1_000_000, waitMs: 0 }, never);
    const kept: string[] = [];
    for (const view of found.batches) while (view.next()) kept.push(`${view.offset} ${Buffer.from(view.key()!).toString()}`);
    expect(kept).toEqual(['9007199254740993 b', '9007199254740994 a', '9007199254740995 c']);
  });
});
