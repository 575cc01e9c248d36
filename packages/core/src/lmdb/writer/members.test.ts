/** Several processes in one group, and the moves of their partitions. */
import { openPort } from '@stoplog/core/kit';
import { loadTools } from '@stoplog/core/tools';
import { lmdb } from '@stoplog/core/lmdb';
import { describe, expect, test } from 'vitest';
import { readLetters, start, startApart, whyNotApart, withFolder, type Child } from '../fixtures/child.ts';

/** Checks that every position of each partition was taken once, by members in growing epochs. */
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
/** The partitions of a child, from the line that lists them. */
const partitionsOf = (line: string): readonly string[] => line.split(' ').slice(1).sort();

describe('processes in one group', () => {
  test('the processes of one group share its partitions, undisturbed in the ones they keep; a member that leaves hands over its own', async () => {
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

  test('a killed member leaves all its partitions to the others', async () => {
    await withFolder(async (path) => {
      const [first, second] = [start('member', path, 'first'), start('member', path, 'second')];
      for (const child of [first, second]) await child.said('committed');
      const seen = second.lines.length;
      first.kill();
      await second.said('committed 0', seen);
      await second.said('committed 1', seen);
      second.kill();
      await second.ended;
      // No process has to detect the death first: the next member is assigned everything when it joins.
      const third = start('member', path, 'third');
      expect(partitionsOf(await third.said('has'))).toHaveLength(2);
      third.kill();
      await third.ended;
      await checkLetters(path);
    });
  }, 40_000);

  test('O21: a member that stands still for longer than its session is refused when it wakes, is notified, and rejoins', async () => {
    await withFolder(async (path) => {
      // Stopped between two commits: inside one it would hold the folder's write lock, and all others would wait with it.
      // When it wakes, it may see its loss before it reads its next command: it tries to commit all the same.
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

  test('a static member that is killed and restarted within its session gets its partitions back, and no other partition moves', async () => {
    await withFolder(async (path) => {
      const still = '{"instanceId":"a","sessionMs":600000}';
      const beside = start('member', path, 'beside', '{}', 'asked');
      await beside.said('has ');
      const first = start('member', path, 'first', still, 'asked');
      const had = partitionsOf(await first.said('has '));
      write(first, 'commit');
      await first.said('committed');
      const heard = beside.lines.filter((line) => line.startsWith('has')).length;
      first.kill();
      await first.ended;
      const module = await loadTools(lmdb(path));
      const log = await openPort(lmdb(path));
      const [description] = await module.groups(log);
      expect(description!.members.map(({ instanceId }) => instanceId)).toEqual([undefined, 'a']);
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
      expect(beside.lines.filter((line) => line.startsWith('has')).length).toBe(heard);
      const impostor = start('member', path, 'impostor', still, 'asked');
      await again.said('ended STOPLOG_FENCED');
      expect(partitionsOf(await impostor.said('has ')).length).toBe(1);
      for (const child of [beside, impostor]) child.kill();
      await Promise.all([again.ended, beside.ended, impostor.ended]);
      await log[Symbol.asyncDispose]();
      await checkLetters(path);
    });
  }, 40_000);

  test('members in containers that do not see each other recognize living members by the locks that LMDB has of them', async ({ skip }) => {
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
      // This is long before its session is over.
      const all = partitionsOf(await second.said('has ', second.lines.length));
      // The survivor's own partition was in one epoch all the time: it was never removed.
      expect([all.length, all]).toEqual([2, expect.arrayContaining([...given])]);
      // The new process has the number of the dead one, as when a container is restarted.
      const again = startApart(0, 'member', path, 'again', '{}', 'asked');
      expect(partitionsOf(await again.said('has '))).toHaveLength(1);
      for (const child of [second, again]) child.kill();
      await Promise.all([first.ended, second.ended, again.ended]);
      await log[Symbol.asyncDispose]();
    });
  }, 40_000);
});
