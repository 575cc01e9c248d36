import { lmdb } from '@stoplog/core/lmdb';
import { expect, test } from 'vitest';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { latest, texts } from './fixtures/parsed.pipeline.mjs';
import { run, type App } from '@stoplog/runtime';

const runWith = async (writes: string | undefined, judge: (app: App) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'stoplog-parsed-'));
  if (writes !== undefined) process.env['WRITES'] = writes;
  try {
    await using app = await run(new URL('./fixtures/parsed.pipeline.mjs', import.meta.url), { log: lmdb(folder), threads: 1, logger: 'none' });
    await app.log.append(texts, [
      { key: 'a', value: '1' },
      { key: 'b', value: '"2"' },
    ]);
    await judge(app);
  } finally {
    delete process.env['WRITES'];
    rmSync(folder, { recursive: true });
  }
};

test('a pipeline with writes: parsed refuses a string for a store of integers, by verb, path and record, and keeps what came before', async () => {
  await runWith('parsed', async (app) => {
    await expect(app.settled()).rejects.toMatchObject({
      code: 'STOPLOG_HANDLER',
      message: expect.stringMatching(
        /texts\[0\] offset 1 \(key "b"\): fold\(…\) .* value for store 'latest' .* expected number, received string.*at the value itself/,
      ),
      facts: { topic: 'texts', offset: 1n, key: 'b' },
    });
    expect(await app.store(latest).get('a')).toBe(1);
    expect(await app.store(latest).get('b')).toBeUndefined();
  });
});

test('a pipeline that declares nothing trusts its functions when it runs', async () => {
  await runWith(undefined, async (app) => {
    await app.settled();
    expect(await app.store(latest).get('b')).toBe('2');
  });
});
