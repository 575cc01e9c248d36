/** The batches that compaction has emptied take one row in any number, and a reader whose position is among them notices nothing. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TopicShape } from '@stoplog/core/port';
import { BatchBuilder, openPort, readLag } from '@stoplog/core/kit';
import { loadTools } from '@stoplog/core/tools';
import { lmdb } from '@stoplog/core/lmdb';
import { expect, test } from 'vitest';
import { decodeOffset, offsetOfBatchKey, unseal } from '../layout/keyspace.ts';
import { DEFAULT_MAP_SIZE } from '../folder/address-space.ts';
import { openEnv } from '../tables/env.ts';
import { commitOf, never } from '../fixtures/letters.mjs';

const place = { topic: 't', partition: 0 };
const shape: TopicShape = {
  name: 't',
  partitions: 1,
  cleanup: 'compact',
  retentionMs: undefined,
  forgetting: { segmentBytes: 1_000, deleteRetentionMs: 0 },
  keyCodec: 'string',
  valueCodec: 'string',
  keySchema: {},
  valueSchema: {},
};
const BATCHES = 600;

/** Counts the rows of each table, and the entries of `times` that lead to no batch. */
const rows = async (path: string): Promise<{ readonly log: number; readonly segments: number; readonly times: number; readonly astray: readonly bigint[] }> => {
  const env = openEnv({ path, mapSize: DEFAULT_MAP_SIZE }, true);
  const bases = new Set([...env.tables.log.getKeys({})].map((key) => offsetOfBatchKey(key)));
  const leads = [...env.tables.times.getRange({})].map(({ key, value }) => decodeOffset(unseal('times', key, value)));
  const counted = {
    log: bases.size,
    segments: [...env.tables.segments.getKeys({})].length,
    times: leads.length,
    astray: leads.filter((offset) => !bases.has(offset)),
  };
  await env.root.close();
  return counted;
};

test('hundreds of emptied batches and their segments are a few rows after two cleanings, and every offset, time, position and lag is what it was', async () => {
  const path = mkdtempSync(join(tmpdir(), 'stoplog-folding-'));
  const ref = lmdb(path, { maintenance: { everyMs: Infinity } });
  const { clean } = await loadTools(ref);
  try {
    {
      await using log = await openPort(ref);
      await log.ensure([shape]);
      const builder = new BatchBuilder();
      for (let n = 0; n < BATCHES; n++) {
        // Key 'early' survives in the middle; 'g' only at the end.
        builder.append(n === 200 ? 'early' : 'g', String(n), 1_000 + n);
        await log.commit(commitOf({ appends: [{ ...place, batch: builder.finish() }] }));
      }
      await log.commit(commitOf({ group: 'parked', positions: [{ ...place, from: 0n, to: 77n }] }));
      for (let n = 0; n < 2; n++) await clean(log, { roll: true });
    }
    const { log: batches, segments, times, astray } = await rows(path);
    expect(batches).toBeLessThanOrEqual(6);
    expect(segments).toBeLessThanOrEqual(2);
    expect(times).toBeLessThanOrEqual(6);
    expect(astray).toEqual([]);

    await using log = await openPort(ref);
    for (let n = 0; n <= BATCHES; n++) {
      const expected = n <= 200 ? 200n : n < BATCHES ? BigInt(BATCHES - 1) : undefined;
      const [at] = await log.offsets([place], { time: 1_000 + n });
      expect(at!.offset).toBe(expected ?? BigInt(BATCHES));
      let from = BigInt(n);
      let found: bigint | undefined;
      while (found === undefined && from < BigInt(BATCHES)) {
        const { batches: views, next } = await log.fetch({ ...place, offset: from }, { bytes: 1, waitMs: 0 }, never);
        expect(next).toBeGreaterThan(from);
        for (const view of views) while (view.next()) if (view.offset >= from) found ??= view.offset;
        from = next;
      }
      expect(found).toBe(expected);
    }
    const [stands] = await log.committed('parked', [place]);
    expect(stands!.offset).toBe(77n);
    const [lag] = await readLag(log, 'parked', [place], () => 2_000);
    expect(lag).toMatchObject({ records: BATCHES - 77, age: 2_000 - 1_200 });
    await log.commit(commitOf({ group: 'parked', positions: [{ ...place, from: 77n, to: 78n }] }));
    await log.deleteRecords([{ ...place, offset: 150n }]);
    await clean(log);
    const { batches: views } = await log.fetch({ ...place, offset: 150n }, { bytes: 1, waitMs: 0 }, never);
    expect(views[0]!.next() && views[0]!.offset).toBe(200n);
  } finally {
    rmSync(path, { recursive: true });
  }
}, 60_000);
