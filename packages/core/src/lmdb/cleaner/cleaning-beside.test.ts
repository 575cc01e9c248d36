/** Retention and compaction beside appends and reads: in the background, as often and as fast as possible. */
import { join } from 'node:path';
import type { Log, TopicShape } from '@stoplog/core/port';
import { BatchBuilder, openPort } from '@stoplog/core/kit';
import { lmdb } from '@stoplog/core/lmdb';
import { expect, test } from 'vitest';
import { start, withFolder } from '../fixtures/child.ts';
import { commitOf, never, shape as letters } from '../fixtures/letters.mjs';

const place = { topic: 't', partition: 0 };
const shape = (settings: Partial<TopicShape>): TopicShape => ({
  ...letters,
  name: 't',
  partitions: 1,
  ...settings,
});
const KEYS = 30;
const append = async (log: Log, from: number): Promise<number> => {
  const builder = new BatchBuilder();
  for (let n = from; n < from + 20; n++) builder.append(`k${(n * 31) % KEYS}`, `${n}`, 1_000);
  await log.commit(commitOf({ appends: [{ ...place, batch: builder.finish() }] }));
  return from + 20;
};
/** Reads on until the given record has come. */
const follow = async (log: Log, last: number): Promise<ReadonlyMap<string, number>> => {
  const table = new Map<string, number>();
  let before = -1n;
  for (let offset = 0n; before < BigInt(last);) {
    const found = await log.fetch({ ...place, offset }, { bytes: 1, waitMs: Infinity }, never);
    for (const view of found.batches) {
      while (view.next()) {
        if (view.offset < offset) continue;
        expect(view.offset).toBeGreaterThan(before);
        expect(Buffer.from(view.value()!).toString()).toBe(String(view.offset));
        table.set(Buffer.from(view.key()!).toString(), Number(view.offset));
        before = view.offset;
      }
    }
    offset = found.next;
  }
  return table;
};

test('a reader that follows sees offsets grow and ends with the last of every key, however much is compacted under it', async () => {
  await withFolder(async (folder) => {
    await using log = await openPort(lmdb(join(folder, 'log'), { maintenance: { everyMs: 1, bytesPerSecond: 1e12 } }));
    await log.ensure([shape({ cleanup: 'compact', forgetting: { segmentBytes: 500, minDirtyRatio: 0, deleteRetentionMs: 0 } })]);
    const last = 8_000 - 1;
    const following = [follow(log, last), follow(log, last)];
    for (let n = 0; n <= last;) n = await append(log, n);
    const expected = new Map(Array.from({ length: KEYS }, (_, i) => last - i).map((n) => [`k${(n * 31) % KEYS}`, n]));
    for (const table of [...(await Promise.all(following)), await follow(log, last)]) expect(table).toEqual(expected);
  });
}, 60_000);

test('retention by bytes keeps up with appends, and a reader from the start never meets a hole', async () => {
  await withFolder(async (folder) => {
    await using log = await openPort(lmdb(join(folder, 'log'), { maintenance: { everyMs: 1, bytesPerSecond: 1e12 } }));
    await log.ensure([shape({ forgetting: { segmentBytes: 500, retentionBytes: 5_000 } })]);
    let start = 0n;
    for (let n = 0; n < 8_000;) {
      n = await append(log, n);
      const [now] = await log.offsets([place], 'earliest');
      expect(now!.offset).toBeGreaterThanOrEqual(start);
      start = now!.offset;
      if (n % 400 !== 0) continue;
      const found = await log.fetch({ ...place, offset: start }, { bytes: 1, waitMs: 0 }, never).catch((error: { code?: string }) => error.code);
      // Between the two calls the start may have grown.
      if (found !== 'STOPLOG_OFFSET_OUT_OF_RANGE') expect((found as Awaited<ReturnType<Log['fetch']>>).batches[0]!.baseOffset).toBe(start);
    }
    expect(start).toBeGreaterThan(4_000n);
  });
}, 60_000);

test.each(['retain.advance', 'retain.deleted'])(
  'L9: killed at %s, a log has moved the start or not, and all records after it are whole',
  async (failpoint) => {
    await withFolder(async (folder) => {
      const path = join(folder, 'log');
      let start0 = 0n;
      for (const hit of [1, 3]) {
        process.env['STOPLOG_FAILPOINTS'] = `${failpoint}=kill#${hit}`;
        const child = start('forgetter', path);
        delete process.env['STOPLOG_FAILPOINTS'];
        expect((await child.ended).signal).toBe('SIGKILL');
        const log = await openPort(lmdb(path, { maintenance: { everyMs: Infinity } }));
        const [from] = await log.offsets([place], 'earliest');
        const [end] = await log.offsets([place], 'latest');
        expect(from!.offset).toBeGreaterThanOrEqual(start0);
        start0 = from!.offset;
        const offsets: bigint[] = [];
        for (let offset = from!.offset; offset < end!.offset;) {
          const found = await log.fetch({ ...place, offset }, { bytes: 1_000_000, waitMs: 0 }, never);
          for (const view of found.batches) while (view.next()) if (view.offset >= found.from) offsets.push(view.offset);
          offset = found.next;
        }
        expect(offsets).toEqual(Array.from({ length: Number(end!.offset - from!.offset) }, (_, i) => from!.offset + BigInt(i)));
        await log[Symbol.asyncDispose]();
      }
    });
  },
  60_000,
);
