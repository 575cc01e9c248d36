import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lmdb } from '@stoplog/core/lmdb';
import { openPort } from '@stoplog/core/port';
import { open as openEnv } from 'lmdb';
import { describe, expect, test } from 'vitest';
import { readLetters, start, withFolder } from './fixtures/child.ts';
import { append, shape } from './fixtures/letters.mjs';

interface Said {
  readonly values: readonly string[];
  readonly errors: readonly string[];
  readonly message?: string;
  readonly appended?: boolean;
}
/** What a child process finds in a folder; that it lived to tell is part of every test. */
const look = async (path: string, ...flags: readonly string[]): Promise<Said> => {
  const ended = await start('look', ...flags, path).ended;
  expect([ended.signal, ended.errors]).toEqual([null, '']);
  return JSON.parse(ended.lines[0]!) as Said;
};
const makeLog = async (path: string): Promise<void> => {
  const log = await openPort(lmdb(path));
  await log.ensure([shape]);
  for (let i = 0; i < 30; i++) await append(log, i % 2, [`${i}`, 'x'.repeat(i * 100)]);
  await log[Symbol.asyncDispose]();
};
const withLog = (use: (path: string) => Promise<void>): Promise<void> =>
  withFolder(async (folder) => {
    const path = join(folder, 'log');
    await makeLog(path);
    await use(path);
  });
const data = (path: string): string => join(path, 'data.mdb');
/** Up to the end of the last page that is written; behind it the file is a hole. */
const usedBytes = (path: string): number => {
  const bytes = readFileSync(data(path));
  let last = bytes.length - 1;
  while (bytes[last] === 0) last--;
  return (Math.floor(last / 8_192) + 1) * 8_192;
};

describe('a folder that is damaged is refused by name, before it is mapped', () => {
  test('a data file that was cut, wherever it was cut', async () => {
    await withLog(async (path) => {
      const used = usedBytes(path);
      for (const size of [used - 8_192, 8_192 * 3, 8_192 + 100, 8_192, 100, 0]) {
        truncateSync(data(path), size);
        const said = await look(path);
        expect([size, said.errors, said.values.length]).toEqual([size, ['STOPLOG_LOG_CORRUPT'], 0]);
        expect(said.message).toContain('restore the folder from a backup');
      }
    });
  }, 15_000);
  test.each([
    ['whole', 0, Infinity],
    ['in its first meta page', 0, 8_192],
    ['in its second meta page', 8_192, 8_192],
  ] as const)('a data file that was zeroed %s', async (_, from, length) => {
    await withLog(async (path) => {
      const bytes = readFileSync(data(path));
      writeFileSync(data(path), bytes.fill(0, from, Math.min(from + length, bytes.length)));
      expect((await look(path)).errors).toEqual(['STOPLOG_LOG_CORRUPT']);
    });
  });
  test('a data file that is gone: an empty log is not what was kept there', async () => {
    await withLog(async (path) => {
      rmSync(data(path));
      expect((await look(path)).errors).toEqual(['STOPLOG_LOG_CORRUPT']);
      expect(readdirSync(path)).not.toContain('data.mdb');
    });
  });
});

describe('a folder that is not ours, or of a later version, is refused and not touched', () => {
  test.each([
    ['other files', (path: string) => writeFileSync(join(path, 'thesis.txt'), 'x')],
    ['a data file of something else', (path: string) => writeFileSync(data(path), 'x'.repeat(50_000))],
    ['a mark that is not JSON', (path: string) => writeFileSync(join(path, 'stoplog.json'), 'x')],
    [
      'the LMDB tables of another program',
      async (path: string) => {
        const env = openEnv({ path, pageSize: 8192, noSubdir: false });
        await env.openDB({ name: 'recipes' }).put('soup', 'salt');
        await env.close();
        rmSync(join(path, 'lock.mdb'));
      },
    ],
  ] as const)('%s', async (_, make) => {
    await withFolder(async (path) => {
      await make(path);
      const before = readdirSync(path).map((name) => [name, readFileSync(join(path, name)).toString('hex')]);
      expect((await look(path)).errors).toEqual(['STOPLOG_LOG_FOREIGN']);
      expect(
        readdirSync(path)
          .filter((name) => name !== 'lock.mdb')
          .map((name) => [name, readFileSync(join(path, name)).toString('hex')]),
      ).toEqual(before);
    });
  });
  test('a file where the folder should be', async () => {
    await withFolder(async (folder) => {
      writeFileSync(join(folder, 'file'), '');
      expect((await look(join(folder, 'file'))).errors).toEqual(['STOPLOG_LOG_FOREIGN']);
    });
  });
  test('a newer format, with both formats as facts', async () => {
    await withLog(async (path) => {
      writeFileSync(join(path, 'stoplog.json'), '{"format": 99}');
      const said = await look(path);
      expect(said.errors).toEqual(['STOPLOG_LOG_FORMAT']);
      expect(said.message).toContain('upgrade @stoplog/core');
    });
  });
});

describe('a folder that cannot be used says why', () => {
  test('no permission to read it, and none to make it', async ({ skip }) => {
    if (process.getuid?.() !== 0) skip('only root can become another user');
    await withFolder(async (folder) => {
      chmodSync(folder, 0o755);
      await makeLog(join(folder, 'log'));
      for (const name of ['log', 'new']) {
        const said = await look(join(folder, name), '--nobody');
        expect([name, said.errors]).toEqual([name, ['STOPLOG_LOG_UNAVAILABLE']]);
        expect(said.message).toContain('no permission');
      }
    });
  });
  test('a read-only file system', async ({ skip }) => {
    await withFolder(async (folder) => {
      try {
        execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder], { stdio: 'pipe' });
      } catch (error) {
        return skip(`mount was refused: ${String(error)}`);
      }
      try {
        await makeLog(join(folder, 'log'));
        execFileSync('mount', ['-o', 'remount,ro', folder]);
        const said = await look(join(folder, 'log'));
        expect(said.errors).toEqual(['STOPLOG_LOG_UNAVAILABLE']);
        expect(said.message).toContain('read-only');
      } finally {
        execFileSync('umount', [folder]);
      }
    });
  });
});

describe('a folder that is ours', () => {
  test('is readable by its owner alone', async () => {
    await withLog(async (path) => {
      expect(statSync(path).mode & 0o777).toBe(0o700);
      for (const name of readdirSync(path)) expect([name, statSync(join(path, name)).mode & 0o777]).toEqual([name, 0o600]);
    });
  });
  test('may be copied, lose its lock file, and be opened by another name', async () => {
    await withLog(async (path) => {
      const original = (await look(path)).values;
      expect(original.length).toBe(60);
      cpSync(path, `${path}.copy`, { recursive: true });
      rmSync(join(`${path}.copy`, 'lock.mdb'));
      const copied = await look(`${path}.copy`);
      expect(copied.errors).toEqual([]);
      expect(original.filter((value) => !copied.values.includes(value))).toEqual([]);
      symlinkSync(path, `${path}.alias`);
      const [log, alias] = [await openPort(lmdb(path)), await openPort(lmdb(`${path}.alias`))];
      await Promise.all([append(log, 0, ['by name']), append(alias, 0, ['by alias'])]);
      expect((await readLetters(alias)).map(({ text }) => text).slice(-32)).toContain('by name');
      for (const each of [log, alias]) await each[Symbol.asyncDispose]();
    });
  });
  test('copied while it is written to, opens as an earlier state or is refused by name', async () => {
    await withFolder(async (folder) => {
      const child = start('appender', join(folder, 'log'), join(folder, 'acks'), 'a');
      for (let i = 1; i <= 4; i++) {
        await child.said(`acknowledged ${i * 60}`);
        cpSync(join(folder, 'log'), join(folder, `copy${i}`), { recursive: true });
      }
      child.kill();
      await child.ended;
      const whole = new Set((await look(join(folder, 'log'))).values);
      for (let i = 1; i <= 4; i++) {
        const said = await look(join(folder, `copy${i}`));
        for (const error of said.errors) expect(error).toMatch(/^STOPLOG_/);
        expect(said.values.filter((value) => !whole.has(value) && !value.endsWith(' appended'))).toEqual([]);
      }
    });
  }, 15_000);
});
