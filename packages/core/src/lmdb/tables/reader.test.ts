/** Reads of a missing batch. LMDB itself deletes the batch, so that its pages are sound. */
import { BatchBuilder, openPort } from '@stoplog/core/kit';
import { lmdb } from '@stoplog/core/lmdb';
import { expect, test } from 'vitest';
import { batchKey } from '../layout/keyspace.ts';
import { openEnv } from './env.ts';
import { withFolder } from '../fixtures/child.ts';
import { commitOf, never, place, shape } from '../fixtures/letters.mjs';

test('a missing batch is damage for a reader and for a search by time, and not the end', async () => {
  await withFolder(async (path) => {
    const log = await openPort(lmdb(path));
    await log.ensure([shape]);
    for (const [i, times] of [
      [1, 2],
      [3, 4],
      [5, 6],
    ].entries()) {
      const builder = new BatchBuilder();
      for (const time of times) builder.append('k', `${i}`, time);
      await log.commit(commitOf({ appends: [{ ...place(0), batch: builder.finish() }] }));
    }
    await log[Symbol.asyncDispose]();

    const env = openEnv({ path, mapSize: 2 ** 30 }, false);
    const [[key]] = [...env.tables.log.getKeys({ start: batchKey(0, 0, 0n) })].slice(1, 2).map((key) => [Buffer.from(key)] as const) as [[Buffer]];
    env.root.transactionSync(() => void env.tables.log.removeSync(key));
    await env.root.close();

    await using hurt = await openPort(lmdb(path));
    const ask = async (time: number): Promise<bigint> => (await hurt.offsets([place(0)], { time }))[0]!.offset;
    expect(await ask(2)).toBe(1n);
    const missing = { code: 'STOPLOG_LOG_CORRUPT', facts: { topic: 'letters', partition: 0, offset: 2n, reason: 'missing' } };
    await expect(ask(3)).rejects.toMatchObject(missing);
    await expect(hurt.fetch({ ...place(0), offset: 2n }, { bytes: 1, waitMs: 0 }, never)).rejects.toMatchObject(missing);
    // The batches behind it are unchanged.
    expect(await ask(5)).toBe(4n);
  });
});
