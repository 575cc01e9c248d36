import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Assignment, Log } from '@stoplog/core/port';
import { openPort } from '@stoplog/core/kit';
import { loadTools } from '@stoplog/core/tools';
import { lmdb } from '@stoplog/core/lmdb';
import { open as openEnv } from 'lmdb';
import { describe, expect, test } from 'vitest';
import { readLetters, start, startApart, whyNotApart, withFolder } from '../fixtures/child.ts';
import { append, commitOf, place, shape } from '../fixtures/letters.mjs';

interface Said {
  readonly values: readonly string[];
  readonly errors: readonly string[];
  readonly message?: string;
  readonly appended?: boolean;
}
/** The findings of a child process in a folder; each test also proves that the child survived to report them. */
const look = async (path: string, ...flags: readonly string[]): Promise<Said> => {
  const ended = await start('look', ...flags, path).ended;
  expect(ended.signal).toBe(null);
  const said = JSON.parse(ended.lines[0]!) as Said;
  // LMDB itself writes such a line where it meets an impossible page: the error that follows must be reported by name.
  const own = /^(mdb_\w+ error\n)+$/.test(ended.errors);
  expect([own && said.errors.length > 0 ? '' : ended.errors, said]).toEqual(['', said]);
  return said;
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
/** The bytes up to the end of the last page that is written; behind it the file is a hole. */
const usedBytes = (path: string): number => {
  const bytes = readFileSync(data(path));
  let last = bytes.length - 1;
  while (bytes[last] === 0) last--;
  return (Math.floor(last / 8_192) + 1) * 8_192;
};

describe('a folder that is damaged is refused by name, before it is mapped', () => {
  test('a data file that was cut is refused at any length', async () => {
    await withLog(async (path) => {
      const used = usedBytes(path);
      for (const size of [used - 8_192, 8_192 * 3, 8_192 + 100, 8_192, 100, 0]) {
        truncateSync(data(path), size);
        const said = await look(path);
        expect([size, said.errors, said.values.length]).toEqual([size, ['STOPLOG_LOG_CORRUPT'], 0]);
        expect(said.message).toContain('restore the folder from a backup');
      }
    });
  });
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
  test('a data file that is gone is refused: an empty log would not be the one that was kept there', async () => {
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
  test('a mark of a gigabyte is refused without being read', async () => {
    await withLog(async (path) => {
      truncateSync(join(path, 'stoplog.json'), 1024 ** 3);
      const said = await look(path);
      expect([said.errors, said.message]).toEqual([['STOPLOG_LOG_FOREIGN'], expect.stringContaining('its stoplog.json has 1073741824 bytes')]);
    });
  });
  test.each(['stoplog.json', 'data.mdb', 'lock.mdb'])('a pipe in the place of %s is refused, and not waited for', async (name) => {
    await withLog(async (path) => {
      rmSync(join(path, name));
      execFileSync('mkfifo', [join(path, name)]);
      const said = await look(path);
      expect([said.errors, said.message]).toEqual([['STOPLOG_LOG_FOREIGN'], expect.stringContaining(`its ${name} is no file`)]);
    });
  });
  test('a file in the place of the folder is refused', async () => {
    await withFolder(async (folder) => {
      writeFileSync(join(folder, 'file'), '');
      expect((await look(join(folder, 'file'))).errors).toEqual(['STOPLOG_LOG_FOREIGN']);
    });
  });
  test('a newer format is refused, with both formats as facts', async () => {
    await withLog(async (path) => {
      writeFileSync(join(path, 'stoplog.json'), '{"format": 99}');
      const said = await look(path);
      expect(said.errors).toEqual(['STOPLOG_LOG_FORMAT']);
      expect(said.message).toContain('upgrade @stoplog/core');
    });
  });
});

describe('a folder that cannot be used says why', () => {
  test.each([
    ['data.mdb', (path: string) => data(path)],
    ['lock.mdb', (path: string) => join(path, 'lock.mdb')],
  ] as const)('a %s that is a link to elsewhere, which is not touched', async (_, file) => {
    await withLog(async (path) => {
      const elsewhere = `${path}.elsewhere`;
      renameSync(file(path), elsewhere);
      symlinkSync(elsewhere, file(path));
      const before = readFileSync(elsewhere);
      const said = await look(path);
      expect(said.errors).toEqual(['STOPLOG_LOG_UNAVAILABLE']);
      expect(said.message).toContain('link the whole folder');
      expect(readFileSync(elsewhere).equals(before)).toBe(true);
    });
  });
  test('a folder that others may write to is refused until they may not; an empty one is made private', async () => {
    await withLog(async (path) => {
      for (const mode of [0o770, 0o707]) {
        chmodSync(path, mode);
        await expect(openPort(lmdb(path))).rejects.toMatchObject({
          code: 'STOPLOG_LOG_UNAVAILABLE',
          message: expect.stringContaining(`(mode ${mode.toString(8)}), which lets them damage the log: run chmod go-w ${path}`),
        });
      }
      chmodSync(path, 0o755);
      await (await openPort(lmdb(path)))[Symbol.asyncDispose]();
      mkdirSync(`${path}.new`);
      chmodSync(`${path}.new`, 0o777);
      await (await openPort(lmdb(`${path}.new`)))[Symbol.asyncDispose]();
      expect(statSync(`${path}.new`).mode & 0o777).toBe(0o700);
    });
  });
  test('a folder that its group may write to is opened with ownerOnly, which takes the right away; one that everybody may write to is refused', async () => {
    await withLog(async (path) => {
      chmodSync(path, 0o2770);
      await expect(openPort(lmdb(path))).rejects.toThrow('ownerOnly');
      await (await openPort(lmdb(path, { ownerOnly: true })))[Symbol.asyncDispose]();
      expect(statSync(path).mode & 0o777).toBe(0o750);
      chmodSync(path, 0o777);
      await expect(openPort(lmdb(path, { ownerOnly: true }))).rejects.toMatchObject({ code: 'STOPLOG_LOG_UNAVAILABLE', facts: { mode: '777' } });
      expect(statSync(path).mode & 0o777).toBe(0o777);
    });
  });
  test('a folder whose group is trusted is made for the group, and refused where everybody may write to it, or the group is not trusted', async () => {
    await withFolder(async (folder) => {
      const path = join(folder, 'log');
      const trusting = lmdb(path, { groupMayWrite: true });
      await (await openPort(trusting))[Symbol.asyncDispose]();
      expect(statSync(path).mode & 0o7777).toBe(0o2770);
      for (const name of ['data.mdb', 'lock.mdb', 'stoplog.json']) expect([name, statSync(join(path, name)).mode & 0o777]).toEqual([name, 0o660]);
      await expect(openPort(lmdb(path))).rejects.toThrow('or with { groupMayWrite: true } if you trust everybody in its group');
      for (const mode of [0o777, 0o702]) {
        chmodSync(path, mode);
        await expect(openPort(trusting)).rejects.toMatchObject({ code: 'STOPLOG_LOG_UNAVAILABLE', message: expect.stringContaining(`run chmod o-w ${path}`) });
      }
      // A log that was the owner's alone, and whose rights a platform has widened.
      chmodSync(path, 0o770);
      chmodSync(join(path, 'data.mdb'), 0o600);
      await (await openPort(trusting))[Symbol.asyncDispose]();
      expect([statSync(path).mode & 0o7777, statSync(join(path, 'data.mdb')).mode & 0o777]).toEqual([0o2770, 0o660]);
      const { check } = await loadTools(trusting);
      expect((await check(trusting.options)).findings).toEqual([]);
    });
    expect(() => lmdb('./data', { ownerOnly: true, groupMayWrite: true })).toThrow(/ownerOnly or groupMayWrite, not both/);
  });
  test('a member of a trusted group opens the folder of another member, also after root has shrunk it; a stranger does not', async ({ skip }) => {
    if (process.getuid?.() !== 0) skip('root alone can become another user');
    await withFolder(async (folder) => {
      chmodSync(folder, 0o755);
      const path = join(folder, 'log');
      await makeLog(path);
      const group = 2_000;
      for (const name of ['', 'data.mdb', 'lock.mdb', 'stoplog.json']) {
        chownSync(join(path, name), 1_000, group);
        chmodSync(join(path, name), name === '' ? 0o2770 : 0o660);
      }
      const trusting = lmdb(path, { groupMayWrite: true });
      await (await loadTools(trusting)).shrink(trusting.options);
      const { uid, gid, mode } = statSync(join(path, 'data.mdb'));
      expect([uid, gid, mode & 0o777]).toEqual([1_000, group, 0o660]);
      expect(await look(path, '--member', String(group))).toMatchObject({ errors: [], appended: true });
      // Readable for everybody, so that the folder can be looked at.
      chmodSync(path, 0o2775);
      expect((await look(path, '--member', '2001')).message).toMatch(/belongs to user 1000.* name a folder of your own$/);
    });
  });
  test('a folder of another user is refused; root may open it all the same, as in a container', async ({ skip }) => {
    if (process.getuid?.() !== 0) skip('only root can give a folder away');
    await withFolder(async (folder) => {
      chmodSync(folder, 0o755);
      const path = join(folder, 'log');
      await makeLog(path);
      chownSync(path, 1_000, 1_000);
      chmodSync(path, 0o755);
      const said = await look(path, '--nobody');
      expect(said.errors).toEqual(['STOPLOG_LOG_UNAVAILABLE']);
      expect(said.message).toContain('belongs to user 1000');
      expect((await look(path)).errors).toEqual([]);
    });
  });
  test('a folder or a data file that its owner may only read is refused', async ({ skip }) => {
    if (process.getuid?.() !== 0) skip('root alone can become another user, and may write everywhere itself');
    await withFolder(async (folder) => {
      chmodSync(folder, 0o755);
      const path = join(folder, 'log');
      await makeLog(path);
      for (const name of ['.', 'data.mdb', 'lock.mdb', 'stoplog.json']) chownSync(join(path, name), 65_534, 65_534);
      chmodSync(data(path), 0o400);
      const file = await look(path, '--nobody');
      expect([file.errors, file.message]).toEqual([['STOPLOG_LOG_UNAVAILABLE'], expect.stringContaining('no permission')]);
      chmodSync(data(path), 0o600);
      rmSync(join(path, 'lock.mdb'));
      chmodSync(path, 0o500);
      const whole = await look(path, '--nobody');
      expect([whole.errors, whole.message]).toEqual([['STOPLOG_LOG_UNAVAILABLE'], expect.stringContaining('no permission')]);
    });
  });
  test('too many open files are reported, whichever file is the first too many; with room again the folder opens', async () => {
    await withLog(async (path) => {
      const { signal, lines } = await start('few-files', path).ended;
      expect(signal).toBe(null);
      const said = JSON.parse(lines[0]!) as {
        readonly codes: readonly string[];
        readonly messages: readonly string[];
      };
      // With few files to spare it fails in another place each time, and with enough it does not.
      expect(said.codes[0]).toBe('STOPLOG_TOO_FEW_FILES');
      expect(said.codes.at(-1)).toBe('opened');
      expect(new Set(said.codes)).toEqual(new Set(['STOPLOG_TOO_FEW_FILES', 'opened']));
      expect(said.messages).toEqual([expect.stringContaining('too many files are open')]);
    });
  });
  test('another process with the same number that has the folder open is reported, as in two containers', async ({ skip }) => {
    const why = whyNotApart();
    if (why !== undefined) return skip(why);
    await withLog(async (path) => {
      const first = startApart(0, 'member', path, 'first', '{}', 'asked');
      await first.said('has ');
      const { lines } = await startApart(0, 'look', path).ended;
      first.kill();
      await first.ended;
      expect(JSON.parse(lines[0]!)).toMatchObject({
        errors: ['STOPLOG_LOG_UNAVAILABLE'],
        message: expect.stringMatching(/with the number of this one, 1, .*docker run --pid/),
      });
    });
  }, 40_000);
  test('a folder that may not be read is refused, and one that may not be made too', async ({ skip }) => {
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
  test('a folder that cannot be made in an existing one, or that would be in a file, is refused', async ({ skip }) => {
    if (process.platform !== 'linux') skip('only Linux has such a folder, /proc');
    await expect(openPort(lmdb('/proc/nope/log'))).rejects.toMatchObject({
      code: 'STOPLOG_LOG_UNAVAILABLE',
      message: expect.stringContaining('/proc/nope/log'),
    });
    await withFolder(async (folder) => {
      writeFileSync(join(folder, 'file'), '');
      await expect(openPort(lmdb(join(folder, 'file', 'log')))).rejects.toMatchObject({ message: expect.stringContaining('file/log') });
    });
  });
  test('a read-only file system is reported', async ({ skip }) => {
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
  test('a new folder is made with its missing parents', async () => {
    await withFolder(async (folder) => {
      const path = join(folder, 'a', 'b', 'log');
      await makeLog(path);
      expect([join(folder, 'a'), join(folder, 'a', 'b'), path].map((made) => statSync(made).mode & 0o777)).toEqual([0o700, 0o700, 0o700]);
      expect((await look(path)).values).toHaveLength(60);
    });
  });
  test('a folder is readable by its owner alone', async () => {
    await withLog(async (path) => {
      expect(statSync(path).mode & 0o777).toBe(0o700);
      for (const name of readdirSync(path)) expect([name, statSync(join(path, name)).mode & 0o777]).toEqual([name, 0o600]);
    });
  });
  test('a folder may be copied, lose its lock file, and be opened by another name', async () => {
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
  test('a copy that was made while a group had members is a folder of its own: the group has no members there, and the original continues', async () => {
    await withFolder(async (folder) => {
      const [path, copy] = [join(folder, 'log'), join(folder, 'copy')];
      const { groups } = await loadTools(lmdb(path));
      const log = await openPort(lmdb(path));
      await log.ensure([shape]);
      const enter = async (to: Log, signal: AbortSignal): Promise<{ readonly epoch: number; readonly end: () => Promise<unknown> }> => {
        const members = to.join('workers', { units: [[place(0)]] }, signal)[Symbol.asyncIterator]();
        const { value } = await members.next();
        return { epoch: (value as Assignment).partitions[0]!.epoch, end: () => members.next() };
      };
      const stop = new AbortController();
      const stays = await enter(log, stop.signal);
      // The copy is made by another process: a process that closes a lock file that it has open elsewhere loses its locks.
      execFileSync('cp', ['-r', path, copy]);
      const other = await openPort(lmdb(copy));
      expect((await groups(other)).map(({ members }) => members)).toEqual([[]]);
      const taken = await enter(other, stop.signal);
      expect(taken.epoch).toBeGreaterThan(stays.epoch);
      expect((await groups(log)).map(({ members }) => members.map(({ pid }) => pid))).toEqual([[process.pid]]);
      await log.commit(commitOf({ group: 'workers', epoch: stays.epoch, positions: [{ ...place(0), from: 0n, to: 0n }] }));
      stop.abort();
      for (const { end } of [stays, taken]) await end();
      for (const each of [log, other]) await each[Symbol.asyncDispose]();
    });
  });
  test('a folder that is copied while it is written to opens as an earlier state, or is refused by name', async () => {
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
  });
});
