/**
 * F12, F15, F19: several processes share one pipeline on one log; they die, come, go, and stand still for longer than their
 * session.
 */
import { join } from 'node:path';
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { heard } from './checkers/fault.ts';
import { fence } from './faults/fence.ts';
import { givings, storm } from './faults/storm.ts';
import { readFinal } from './flagship/final.ts';
import { judgeWhole } from './flagship/verdict.ts';
import { Child, type ChildOptions } from './harness/child.ts';
import { withFolder } from './harness/folder.ts';

const ENV = { SPIN_US: '30' };
const start = (folder: string, name: string, upTo: number, stay: 'stay' | 'end', options: ChildOptions = {}): Child =>
  new Child('flagship/app.child.js', [join(folder, 'log'), join(folder, 'history'), name, `${upTo}`, '200', stay], {
    limitMs: 100_000,
    ...options,
    env: { ...ENV, ...options.env },
  });

test('F12: one of two processes that share the partitions is killed and the other continues, three times', async () => {
  await withFolder(async (folder) => {
    await readFinal(join(folder, 'log'));
    const KILLS = 3;
    const sometimes = { givings: 0 };
    let older = start(folder, 'p0', 2_000, 'stay');
    for (let i = 1; i <= KILLS; i++) {
      await older.said('produced');
      const before = await givings(join(folder, 'log'));
      // Both begin to process the new records; one is killed meanwhile, and the other processes the rest.
      const newer = start(folder, `p${i}`, 2_000 * (i + 1), i === KILLS ? 'end' : 'stay');
      await newer.said('running');
      expect(await older.kill()).toMatchObject({ signal: 'SIGKILL', errors: '' });
      await newer.said('settled');
      sometimes.givings += (await givings(join(folder, 'log'))) - before;
      const { faults } = await judgeWhole(join(folder, 'log'), join(folder, 'history'), 0, undefined);
      expect(heard(faults)).toEqual([]);
      older = newer;
    }
    expect(await older.ended).toMatchObject({ code: 0 });
    const verdict = await judgeWhole(join(folder, 'log'), join(folder, 'history'), 2_000 * (KILLS + 1), 60_000);
    expect(heard(verdict.faults)).toEqual([]);
    expect(verdict.records).toBe(2_000 * (KILLS + 1));
    console.log('F12:', sometimes);
    expect(sometimes.givings).toBeGreaterThanOrEqual(KILLS);
  });
}, 120_000);

test('F19: members come and go, by SIGTERM and by SIGKILL, with handlers slower than a session, and each record is processed once', async () => {
  await withFolder(async (folder) => {
    const { faults, figures } = await storm({ folder, changes: ['SIGTERM', 'SIGKILL', 'SIGTERM'], records: 4_000 });
    console.log('F19: sometimes', figures);
    expect(heard(faults)).toEqual([]);
    expect(figures).toMatchObject({ records: 4_000, came: 5, killed: 1, left: 2 });
    expect(figures['givings']).toBeGreaterThan(figures['came']!);
  });
}, 120_000);

test('F12, O21: a commit of a former member is refused, and a commit of a present member is accepted', async () => {
  await withFolder(async (folder) => {
    const { faults, refused, accepted } = await fence(folder);
    console.log('F12: sometimes', { 'fenced commits': refused, 'commits of the owner': accepted });
    expect(heard(faults)).toEqual([]);
    expect([refused > 0, accepted > 0]).toEqual([true, true]);
  });
});

test('F15: a process that stood still for longer than its session is notified when it wakes, and may die of it (rebalance.revoke)', async () => {
  await withFolder(async (folder) => {
    const note = join(folder, 'struck');
    await readFinal(join(folder, 'log'));
    const paused = start(folder, 'paused', 3_000, 'stay', { env: { STOPLOG_FAILPOINTS: 'rebalance.revoke=kill', STOPLOG_FAILPOINTS_STRUCK: note } });
    // Stopped while it rests: inside a transaction it would hold the folder's write lock, and every process would wait with
    // it.
    await paused.said('settled');
    paused.process.kill('SIGSTOP');
    // The second process sends too: records of the first one's partitions wait until they are assigned to the second.
    const second = start(folder, 'second', 6_000, 'end');
    await second.said('settled');
    paused.process.kill('SIGCONT');
    expect(await paused.ended).toMatchObject({ signal: 'SIGKILL' });
    expect(existsSync(note) && readFileSync(note, 'utf8')).toContain('rebalance.revoke kill 1');
    expect(await second.ended).toMatchObject({ code: 0 });
    const verdict = await judgeWhole(join(folder, 'log'), join(folder, 'history'), 6_000, 60_000);
    expect(heard(verdict.faults)).toEqual([]);
  });
}, 120_000);
