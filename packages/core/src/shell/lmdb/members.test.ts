import { lmdb } from '@stoplog/core/lmdb';
import { openPort } from '@stoplog/core/port';
import { describe, expect, test } from 'vitest';
import { readLetters, start, withFolder } from './fixtures/child.ts';

/** Which member appended, in which epoch, in the order of the log. */
const ownersOf = async (path: string): Promise<readonly string[]> => {
  const log = await openPort(lmdb(path));
  const owners = (await readLetters(log)).map(({ text }) => text.split(' ').slice(0, 2).join(' '));
  await log[Symbol.asyncDispose]();
  return owners.filter((owner, i) => owner !== owners[i - 1]);
};

describe('two processes in one group', () => {
  test('the second waits while the first lives, and takes over when it is killed', async () => {
    await withFolder(async (path) => {
      const first = start('member', path, 'first');
      await first.said('assigned 1');
      const second = start('member', path, 'second');
      await second.said('joining');
      const seen = first.lines.length;
      await first.said('committed 1', seen + 50);
      expect(second.lines).toEqual(['joining']);
      first.kill();
      await second.said('assigned 2');
      await second.said('committed 2');
      second.kill();
      await second.ended;
      expect(await ownersOf(path)).toEqual(['first 1', 'second 2']);
    });
  }, 15_000);

  test('one that stands still for longer than a lease has lost the group when it wakes, and is refused', async () => {
    await withFolder(async (path) => {
      // Stopped between two commits: inside one it would hold the folder's write lock, and everybody would wait with it.
      const first = start('member', path, 'first', 'asked');
      await first.said('assigned 1');
      first.process.stdin!.write('commit\n');
      await first.said('committed 1 0');
      const second = start('member', path, 'second');
      await second.said('joining');
      first.kill('SIGSTOP');
      first.process.stdin!.write('commit\n');
      await second.said('assigned 2');
      await second.said('committed 2');
      first.kill('SIGCONT');
      await first.said('refused STOPLOG_FENCED');
      await first.said('lost 1');
      expect(await first.ended).toMatchObject({ code: 0 });
      second.kill();
      await second.ended;
      expect(await ownersOf(path)).toEqual(['first 1', 'second 2']);
    });
  }, 30_000);
});
