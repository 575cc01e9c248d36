import { openLog } from '@stoplog/core';
import { lmdb } from '@stoplog/core/lmdb';
import { describe, expect, test } from 'vitest';
import { start, startApp, withFolder, type Child } from './fixtures/child.ts';
import { appendEntries, checkLedger } from './fixtures/ledger.ts';

const BATCH = 2_000;

const startOne = (folder: string): Child => startApp(folder, 'ledger.pipeline.mjs', { threads: 2 }, { env: { SPIN_US: '50' }, limitMs: 60_000 });
const stateOf = async (app: Child): Promise<string> => {
  const seen = app.lines.length;
  app.tell('status');
  return (await app.said('status ', seen)).match(/"state":"(\w+)"/)![1]!;
};
/** Settled by whoever has the partitions. */
const settle = async (app: Child): Promise<void> => {
  const seen = app.lines.length;
  app.tell('settle');
  await app.said('settled', seen);
};

describe('two processes that run one pipeline on one folder', () => {
  test('the second waits, and takes over within two seconds when the first is killed', async () => {
    await withFolder(async (folder) => {
      const log = await openLog(lmdb(folder));
      const first = startOne(folder);
      await first.said('running');
      const second = startOne(folder);
      await second.said('running');
      expect([await stateOf(first), await stateOf(second)]).toEqual(['running', 'waiting']);
      await appendEntries(log, 0, BATCH);
      expect(await first.kill()).toMatchObject({ signal: 'SIGKILL' });
      const since = performance.now();
      await appendEntries(log, BATCH, BATCH);
      await settle(second);
      expect(performance.now() - since).toBeLessThan(5_000);
      expect(await stateOf(second)).toBe('running');
      second.tell('dispose');
      const { code, errors } = await second.ended;
      expect(code).toBe(0);
      expect(errors).toMatch(/waiting: another process/);
      expect(await checkLedger(folder)).toEqual({ faults: [], taken: 2 * BATCH, appended: 2 * BATCH, between: 0 });
      await log[Symbol.asyncDispose]();
    });
  }, 60_000);

  test('the second takes over at once when the first drains', async () => {
    await withFolder(async (folder) => {
      const log = await openLog(lmdb(folder));
      const first = startOne(folder);
      await first.said('running');
      const second = startOne(folder);
      await second.said('running');
      await appendEntries(log, 0, BATCH);
      expect(await first.kill('SIGTERM')).toMatchObject({ code: 0 });
      await settle(second);
      second.tell('dispose');
      expect(await second.ended).toMatchObject({ code: 0 });
      expect(await checkLedger(folder)).toEqual({ faults: [], taken: BATCH, appended: BATCH, between: 0 });
      await log[Symbol.asyncDispose]();
    });
  }, 60_000);

  test('one that stood still for longer than its lease is fenced when it wakes, waits, and does nothing twice', async () => {
    await withFolder(async (folder) => {
      const log = await openLog(lmdb(folder));
      const reader = start('reader.mjs', [folder, `${3 * BATCH}`], { limitMs: 60_000 });
      const first = startOne(folder);
      await first.said('running');
      const second = startOne(folder);
      await second.said('running');
      await appendEntries(log, 0, BATCH);
      first.process.kill('SIGSTOP');
      await appendEntries(log, BATCH, BATCH);
      await settle(second);
      expect(await stateOf(second)).toBe('running');
      first.process.kill('SIGCONT');
      await appendEntries(log, 2 * BATCH, BATCH);
      await settle(second);
      for (let state = ''; state !== 'waiting';) state = await stateOf(first);
      // And back again: the one that was fenced is as good as new.
      expect(await second.kill()).toMatchObject({ signal: 'SIGKILL' });
      await settle(first);
      for (let state = ''; state !== 'running';) state = await stateOf(first);
      first.tell('dispose');
      expect(await first.ended).toMatchObject({ code: 0 });
      expect(await checkLedger(folder)).toEqual({ faults: [], taken: 3 * BATCH, appended: 3 * BATCH, between: 0 });
      expect(await reader.told('saw')).toEqual({ seen: 3 * BATCH, faults: [] });
      await log[Symbol.asyncDispose]();
    });
  }, 90_000);
});
