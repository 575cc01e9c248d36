import { openLog, type LogClient } from '@stoplog/core';
import { lmdb } from '@stoplog/core/lmdb';
import { describe, expect, test } from 'vitest';
import { startApp, withFolder, type Child } from './fixtures/child.ts';
import { appendEntries, checkLedger } from './fixtures/ledger.ts';

const RECORDS = 6_000;

/** Calls `use` with an app in the middle of its work, whose handler takes time for each record. */
const atWork = async (use: (app: Child, folder: string, log: LogClient) => Promise<void>, options: object = {}): Promise<void> => {
  await withFolder(async (folder) => {
    const log = await openLog(lmdb(folder));
    const app = startApp(folder, 'ledger.pipeline.mjs', { threads: 2, logger: 'none', ...options }, { env: { SPIN_US: '300' } });
    await app.said('running');
    await appendEntries(log, 0, RECORDS);
    await use(app, folder, log);
    await log[Symbol.asyncDispose]();
  });
};
/** Expects consistent results and unprocessed records: the app ended in the middle of its work. */
const expectHalf = async (folder: string): Promise<void> => {
  const { faults, taken, appended, between } = await checkLedger(folder);
  expect(faults).toEqual([]);
  expect(appended).toBe(RECORDS);
  expect(taken < appended || between > 0).toBe(true);
};
const expectWholeAfterAnotherRun = async (folder: string): Promise<void> => {
  const app = startApp(folder, 'ledger.pipeline.mjs', { threads: 2, logger: 'none' });
  await app.said('running');
  app.send('settle');
  await app.said('settled');
  app.send('dispose');
  expect(await app.ended).toMatchObject({ code: 0, errors: '' });
  expect(await checkLedger(folder)).toEqual({ faults: [], taken: RECORDS, appended: RECORDS, between: 0 });
};

describe('an app that is ended in the middle of its work', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)('an app drains on %s, and the program ends by itself', async (signal) => {
    await atWork(async (app, folder) => {
      expect(await app.kill(signal)).toMatchObject({ code: 0, signal: null, errors: '', lines: expect.arrayContaining(['ended']) });
      await expectHalf(folder);
      await expectWholeAfterAnotherRun(folder);
    });
  });

  test('an app leaves signals to its program by default, and loses nothing when a signal ends the program', async () => {
    await atWork(
      async (app, folder) => {
        expect(await app.kill('SIGTERM')).toMatchObject({ code: null, signal: 'SIGTERM', errors: '' });
        await expectHalf(folder);
        await expectWholeAfterAnotherRun(folder);
      },
      { signals: false },
    );
  });

  test('an app ends at once on the second signal, with the exit code of the signal, and loses nothing', async () => {
    await withFolder(async (folder) => {
      const log = await openLog(lmdb(folder));
      // A record takes ten seconds, and a drain would wait for that.
      const app = startApp(folder, 'ledger.pipeline.mjs', { threads: 2 }, { env: { SPIN_US: '10000000' } });
      await app.said('running');
      await appendEntries(log, 0, RECORDS);
      const draining = new Promise<void>((resolve) => app.process.stderr!.on('data', (text: Buffer) => text.toString().includes('draining') && resolve()));
      app.process.kill('SIGINT');
      await draining;
      const since = performance.now();
      expect(await app.kill('SIGINT')).toMatchObject({ code: 130, signal: null });
      expect(performance.now() - since).toBeLessThan(2_000);
      await log[Symbol.asyncDispose]();
      await expectHalf(folder);
      await expectWholeAfterAnotherRun(folder);
    });
  });

  test('an app loses nothing when it is killed while it drains', async () => {
    await atWork(async (app, folder) => {
      app.process.kill('SIGTERM');
      expect(await app.kill('SIGKILL')).toMatchObject({ signal: 'SIGKILL' });
      await expectHalf(folder);
      await expectWholeAfterAnotherRun(folder);
    });
  });

  test('an app drains when its abort signal is aborted', async () => {
    await atWork(
      async (app, folder) => {
        app.send('abort');
        expect(await app.ended).toMatchObject({ code: 0, errors: '', lines: expect.arrayContaining(['ended']) });
        await expectHalf(folder);
      },
      { abortable: true },
    );
  });

  test('an app is disposed of once, however often that is requested', async () => {
    await atWork(async (app, folder) => {
      app.send('dispose');
      await app.said('disposed');
      expect(await app.ended).toMatchObject({ code: 0, errors: '' });
      await expectHalf(folder);
    });
  });
});

test('an app aborted while it starts ends as if it had run', async () => {
  await withFolder(async (folder) => {
    const app = startApp(folder, 'ledger.pipeline.mjs', { threads: 2, logger: 'none', abortable: true });
    app.send('abort');
    expect(await app.ended).toMatchObject({ code: 0, errors: '', lines: ['starting', 'running', 'ended'] });
  });
});
