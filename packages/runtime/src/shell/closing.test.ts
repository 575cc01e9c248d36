import { lmdb } from '@stoplog/core/lmdb';
import { openLog } from '@stoplog/core';
import { expect, test } from 'vitest';
import { mkdtempSync, rmSync } from 'node:fs';
import { getEventListeners } from 'node:events';
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

test('one signal ends many apps, and has one listener for all of them and none when they have ended', async () => {
  const folders = ['a', 'b', 'c'].map((name) => mkdtempSync(join(tmpdir(), `stoplog-signal-${name}-`)));
  try {
    const stop = new AbortController();
    const { signal } = stop;
    const url = new URL('./fixtures/keyless.pipeline.mjs', import.meta.url);
    const apps = await Promise.all(folders.map((folder) => run(url, { log: lmdb(folder), threads: 1, logger: 'none', signal })));
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    await apps[0]![Symbol.asyncDispose]();
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    stop.abort();
    for (const app of apps) await app.finished;
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  } finally {
    for (const folder of folders) rmSync(folder, { recursive: true });
  }
}, 20_000);
