/** The number of the last commit in the lock file is set back by one, as a process that opens the folder may do (decision 0018). */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { openPort } from '@stoplog/core/kit';
import { lmdb } from '@stoplog/core/lmdb';
import type { Log } from '@stoplog/core/port';
import { describe, expect, test } from 'vitest';
import { readLetters, withFolder } from '../fixtures/child.ts';
import { append, commitOf, never, place, shape } from '../fixtures/letters.mjs';

const part = { store: 's', partition: 0, group: 'g', version: 1, fingerprint: 'f' };
const key = Buffer.from('key');

/** In a child process: a process that closes a lock file of its own loses its locks on it. */
const setBack = (path: string): void => {
  const code = `
    const { openSync, readSync, writeSync } = require('node:fs');
    const file = openSync(${JSON.stringify(join(path, 'lock.mdb'))}, 'r+');
    const number = Buffer.alloc(8);
    readSync(file, number, 0, 8, 8);
    number.writeBigUInt64LE(number.readBigUInt64LE() - 1n);
    writeSync(file, number, 0, 8, 8);`;
  expect(spawnSync(process.execPath, ['-e', code], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
};
const withLog = (use: (log: Log, path: string) => Promise<void>): Promise<void> =>
  withFolder(async (path) => {
    const log = await openPort(lmdb(path, { maintenance: { everyMs: Infinity } }));
    try {
      await log.ensure([shape]);
      await append(log, 0, ['first']);
      await use(log, path);
    } finally {
      await log[Symbol.asyncDispose]();
    }
  });

describe('after the number of the last commit was set back', () => {
  test('a reader sees the record that was acknowledged to it', () =>
    withLog(async (log, path) => {
      await append(log, 0, ['second']);
      setBack(path);
      expect((await readLetters(log)).map(({ text }) => text)).toEqual(['first', 'second']);
      await append(log, 0, ['third']);
      expect((await readLetters(log)).map(({ text }) => text)).toEqual(['first', 'second', 'third']);
    }));

  test('a position behind the newest record is in range', () =>
    withLog(async (log, path) => {
      await append(log, 0, ['second']);
      const { next } = await log.fetch({ ...place(0), offset: 1n }, { bytes: 1_000, waitMs: 0 }, never);
      setBack(path);
      await expect(log.fetch({ ...place(0), offset: next }, { bytes: 1_000, waitMs: 0 }, never)).resolves.toMatchObject({ batches: [], next });
    }));

  test('a store returns the value that was committed last', () =>
    withLog(async (log, path) => {
      const store = await log.store(part, never);
      const put = (value: string): Promise<unknown> =>
        log.commit(commitOf({ stores: [{ store: 's', partition: 0, keys: [key], values: [Buffer.from(value)] }] }));
      await put('old');
      await put('new');
      setBack(path);
      expect(Buffer.from(store.get(key)!).toString()).toBe('new');
      await put('newest');
      setBack(path);
      expect(store.range({}, 1).map(([, value]) => Buffer.from(value).toString())).toEqual(['newest']);
    }));
});
