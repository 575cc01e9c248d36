/** F12, F15, F19: several processes share one pipeline on one log; they die, come, go, and stand still for longer than their session. */
import { join } from 'node:path';
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { lmdb } from '@stoplog/core/lmdb';
import { loadLogModule, openPort } from '@stoplog/core/port';
import { told } from './checkers/fault.ts';
import { fence } from './faults/fence.ts';
import { readFinal } from './flagship/final.ts';
import { produce } from './flagship/producer.ts';
import { judgeWhole } from './flagship/verdict.ts';
import { Child, type ChildOptions } from './harness/child.ts';
import { withFolder } from './harness/folder.ts';
import { witness } from './history/witness.ts';

const ENV = { SPIN_US: '30' };
const start = (folder: string, name: string, upTo: number, stay: 'stay' | 'end', options: ChildOptions = {}): Child =>
  new Child('flagship/app.child.js', [join(folder, 'log'), join(folder, 'history'), name, `${upTo}`, '200', stay], {
    limitMs: 100_000,
    ...options,
    env: { ...ENV, ...options.env },
  });

/** How often places of the flagship's group have been given to a member: each time the epoch grows by one. */
const givings = async (data: string): Promise<number> => {
  await using log = await openPort(lmdb(data));
  const groups = await (await loadLogModule(lmdb(data))).groups(log);
  return groups.find(({ group }) => group === 'flagship')?.epoch ?? 0;
};

test('F12: of two that share the partitions one is killed, and the other goes on, three times over', async () => {
  await withFolder(async (folder) => {
    await readFinal(join(folder, 'log'));
    const KILLS = 3;
    const sometimes = { givings: 0 };
    let older = start(folder, 'p0', 2_000, 'stay');
    for (let i = 1; i <= KILLS; i++) {
      await older.said('produced');
      const before = await givings(join(folder, 'log'));
      // What it sends, both begin to process; one is killed meanwhile, and what is left is the other's.
      const newer = start(folder, `p${i}`, 2_000 * (i + 1), i === KILLS ? 'end' : 'stay');
      await newer.said('running');
      await older.kill();
      await newer.said('settled');
      sometimes.givings += (await givings(join(folder, 'log'))) - before;
      const { faults } = await judgeWhole(join(folder, 'log'), join(folder, 'history'), 0, undefined);
      expect(told(faults)).toEqual([]);
      older = newer;
    }
    expect(await older.ended).toMatchObject({ code: 0 });
    const verdict = await judgeWhole(join(folder, 'log'), join(folder, 'history'), 2_000 * (KILLS + 1), 60_000);
    expect(told(verdict.faults)).toEqual([]);
    expect(verdict.records).toBe(2_000 * (KILLS + 1));
    console.log('F12:', sometimes);
    expect(sometimes.givings).toBeGreaterThanOrEqual(KILLS);
  });
}, 120_000);

test('F19: members come and go, by SIGTERM and by SIGKILL, beside handlers slower than a session, and each record is processed once', async () => {
  await withFolder(async (folder) => {
    const [data, history] = [join(folder, 'log'), join(folder, 'history')];
    await readFinal(data);
    const RECORDS = 4_000;
    const SESSION_MS = 1_000;
    const env = { SPIN_US: '200', SLOW_MS: `${1.5 * SESSION_MS}` };
    const member = async (): Promise<Child> => {
      const child = new Child('flagship/member.child.js', [data, `${SESSION_MS}`], { limitMs: 100_000, env });
      await child.said('running');
      return child;
    };
    await using log = await openPort(lmdb(data));
    const sometimes = { came: 2, killed: 0, left: 0, givings: 0 };
    let members = await Promise.all([member(), member()]);
    const producing = produce(log, { process: 'outside', upTo: RECORDS, chunk: 50, write: witness(history) });
    for (const signal of ['SIGTERM', 'SIGKILL', 'SIGTERM'] as const) {
      const [older, other] = members as [Child, Child];
      const [newer] = await Promise.all([member(), older.kill(signal)]);
      sometimes[signal === 'SIGKILL' ? 'killed' : 'left']++;
      sometimes.came++;
      members = [other, newer];
    }
    await producing;
    members[0]!.tell('settle');
    await members[0]!.said('settled');
    sometimes.givings = await givings(data);
    for (const { code } of await Promise.all(members.map((child) => child.kill('SIGTERM')))) expect(code).toBe(0);
    const verdict = await judgeWhole(data, history, RECORDS, undefined);
    expect(told(verdict.faults)).toEqual([]);
    const { state } = await readFinal(data);
    expect([verdict.records, state.copies.reduce((sum, { length }) => sum + length, 0)]).toEqual([RECORDS, RECORDS]);
    console.log('F19: sometimes', sometimes);
    expect(sometimes.givings).toBeGreaterThan(sometimes.came);
  });
}, 120_000);

test('F12: what a member commits that was is refused, and what a member commits that is is not', async () => {
  await withFolder(async (folder) => {
    const { faults, refused, accepted } = await fence(folder);
    console.log('F12: sometimes', { 'fenced commits': refused, 'commits of the owner': accepted });
    expect(told(faults)).toEqual([]);
    expect([refused > 0, accepted > 0]).toEqual([true, true]);
  });
});

test('F15: a process that stood still for longer than its session is told so when it wakes, and may die of it (rebalance.revoke)', async () => {
  await withFolder(async (folder) => {
    const note = join(folder, 'struck');
    await readFinal(join(folder, 'log'));
    const paused = start(folder, 'paused', 3_000, 'stay', { env: { STOPLOG_FAILPOINTS: 'rebalance.revoke=kill', STOPLOG_FAILPOINTS_STRUCK: note } });
    // Stopped while it rests: inside a transaction it would hold the folder's write lock, and everybody would wait with it.
    await paused.said('settled');
    paused.process.kill('SIGSTOP');
    // The second sends too: the records of what the first still has wait until that is its own.
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
