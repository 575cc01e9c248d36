import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLog, seconds, type LogClient } from '@stoplog/core';
import { lmdb } from '@stoplog/core/lmdb';
import { run } from '@stoplog/runtime';
import { describe, expect, test } from 'vitest';
import { startApp, withFolder, type Child } from './fixtures/child.ts';
import { appendEntries, checkLedger } from './fixtures/ledger.ts';
import { entries } from './fixtures/ledger.pipeline.mjs';

const BATCH = 2_000;
/** Actors of the ledger: four that read entries, three that read by-group. */
const ACTORS = 7;

const startOne = (folder: string, options: object = {}, env: Readonly<Record<string, string>> = {}): Child =>
  startApp(folder, 'ledger.pipeline.mjs', { threads: 1, ...options }, { env: { SPIN_US: '50', ...env }, limitMs: 60_000 });
interface State {
  readonly state: string;
  readonly holds: readonly string[];
  readonly restarts: number;
}
const stateOf = async (app: Child): Promise<State> => {
  const seen = app.lines.length;
  app.send('status');
  return JSON.parse((await app.said('status ', seen)).slice('status '.length)) as State;
};
/** Resolves with the names of the actors when the process has this number. */
const having = async (app: Child, actors: number): Promise<readonly string[]> => {
  for (;;) {
    const { holds } = await stateOf(app);
    if (holds.length === actors) return holds.toSorted();
  }
};
/** Resolves when the processes share all actors, and each has its part. */
const shared = async (...apps: readonly Child[]): Promise<void> => {
  for (;;) {
    const held = (await Promise.all(apps.map(stateOf))).map(({ holds }) => holds);
    if (held.every(({ length }) => length >= Math.floor(ACTORS / apps.length)) && held.flat().length === ACTORS) {
      expect(new Set(held.flat()).size).toBe(ACTORS);
      return;
    }
  }
};
/** Resolves when all partitions are settled, in any process. */
const settle = async (app: Child): Promise<void> => {
  const seen = app.lines.length;
  app.send('settle');
  await app.said('settled', seen);
};
const dispose = async (app: Child): Promise<string> => {
  app.send('dispose');
  const { code, errors } = await app.ended;
  expect(code).toBe(0);
  return errors;
};
/** Appends until it is stopped; `stop` resolves with the number of appended records. */
const load = (log: LogClient): { readonly stop: () => Promise<number> } => {
  let isOver = false;
  const sending = (async () => {
    let sent = 0;
    for (; !isOver; sent += 50) await appendEntries(log, sent, 50);
    return sent;
  })();
  return {
    stop: () => {
      isOver = true;
      return sending;
    },
  };
};
const whole = (records: number): unknown => ({ faults: [], taken: records, appended: records, between: 0 });

describe('several processes that run one pipeline on one folder', () => {
  test('an invalid instance id or session is refused before anything is opened', async () => {
    const nowhere = { log: lmdb('/nowhere') };
    const url = new URL('file:///nowhere.mjs');
    await expect(run(url, { ...nowhere, instanceId: 'a b' })).rejects.toMatchObject({ code: 'STOPLOG_USAGE', facts: { instanceId: 'a b' } });
    await expect(run(url, { ...nowhere, session: seconds(0.05) })).rejects.toMatchObject({ code: 'STOPLOG_USAGE', facts: { sessionMs: 50 } });
  });

  test('processes share the partitions; restarted in turn under load, or killed, they process each record exactly once', async () => {
    await withFolder(async (folder) => {
      await using log = await openLog(lmdb(folder));
      const first = startOne(folder);
      await first.said('running');
      expect(await stateOf(first)).toMatchObject({ state: 'running', holds: { length: ACTORS } });
      const second = startOne(folder);
      await second.said('running');
      await shared(first, second);
      const sending = load(log);
      expect((await first.kill('SIGTERM')).code).toBe(0);
      const third = startOne(folder);
      await third.said('running');
      await shared(second, third);
      // The actors that stayed were not restarted.
      expect(await stateOf(second)).toMatchObject({ restarts: 0 });
      expect((await second.kill('SIGTERM')).code).toBe(0);
      const fourth = startOne(folder);
      await fourth.said('running');
      await shared(third, fourth);
      expect(await third.kill()).toMatchObject({ signal: 'SIGKILL' });
      const sent = await sending.stop();
      await settle(fourth);
      await having(fourth, ACTORS);
      // Some actors were taken while the third process lived, as each was released, and the rest when it was killed.
      const heard = [...(await dispose(fourth)).matchAll(/(\d) of 7 actors here: (\d) taken/g)].map(([, held, taken]) => [Number(held), Number(taken)]);
      expect(heard.map(([held]) => held)).toEqual(heard.map((_, i) => heard.slice(0, i + 1).reduce((sum, [, taken]) => sum + taken!, 0)));
      expect(heard.slice(-2)).toEqual([
        [expect.toSatisfy((held: number) => held === 3 || held === 4), expect.any(Number)],
        [ACTORS, expect.toSatisfy((taken: number) => taken === 3 || taken === 4)],
      ]);
      expect(await checkLedger(folder)).toEqual(whole(sent));
    });
  }, 60_000);

  test('a process hands a partition over when its handler is done, not before', async () => {
    await withFolder(async (folder) => {
      await using log = await openLog(lmdb(folder));
      const go = join(folder, 'go');
      const first = startOne(folder, {}, { HOLD: go });
      await first.said('running');
      await log.append(entries, [{ key: 'slow', value: -1 }]);
      await first.said('held');
      const second = startOne(folder);
      // The second process waits without partitions: they are still assigned to the first.
      await second.said('running');
      expect(await stateOf(second)).toMatchObject({ state: 'waiting', holds: [] });
      // The request comes while some partitions are revoked: the other process reports these.
      const settled = settle(first);
      await having(first, 4);
      writeFileSync(go, '');
      await shared(first, second);
      await settle(second);
      await settled;
      await Promise.all([dispose(first), dispose(second)]);
      expect(await checkLedger(folder)).toEqual(whole(1));
    });
  }, 60_000);

  test('a process hands over drained partitions while the handler of another revoked partition is not done', async () => {
    await withFolder(async (folder) => {
      await using log = await openLog(lmdb(folder));
      const go = join(folder, 'go');
      // A thread for each actor, so that a waiting handler delays only its own actor.
      const first = startOne(folder, { threads: ACTORS }, { HOLD: go });
      await first.said('running');
      for (const key of Array.from({ length: 10 }, (_, i) => `k${i}`)) await log.append(entries, [{ key, value: -1 }]);
      for (let n = 0, from = 0; n < 4; n++, from = first.lines.indexOf('held', from) + 1) await first.said('held', from);
      // Two of the three revoked partitions have waiting handlers, and one has not.
      const second = startOne(folder);
      await second.said('running');
      expect(await having(second, 1)).toEqual([expect.stringMatching(/^1:/)]);
      writeFileSync(go, '');
      await shared(first, second);
      await Promise.all([dispose(first), dispose(second)]);
      expect(await checkLedger(folder)).toEqual(whole(10));
    });
  }, 60_000);

  test('O21: processes continue without one that stands still longer than its session; it is fenced when it wakes, and joins again', async () => {
    await withFolder(async (folder) => {
      await using log = await openLog(lmdb(folder));
      const [first, second] = [startOne(folder, { session: 1_000 }), startOne(folder, { session: 1_000 })];
      await Promise.all([first.said('running'), second.said('running')]);
      await shared(first, second);
      await appendEntries(log, 0, BATCH);
      // The process is stopped while idle: inside a transaction it would hold the folder's write lock, and all others would wait.
      await settle(second);
      first.process.kill('SIGSTOP');
      await appendEntries(log, BATCH, BATCH);
      await settle(second);
      await having(second, ACTORS);
      first.process.kill('SIGCONT');
      await appendEntries(log, 2 * BATCH, BATCH);
      await shared(first, second);
      await settle(first);
      await Promise.all([dispose(first), dispose(second)]);
      expect(await checkLedger(folder)).toEqual(whole(3 * BATCH));
    });
  }, 90_000);

  test('the status of an app completes when another process replaces it', async () => {
    await withFolder(async (folder) => {
      const url = new URL('./fixtures/ledger.pipeline.mjs', import.meta.url);
      const app = await run(url, { log: lmdb(folder), threads: 1, instanceId: 'a', logger: 'none' });
      const heard = new Promise<void>((complete, error) => app.status.subscribe({ complete, error }));
      const twin = startOne(folder, { instanceId: 'a' });
      await expect(app.finished).rejects.toMatchObject({ code: 'STOPLOG_FENCED' });
      await heard;
      await twin.said('running');
      await dispose(twin);
    });
  }, 60_000);

  test('a process with an instance id has the same partitions after a restart, and the other processes keep theirs', async () => {
    await withFolder(async (folder) => {
      await using log = await openLog(lmdb(folder));
      const member = (instanceId: string): Child => startOne(folder, { instanceId, session: 60_000 });
      const a = member('a');
      await a.said('running');
      const b = member('b');
      await b.said('running');
      await shared(a, b);
      const had = [(await stateOf(a)).holds.toSorted(), (await stateOf(b)).holds.toSorted()];
      await appendEntries(log, 0, BATCH);
      const { code, errors } = await a.kill('SIGTERM');
      expect([code, errors]).toEqual([0, expect.stringMatching(/draining \d actors; .* Its partitions wait 60 s for 'a' to come back/)]);
      await appendEntries(log, BATCH, BATCH);
      const again = member('a');
      await again.said('running');
      await settle(again);
      expect([(await stateOf(again)).holds.toSorted(), (await stateOf(b)).holds.toSorted()]).toEqual(had);
      // Another process with the same instance id fences the older one.
      const twin = member('a');
      expect(JSON.parse((await again.said('ended ')).slice('ended '.length))).toMatchObject({ code: 'STOPLOG_FENCED' });
      expect((await again.ended).errors).toMatch(/STOPLOG_FENCED/);
      await twin.said('running');
      await appendEntries(log, 2 * BATCH, BATCH);
      await settle(twin);
      expect((await stateOf(b)).holds.toSorted()).toEqual(had[1]);
      await dispose(twin);
      expect(await dispose(b)).not.toMatch(/handed over/);
      expect(await checkLedger(folder)).toEqual(whole(3 * BATCH));
    });
  }, 60_000);
});
