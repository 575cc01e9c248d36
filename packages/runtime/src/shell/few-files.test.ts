/** An app whose threads have too few file descriptors: each missing descriptor makes another import fail, and Node caches the failure. */
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { start, withFolder } from './fixtures/child.ts';
import { checkLedger } from './fixtures/ledger.ts';

/** Node 20 reads modules in parallel, so a thread needs dozens of descriptors for a moment; later versions read modules one by one. */
test.each([0, 4, 8, 12, 16])(
  'an app with %i spare file descriptors reports the lack, and runs when there are more',
  async (spare) => {
    await withFolder(async (folder) => {
      const app = start('few-files.mjs', [folder, `${spare}`]);
      await Promise.race([once(app.process.stderr!, 'data'), app.said('settled')]);
      app.send('give back');
      const { code, errors, lines } = await app.ended;
      expect({ code, lines }).toEqual({ code: 0, lines: ['settled', 'ended'] });
      for (const line of errors.split('\n').filter((text) => text !== ''))
        expect(line).toMatch(/failed, again in .*STOPLOG_TOO_FEW_FILES .*Close some, or raise/);
      if (spare === 0) expect(errors).toMatch(/this process has \d+ of \d+, .*ulimit -n/);
      expect(await checkLedger(folder)).toEqual({ faults: [], taken: 200, appended: 200, between: 0 });
    });
  },
  60_000,
);

test('an app that never has enough file descriptors ends by itself and reports the reason', async () => {
  await withFolder(async (folder) => {
    const app = start('few-files.mjs', [folder, '0'], { limitMs: 20_000 });
    const { code, signal, lines } = await app.ended;
    expect({ code, signal }).toEqual({ code: 1, signal: null });
    expect(lines).toEqual([expect.stringMatching(/^refused \{"code":"STOPLOG_TOO_FEW_FILES".*ulimit -n/)]);
    expect(await checkLedger(folder)).toMatchObject({ faults: [], appended: 200 });
  });
}, 40_000);
