import { openPort } from '@stoplog/core/kit';
import { loadTools } from '@stoplog/core/tools';
import { lmdb } from '@stoplog/core/lmdb';
import { expect, test } from 'vitest';
import { withFolder } from '../fixtures/child.ts';
import { append, place, shape } from '../fixtures/letters.mjs';

test('a log reports its size and the part in use: deleted records become free pages, and are used again', async () => {
  await withFolder(async (path) => {
    const ref = lmdb(path, { maintenance: { everyMs: Infinity } });
    const { usage, clean } = await loadTools(ref);
    await using log = await openPort(ref);
    await log.ensure([shape]);
    for (let n = 0; n < 10; n++) await append(log, 0, ['x'.repeat(100_000)]);
    const full = await usage(log);
    expect(full.tables.map(({ table, entries }) => [table, entries])).toContainEqual(['log', 10]);
    expect(full.partitions).toEqual([
      { topic: 'letters', partition: 0, bytes: expect.any(Number) },
      { topic: 'letters', partition: 1, bytes: 0 },
    ]);
    expect(full.partitions[0]!.bytes).toBeGreaterThan(1_000_000);
    expect(full.liveBytes).toBeGreaterThan(full.partitions[0]!.bytes);
    expect(full.fileBytes).toBe(full.liveBytes + full.freePages * full.pageBytes);
    await log.deleteRecords([{ ...place(0), offset: 9n }]);
    await clean(log);
    const less = await usage(log);
    expect(less.liveBytes).toBeLessThan(full.liveBytes / 4);
    expect(less.freePages * less.pageBytes).toBeGreaterThan(full.liveBytes / 2);
    for (let n = 0; n < 6; n++) await append(log, 0, ['x'.repeat(100_000)]);
    expect((await usage(log)).fileBytes).toBeLessThanOrEqual(less.fileBytes + 20 * less.pageBytes);
  });
});
