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
  ])('refuses every commit after it was %s, by name, and the log opens again with all that was acknowledged', async (_, lose) => {
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

  test('leaves a commit unacknowledged that it was removed in the middle of, and stops the writer', async () => {
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

  test('loses no acknowledged record of two processes, of which one comes after it was removed', async () => {
    await withFolder(async (folder) => {
      const [path, acks] = [join(folder, 'log'), join(folder, 'acks')];
      const first = start('appender', path, acks, 'a');
      await first.said('acknowledged 50');
      remove(path);
      const { code, errors } = await start('appender', path, acks, 'b', '150').ended;
      // The first may not have found out yet: then the second is not let in.
      if (code !== 0) expect(errors).toContain('no longer holds the lock');
      expect(await first.ended).toMatchObject({ code: 1, errors: expect.stringContaining('lock.mdb') });
      const log = await openPort(lmdb(path));
      const kept = new Set((await readLetters(log)).map(line));
      await log[Symbol.asyncDispose]();
      expect(acknowledgements(acks).filter((record) => !kept.has(record))).toEqual([]);
    });
  }, 60_000);
});
