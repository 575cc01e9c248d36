import { lmdb } from '@stoplog/core/lmdb';
import { openLog } from '@stoplog/core';
import { expect, test } from 'vitest';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { visits } from './fixtures/keyless.pipeline.mjs';
import { run } from '@stoplog/runtime';

test('an app that is closed settles the appends to its log with what became of them', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'stoplog-closing-'));
  try {
    const app = await run(new URL('./fixtures/keyless.pipeline.mjs', import.meta.url), { log: lmdb(folder), threads: 1, logger: 'none' });
    const appends = Array.from({ length: 200 }, (_, n) => app.log.append(visits, [{ key: 'a', value: n }]));
    await app[Symbol.asyncDispose]();
    expect((await Promise.allSettled(appends)).filter(({ status }) => status === 'rejected')).toEqual([]);
    await expect(app.log.append(visits, [{ key: 'a', value: 0 }])).rejects.toMatchObject({ code: 'STOPLOG_LOG_UNAVAILABLE' });
    const log = await openLog(lmdb(folder));
    expect((await log.ends(visits)).reduce((sum, end) => sum + end, 0n)).toBe(200n);
    await log[Symbol.asyncDispose]();
  } finally {
    rmSync(folder, { recursive: true });
  }
});
