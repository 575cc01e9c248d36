/** A lock file that is removed or replaced while processes run costs no acknowledged record. */
import { copyFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openPort } from '@stoplog/core/kit';
import { lmdb } from '@stoplog/core/lmdb';
import { describe, expect, test } from 'vitest';
import { openBareEnv } from '../fixtures/bare-env.ts';
import { acknowledgements, line, readLetters, start, withFolder } from '../fixtures/child.ts';
import { append, shape } from '../fixtures/letters.mjs';

const lockOf = (path: string): string => join(path, 'lock.mdb');
const remove = (path: string): void => rmSync(lockOf(path));
const replace = (path: string): void => {
  copyFileSync(lockOf(path), `${lockOf(path)}.copy`);
  renameSync(`${lockOf(path)}.copy`, lockOf(path));
};
const REFUSED = { code: 'STOPLOG_LOG_UNAVAILABLE', facts: { file: 'lock.mdb' }, message: expect.stringContaining('lock.mdb') };

describe('a lock file that loses its place', () => {
  test.each([
    ['removed', remove],
    ['replaced', replace],
  ])('a log refuses every commit after its lock file was %s, by name, and opens again with all acknowledged records', async (_, lose) => {
    await withFolder(async (path) => {
      const log = await openPort(lmdb(path));
      await log.ensure([shape]);
      await append(log, 0, ['before']);
      lose(path);
      await expect(append(log, 0, ['after'])).rejects.toMatchObject(REFUSED);
      await expect(append(log, 0, ['later'])).rejects.toMatchObject(REFUSED);
      await log[Symbol.asyncDispose]();
      const again = await openPort(lmdb(path));
      await append(again, 0, ['again']);
      expect((await readLetters(again)).map(({ text }) => text)).toEqual(['before', 'again']);
      await again[Symbol.asyncDispose]();
    });
  });

  test('a commit in the middle of which the lock file is removed stays unacknowledged, and stops the writer', async () => {
    const { path, inTransaction, close } = openBareEnv();
    try {
      const refusals = [
        () => remove(path),
        () => {
          throw new Error('a transaction was opened');
        },
      ].map((write) => {
        try {
          inTransaction(write);
          return undefined;
        } catch (error) {
          return error;
        }
      });
      expect(refusals).toMatchObject([{ ...REFUSED, message: expect.stringContaining('may be kept or not') }, REFUSED]);
    } finally {
      await close();
    }
  });

  test('two processes, of which one opens the folder after the lock file was removed, lose no acknowledged record', async () => {
    await withFolder(async (folder) => {
      const [path, acks] = [join(folder, 'log'), join(folder, 'acks')];
      const first = start('appender', path, acks, 'a');
      await first.said('acknowledged 50');
      remove(path);
      const { code, errors } = await start('appender', path, acks, 'b', '150').ended;
      // The first process may not have noticed the removal yet: then the second is refused.
      if (code !== 0) expect(errors).toContain('no longer holds the lock');
      expect(await first.ended).toMatchObject({ code: 1, errors: expect.stringContaining('lock.mdb') });
      const log = await openPort(lmdb(path));
      const kept = new Set((await readLetters(log)).map(line));
      await log[Symbol.asyncDispose]();
      expect(acknowledgements(acks).filter((record) => !kept.has(record))).toEqual([]);
    });
  }, 60_000);
});
