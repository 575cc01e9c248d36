/** A program that reads or copies its own data folder gives its lock away: no other process may open the folder, and the program continues. */
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openPort } from '@stoplog/core/kit';
import { lmdb } from '@stoplog/core/lmdb';
import { describe, expect, test } from 'vitest';
import { readLetters, start, withFolder, type Child } from '../fixtures/child.ts';
import { holdersIn, holdsLock } from './lock-holders.ts';

/** The answer to a line. A warning is no answer, and comes at any time. */
const send = async (child: Child, line: string): Promise<string> => {
  const from = child.lines.length;
  child.process.stdin!.write(`${line}\n`);
  for (let at = from; ; at++) {
    const answer = await child.said('', at);
    if (!answer.startsWith('warned ')) return answer;
  }
};
const open = async (path: string): Promise<Child> => {
  const child = start('self-reader', path);
  await child.said('open');
  return child;
};
const texts = async (path: string): Promise<readonly string[]> => {
  const log = await openPort(lmdb(path));
  try {
    return (await readLetters(log)).map(({ text }) => text);
  } finally {
    await log[Symbol.asyncDispose]();
  }
};

test('the holders of a lock are those of its first byte, in the file with its inode', () => {
  const listed = [
    '1: POSIX  ADVISORY  WRITE 23710 fe:00:99 23710 23710',
    '2: POSIX  ADVISORY  READ 23710 fe:00:99 0 0',
    '3: POSIX  ADVISORY  READ 5 fe:00:990 0 0',
    '4: FLOCK  ADVISORY  WRITE 6 fe:00:99 0 EOF',
    '5: OFDLCK ADVISORY  READ -1 fe:00:99 0 0',
    '6: POSIX  ADVISORY  READ 7 00:2f:99 0 0',
    '6: -> POSIX  ADVISORY  WRITE 8 00:2f:99 0 0',
    '',
  ].join('\n');
  expect([...holdersIn(listed, 99n)]).toEqual([23710, 7]);
});

describe.runIf(process.platform === 'linux')('a process that reads its own lock file', () => {
  test('the process continues and is warned; others are refused, with its number, and open the folder when it has ended', async ({ skip }) => {
    await withFolder(async (path) => {
      const child = await open(path);
      if (!readdirSync(path).some((name) => name.startsWith('open-'))) {
        child.kill();
        return skip('this system does not list POSIX locks in /proc/locks');
      }
      expect(await send(child, 'one')).toBe('done one');
      expect(await send(child, 'read')).toBe('done read');
      expect(await child.said('warned STOPLOG_LOCK_LOST')).toContain('stoplog backup');
      await expect(openPort(lmdb(path))).rejects.toMatchObject({
        code: 'STOPLOG_LOG_UNAVAILABLE',
        facts: { pids: [child.process.pid] },
        message: expect.stringContaining('no longer holds the lock'),
      });
      for (const text of ['two', 'three']) expect(await send(child, text)).toBe(`done ${text}`);
      child.process.stdin!.end();
      expect(await child.ended).toMatchObject({ code: 0 });
      expect(await texts(path)).toEqual(['one', 'two', 'three']);
      expect(readdirSync(path).filter((name) => name.startsWith('open-'))).toEqual([]);
    });
  });
  test('a process that copies its folder and dies keeps no other out by its name, and the copy is open to all', async () => {
    await withFolder(async (folder) => {
      const [path, copy] = [join(folder, 'log'), join(folder, 'copy')];
      mkdirSync(copy);
      const child = await open(path);
      await send(child, 'one');
      expect(await send(child, `copy ${copy}`)).toBe(`done copy ${copy}`);
      expect(await texts(copy)).toEqual(['one']);
      child.kill();
      await child.ended;
      expect(await texts(path)).toEqual(['one']);
      expect(readdirSync(path).filter((name) => name.startsWith('open-'))).toEqual([]);
    });
  });
  test('a process that does so beside another one that has the folder open disturbs neither', async () => {
    await withFolder(async (path) => {
      const first = await open(path);
      const second = await open(path);
      await send(first, 'read');
      for (const text of ['one', 'two']) for (const child of [first, second]) expect(await send(child, text)).toBe(`done ${text}`);
      for (const child of [first, second]) {
        child.process.stdin!.end();
        await child.ended;
      }
      expect(await texts(path)).toEqual(['one', 'one', 'two', 'two']);
    });
  });
});

test.runIf(process.platform === 'linux')('a folder whose lock file was removed under a process that is idle is opened by no other', async () => {
  await withFolder(async (path) => {
    const child = await open(path);
    rmSync(join(path, 'lock.mdb'));
    await expect(openPort(lmdb(path))).rejects.toMatchObject({ code: 'STOPLOG_LOG_UNAVAILABLE', facts: { pids: [child.process.pid] } });
    expect(await send(child, 'one')).toMatch(/^refused STOPLOG_LOG_UNAVAILABLE .*lock\.mdb/);
    child.process.stdin!.end();
    await child.ended;
    expect(await texts(path)).toEqual([]);
  });
});

test('a log in this process holds its lock for as long as it is open', async () => {
  await withFolder(async (path) => {
    const log = await openPort(lmdb(path));
    const { ino } = statSync(join(path, 'lock.mdb'), { bigint: true });
    // undefined: this system does not list locks.
    expect([true, undefined]).toContain(holdsLock(ino));
    await log[Symbol.asyncDispose]();
    expect([false, undefined]).toContain(holdsLock(ino));
  });
});
