/** F12, F15: several processes run one pipeline on one log, and one of them stands still for longer than its lease. */
import { join } from 'node:path';
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { lmdb } from '@stoplog/core/lmdb';
import { loadLogModule, openPort } from '@stoplog/core/port';
import { told } from './checkers/fault.ts';
import { fence } from './faults/fence.ts';
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

/** How often the group of the flagship has been taken: each time its epoch grows by one. */
const takings = async (data: string): Promise<number> => {
  await using log = await openPort(lmdb(data));
  const groups = await (await loadLogModule(lmdb(data))).groups(log);
  return groups.find(({ group }) => group === 'flagship')!.epoch;
};

test('F12: whoever has the group is killed, and who stood by goes on, three times over', async () => {
  await withFolder(async (folder) => {
    await readFinal(join(folder, 'log'));
    const TAKEOVERS = 3;
    const sometimes = { takeovers: 0 };
    let owner = start(folder, 'p0', 2_000, 'stay');
    for (let i = 1; i <= TAKEOVERS; i++) {
      await owner.said('produced');
      const before = await takings(join(folder, 'log'));
      // What it sends, the other begins to process; that is killed meanwhile, and what is left is its own.
      const standby = start(folder, `p${i}`, 2_000 * (i + 1), i === TAKEOVERS ? 'end' : 'stay');
      await standby.said('running');
      await owner.kill();
      await standby.said('settled');
      sometimes.takeovers += (await takings(join(folder, 'log'))) - before;
      const { faults } = await judgeWhole(join(folder, 'log'), join(folder, 'history'), 0, undefined);
      expect(told(faults)).toEqual([]);
      owner = standby;
    }
    expect(await owner.ended).toMatchObject({ code: 0 });
    const verdict = await judgeWhole(join(folder, 'log'), join(folder, 'history'), 2_000 * (TAKEOVERS + 1), 60_000);
    expect(told(verdict.faults)).toEqual([]);
    expect(verdict.records).toBe(2_000 * (TAKEOVERS + 1));
    console.log('F12:', sometimes);
    expect(sometimes.takeovers).toBe(TAKEOVERS);
  });
}, 120_000);

test('F12: what an owner that was commits is refused, and what the owner commits is not', async () => {
  await withFolder(async (folder) => {
    const { faults, refused, accepted } = await fence(folder);
    console.log('F12: sometimes', { 'fenced commits': refused, 'commits of the owner': accepted });
    expect(told(faults)).toEqual([]);
    expect([refused > 0, accepted > 0]).toEqual([true, true]);
  });
});

test('F15: a process that stood still for longer than its lease is told so when it wakes, and may die of it (rebalance.revoke)', async () => {
  await withFolder(async (folder) => {
    const note = join(folder, 'struck');
    await readFinal(join(folder, 'log'));
    const paused = start(folder, 'paused', 3_000, 'stay', { env: { STOPLOG_FAILPOINTS: 'rebalance.revoke=kill', STOPLOG_FAILPOINTS_STRUCK: note } });
    // Stopped while it rests: inside a transaction it would hold the folder's write lock, and everybody would wait with it.
    await paused.said('settled');
    paused.process.kill('SIGSTOP');
    // The second sends too: the records wait until the group is its own.
    const second = start(folder, 'second', 6_000, 'end');
    await second.said('settled');
    paused.process.kill('SIGCONT');
    expect(await paused.ended).toMatchObject({ signal: 'SIGKILL' });
    expect(existsSync(note) && readFileSync(note, 'utf8')).toContain('rebalance.revoke kill 1');
    expect(await second.ended).toMatchObject({ code: 0 });
    const verdict = await judgeWhole(join(folder, 'log'), join(folder, 'history'), 6_000, 60_000);
    expect(told(verdict.faults)).toEqual([]);
  });
}, 120_000);
