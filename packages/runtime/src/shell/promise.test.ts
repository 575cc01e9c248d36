import { lmdb } from '@stoplog/core/lmdb';
import { expect, test } from 'vitest';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answered, asked } from './fixtures/promise.pipeline.mjs';
import { run, type Status } from '@stoplog/runtime';

/** Appends the texts and waits until the partition has failed. */
const failWith = async (...texts: readonly string[]): Promise<{ readonly restarts: number; readonly said: string; readonly written: number }> => {
  const folder = mkdtempSync(join(tmpdir(), 'stoplog-promise-'));
  try {
    await using app = await run(new URL('./fixtures/promise.pipeline.mjs', import.meta.url), { log: lmdb(folder), threads: 1, logger: 'none' });
    await app.log.append(
      asked,
      texts.map((value) => ({ key: 'k', value })),
    );
    const { restarts, failed } = await new Promise<Status>((resolve, reject) => {
      app.status.subscribe({ next: (status) => status.failed.length === 1 && resolve(status), error: reject });
    });
    let written = 0;
    for await (const batch of app.log.read(answered, { from: 'earliest', until: 'end' })) written += batch.length;
    return { restarts, said: failed[0]!.error.message, written };
  } finally {
    rmSync(folder, { recursive: true });
  }
};

test('a promise at the first record fails the partition without another try', async () => {
  expect(await failWith('later', 'now')).toEqual({ restarts: 0, said: expect.stringMatching(/asked\[0\] offset 0 .*map\(…\) returned a promise/), written: 0 });
});

test('a promise at a later record is tried once more, alone, after the records before it are committed', async () => {
  const { restarts, said, written } = await failWith('now', 'now', 'later', 'now');
  expect(restarts).toBeLessThanOrEqual(1);
  expect([said, written]).toEqual([expect.stringMatching(/asked\[0\] offset 2 /), 2]);
});
