import { openLog } from '@stoplog/core';
import { lmdb } from '@stoplog/core/lmdb';
import { expect, test } from 'vitest';
import { randomly, startApp, withFolder } from './fixtures/child.ts';
import { appendEntries, checkLedger } from './fixtures/ledger.ts';

const TERMINATIONS = 50;
/** More records than two threads process before the next thread is terminated. */
const RECORDS_AT_A_TIME = 1_000;

test('F3, O24: an app whose threads are terminated at any moment continues, and has the results of an undisturbed one', async () => {
  await withFolder(async (folder) => {
    const seed = Math.floor(randomly('terminate')() * 2 ** 31);
    const log = await openLog(lmdb(folder));
    const app = startApp(
      folder,
      'ledger.pipeline.mjs',
      { threads: 2, logger: 'none' },
      {
        nodeArgs: ['--import', new URL('./fixtures/terminator.mjs', import.meta.url).href],
        env: { SPIN_US: '30', TERMINATE_SEED: `${seed}`, TERMINATIONS: `${TERMINATIONS}` },
        limitMs: 150_000,
      },
    );
    await app.said('running');
    let appended = 0;
    for (let n = 1; n <= TERMINATIONS; n++) {
      await appendEntries(log, appended, RECORDS_AT_A_TIME);
      appended += RECORDS_AT_A_TIME;
      await app.said(`terminated ${n} `);
    }
    app.send('settle');
    await app.said('settled');
    app.send('status');
    const { restarts, failed } = await app.heard<{ readonly restarts: number; readonly failed: readonly unknown[] }>('status');
    expect(failed).toEqual([]);
    expect(restarts).toBeGreaterThanOrEqual(TERMINATIONS / 2);
    app.send('dispose');
    expect(await app.ended).toMatchObject({ code: 0, errors: '' });
    expect(await checkLedger(folder)).toEqual({ faults: [], taken: appended, appended, between: 0 });
    await log[Symbol.asyncDispose]();
  });
}, 200_000);
