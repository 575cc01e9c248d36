import { openLog, type LogClient } from '@stoplog/core';
import { lmdb } from '@stoplog/core/lmdb';
import { expect, test } from 'vitest';
import { randomly, start, startApp, withFolder } from './fixtures/child.ts';
import { appendEntries, checkLedger } from './fixtures/ledger.ts';
import { copies } from './fixtures/ledger.pipeline.mjs';

/** A few kills, to be seen by each change of this folder; reliability/ has many more. */
const KILLS = 8;
const RECORDS_PER_LIFE = 2_400;

/** How many records the pipeline has written to its first output. */
const copied = async (log: LogClient): Promise<bigint> => (await log.ends(copies)).reduce((sum, end) => sum + end, 0n);

test('a pipeline that is killed repeatedly has the results of an undisturbed one, and a reader meanwhile sees no record twice', async () => {
  await withFolder(async (folder) => {
    const random = randomly('kill');
    const total = KILLS * RECORDS_PER_LIFE;
    const log = await openLog(lmdb(folder));
    await appendEntries(log, 0, 0);
    const reader = start('reader.mjs', [folder, `${total}`], { limitMs: 90_000 });
    await reader.said('reading');
    let killedAtWork = 0;
    for (let incarnation = 0; incarnation < KILLS; incarnation++) {
      const app = startApp(folder, 'ledger.pipeline.mjs', { threads: 2, logger: 'none' }, { env: { SPIN_US: '60' } });
      const isRunning = random() >= 0.2;
      await app.said(isRunning ? 'running' : 'starting');
      const before = isRunning ? await copied(log) : 0n;
      const appended = appendEntries(log, incarnation * RECORDS_PER_LIFE, RECORDS_PER_LIFE);
      // On a busy machine a random time alone could end before the pipeline has read anything, so half of the kills wait for that first.
      if (isRunning && incarnation % 2 === 0) while ((await copied(log)) === before) await new Promise((resolve) => setImmediate(resolve));
      await new Promise((resolve) => setTimeout(resolve, random() * 120));
      expect(await app.kill()).toMatchObject({ signal: 'SIGKILL', errors: '' });
      await appended;
      const { faults, taken, appended: all, between } = await checkLedger(folder);
      expect(faults).toEqual([]);
      if ((taken > 0 && taken < all) || between > 0) killedAtWork++;
    }
    const app = startApp(folder, 'ledger.pipeline.mjs', { threads: 2, logger: 'none' });
    await app.said('running');
    app.send('settle');
    await app.said('settled');
    app.send('dispose');
    expect(await app.ended).toMatchObject({ code: 0, errors: '' });
    expect(await checkLedger(folder)).toEqual({ faults: [], taken: total, appended: total, between: 0 });
    expect(await reader.heard('saw')).toEqual({ seen: total, faults: [] });
    await log[Symbol.asyncDispose]();
    console.log(`kill: ${killedAtWork} of ${KILLS} kills fell into the middle of the work`);
    // A run whose kills all missed would prove nothing.
    expect(killedAtWork).toBeGreaterThanOrEqual(2);
  });
}, 120_000);
