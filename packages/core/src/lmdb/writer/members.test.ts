/** Several processes in one group, and what becomes of each other's partitions. */
import { openPort } from '@stoplog/core/kit';
import { loadTools } from '@stoplog/core/tools';
import { lmdb } from '@stoplog/core/lmdb';
import { describe, expect, test } from 'vitest';
import { readLetters, start, startApart, whyNotApart, withFolder, type Child } from '../fixtures/child.ts';

/** Whatever happens, of each partition every position was taken once, by members in growing epochs. */
const checkLetters = async (path: string): Promise<readonly (readonly string[])[]> => {
  await using log = await openPort(lmdb(path));
  const letters = await readLetters(log);
  return [0, 1].map((partition) => {
    const own = letters.filter((letter) => letter.partition === partition).map(({ text }) => text.split(' '));
    expect(own.map(([, , position]) => Number(position))).toEqual(own.map((_, i) => i));
    const epochs = own.map(([, epoch]) => Number(epoch));
    expect(epochs).toEqual([...epochs].sort((a, b) => a - b));
    const owners = own.map(([name]) => name!);
    return owners.filter((owner, i) => owner !== owners[i - 1]);
  });
};
const write = (child: Child, line: string): void => void child.process.stdin!.write(`${line}\n`);
/** What a child has, from the line in which it says so. */
const partitionsOf = (line: string): readonly string[] => line.split(' ').slice(1).sort();

describe('processes in one group', () => {
  test('share its partitions, each going on undisturbed with what it keeps; one that leaves hands over what it has', async () => {
    await withFolder(async (path) => {
      const first = start('member', path, 'first');
      await first.said('committed 0 1');
      await first.said('committed 1 1');
      const second = start('member', path, 'second');
      const [given] = partitionsOf(await second.said('has '));
      const [kept, ...more] = partitionsOf(await first.said('has ', first.lines.indexOf('has 0@1 1@1') + 1));
      expect([kept, more]).toEqual([expect.stringMatching(/@1$/), []]);
      await second.said(`committed ${given!.replace('@', ' ')}`);
      await first.said(`committed ${kept!.replace('@', ' ')}`, first.lines.length);
      const seen = second.lines.length;
      write(first, 'leave');
      const all = partitionsOf(await second.said('has ', seen));
      expect([all.length, all.includes(given!)]).toEqual([2, true]);
      await second.said(`committed ${kept!.split('@')[0]} `, seen);
      write(second, 'leave');
      for (const child of [first, second]) {
        await child.said('left');
        expect(await child.ended).toMatchObject({ code: 0, errors: '' });
      }
      expect((await checkLetters(path)).map(({ length }) => length)).toEqual([2, 2]);
    });
  }, 40_000);

  test('one that is killed leaves everything to the others', async () => {
    await withFolder(async (path) => {
      const [first, second] = [start('member', path, 'first'), start('member', path, 'second')];
      for (const child of [first, second]) await child.said('committed');
      const seen = second.lines.length;
      first.kill();
      await second.said('committed 0', seen);
      await second.said('committed 1', seen);
      second.kill();
      await second.ended;
      // Nobody has to find out first that it is gone: the one that comes next is given everything when it joins.
      const third = start('member', path, 'third');
      expect(partitionsOf(await third.said('has'))).toHaveLength(2);
      third.kill();
      await third.ended;
      await checkLetters(path);
    });
  }, 40_000);

  test('O21: one that stands still for longer than its session is refused when it wakes, is told so, and comes back', async () => {
    await withFolder(async (path) => {
      // Stopped between two commits: inside one it would hold the folder's write lock, and everybody would wait with it.
      // When it wakes it may be told what it lost before it reads what it is asked: it tries to commit all the same.
      const first = start('member', path, 'first', '{"sessionMs":3000}', 'late');
      await first.said('has 0@1 1@1');
      write(first, 'commit');
      await first.said('committed 0 1 0');
      await first.said('committed 1 1 0');
      first.kill('SIGSTOP');
      const second = start('member', path, 'second');
      write(first, 'commit');
      await second.said('committed 0');
      await second.said('committed 1');
      first.kill('SIGCONT');
      await first.said('refused 0 STOPLOG_FENCED');
      await first.said('refused 1 STOPLOG_FENCED');
      await first.said('has', first.lines.indexOf('has 0@1 1@1') + 1);
      await first.said('has ', first.lines.indexOf('has') + 1);
      for (const child of [first, second]) child.kill();
      await Promise.all([first.ended, second.ended]);
      await checkLetters(path);
    });
  }, 40_000);

  test('a static one that is killed and started again within its session gets back what it had, and nothing else moves', async () => {
    await withFolder(async (path) => {
      const still = '{"instanceId":"a","sessionMs":600000}';
      const beside = start('member', path, 'beside', '{}', 'asked');
      await beside.said('has ');
      const first = start('member', path, 'first', still, 'asked');
      const had = partitionsOf(await first.said('has '));
      write(first, 'commit');
      await first.said('committed');
      const told = beside.lines.filter((line) => line.startsWith('has')).length;
      first.kill();
      await first.ended;
      const module = await loadTools(lmdb(path));
      const log = await openPort(lmdb(path));
      const [standing] = await module.groups(log);
      expect(standing!.members.map(({ instanceId }) => instanceId)).toEqual([undefined, 'a']);
      await expect(module.deleteGroup(log, 'workers')).rejects.toMatchObject({
        code: 'STOPLOG_GROUP_ACTIVE',
        message: expect.stringContaining("'a', expected back for 600 s"),
      });
      const again = start('member', path, 'again', still, 'asked');
      const has = partitionsOf(await again.said('has '));
      expect(has.map((holding) => holding.split('@')[0])).toEqual(had.map((holding) => holding.split('@')[0]));
      expect(has).not.toEqual(had);
      write(again, 'commit');
      await again.said('committed');
      expect(beside.lines.filter((line) => line.startsWith('has')).length).toBe(told);
      const impostor = start('member', path, 'impostor', still, 'asked');
      await again.said('ended STOPLOG_FENCED');
      expect(partitionsOf(await impostor.said('has ')).length).toBe(1);
      for (const child of [beside, impostor]) child.kill();
      await Promise.all([again.ended, beside.ended, impostor.ended]);
      await log[Symbol.asyncDispose]();
      await checkLetters(path);
    });
  }, 40_000);

  test('in containers that do not see each other know who lives by the lock that LMDB has of each', async ({ skip }) => {
    const why = whyNotApart();
    if (why !== undefined) return skip(why);
    await withFolder(async (path) => {
      const first = startApart(0, 'member', path, 'first', '{"sessionMs":600000}', 'asked');
      await first.said('has ');
      const second = startApart(1, 'member', path, 'second', '{"sessionMs":600000}', 'asked');
      const given = partitionsOf(await second.said('has '));
      expect(given).toHaveLength(1);
      const module = await loadTools(lmdb(path));
      const log = await openPort(lmdb(path));
      expect((await module.groups(log))[0]!.members).toHaveLength(2);
      first.kill();
      // Long before its session is over.
      const all = partitionsOf(await second.said('has ', second.lines.length));
      // Its own was in one epoch all the time: nobody has expelled it.
      expect([all.length, all]).toEqual([2, expect.arrayContaining([...given])]);
      // One whose number the dead one had, as when a container is started again.
      const again = startApart(0, 'member', path, 'again', '{}', 'asked');
      expect(partitionsOf(await again.said('has '))).toHaveLength(1);
      for (const child of [second, again]) child.kill();
      await Promise.all([first.ended, second.ended, again.ended]);
      await log[Symbol.asyncDispose]();
    });
  }, 40_000);
});
