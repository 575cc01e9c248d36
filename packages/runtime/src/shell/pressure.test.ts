import { openLog } from '@stoplog/core';
import { lmdb } from '@stoplog/core/lmdb';
import { expect, test } from 'vitest';
import { start, withFolder } from './fixtures/child.ts';

interface Sample {
  readonly rss: number;
  readonly read: number;
  readonly handled: number;
}

test('a slow actor behind a fast producer holds a bounded piece of its input, and no more memory at the end than at the start', async () => {
  await withFolder(async (folder) => {
    const log = await openLog(lmdb(folder));
    const child = start('pressed.mjs', [folder], { env: { SPIN_US: '1000' } });
    const samples = await child.told<readonly Sample[]>('samples');
    expect(await child.ended).toMatchObject({ code: 0, errors: '' });
    const [first, ...rest] = samples;
    for (const { rss, read, handled } of rest) {
      // In MB: what was appended meanwhile is 60, all of which would be in memory if it were pushed.
      expect(rss - first!.rss).toBeLessThan(40);
      expect(read - handled).toBeLessThanOrEqual(4_096);
    }
    expect(samples.at(-1)!.handled).toBeGreaterThan(1_000);
    await log[Symbol.asyncDispose]();
  });
}, 60_000);
