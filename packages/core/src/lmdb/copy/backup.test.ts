/**
 * A backup is a whole log as of one commit, whichever processes write meanwhile and whenever it is killed; a restore is whole
 * or not there.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Log } from '@stoplog/core/port';
import { loadTools, type Progress, type Tools } from '@stoplog/core/tools';
import { openPort } from '@stoplog/core/kit';
import type { Failpoint } from '@stoplog/core/private/failpoints';
import { lmdb } from '@stoplog/core/lmdb';
import { describe, expect, test } from 'vitest';
import { line, readLetters, start, withFolder, type Kept } from '../fixtures/child.ts';
import { batchOf, commitOf, never, place, shape } from '../fixtures/letters.mjs';

const store = { store: 's', partition: 0, group: 'g', version: 1, fingerprint: 'f' };
const quiet = { maintenance: { everyMs: Infinity } };
const module: Tools = await loadTools(lmdb('.'));

const withLog = <T>(path: string, use: (log: Log) => Promise<T>): Promise<T> =>
  openPort(lmdb(path, quiet)).then(async (log) => {
    try {
      return await use(log);
    } finally {
      await log[Symbol.asyncDispose]();
    }
  });
/** Commits a letter in each partition and the count of them in the store. */
const pair = async (log: Log, n: number, size = 10): Promise<void> => {
  await log.store(store, never);
  await log.commit(
    commitOf({
      appends: [0, 1].map((partition) => ({ ...place(partition), batch: batchOf([`${n}`.padEnd(size, '.')]) })),
      stores: [{ store: 's', partition: 0, keys: [Buffer.from('n')], values: [Buffer.from(`${n + 1}`)] }],
    }),
  );
};
const makeLog = (path: string, pairs: number, size = 10): Promise<readonly string[]> =>
  withLog(path, async (log) => {
    await log.ensure([shape]);
    for (let n = 0; n < pairs; n++) await pair(log, n, size);
    return (await readLetters(log)).map(line);
  });
const contents = (path: string): Promise<{ readonly letters: readonly Kept[]; readonly count: number }> =>
  withLog(path, async (log) => ({
    letters: await readLetters(log),
    count: Number(Buffer.from((await log.store(store, never)).get(Buffer.from('n'))!).toString()),
  }));
const restore = (from: string, to: string): ReturnType<Tools['restore']> => module.restore(from, lmdb(to).options);
const modes = (path: string): readonly number[] => [path, ...readdirSync(path).map((name) => join(path, name))].map((one) => statSync(one).mode & 0o777);

describe('a backup', () => {
  test('a restored backup is the log that was backed up, and continues by itself', async () => {
    await withFolder(async (folder) => {
      const [path, backup, again] = ['log', 'deep/backup', 'again'].map((name) => join(folder, name)) as [string, string, string];
      const kept = await makeLog(path, 10);
      const made = await withLog(path, (log) => module.backup(log, backup));
      expect(readdirSync(backup).sort()).toEqual(['backup.json', 'data.mdb']);
      expect(modes(backup)).toEqual([0o700, 0o600, 0o600]);
      expect(made).toMatchObject({ path: backup, bytes: statSync(join(backup, 'data.mdb')).size, entries: { log: 20, stores: 1 } });
      expect(JSON.parse(readFileSync(join(backup, 'backup.json'), 'utf8'))).toMatchObject({ format: 1, sha256: made.sha256, taken: made.taken });
      expect(await restore(backup, again)).toMatchObject({ path: again, taken: made.taken });
      expect(readdirSync(again).sort()).toEqual(['data.mdb', 'stoplog.json']);
      expect(modes(again)).toEqual([0o700, 0o600, 0o600]);
      expect((await contents(again)).letters.map(line)).toEqual(kept);
      await withLog(again, (log) => pair(log, 10));
      expect((await contents(again)).count).toBe(11);
      expect((await contents(path)).count).toBe(10);
    });
  });
  test('a backup is as of one commit while another process appends', async () => {
    await withFolder(async (folder) => {
      const path = join(folder, 'log');
      await makeLog(path, 15, 200_000);
      const child = start('pairs', path);
      await child.said('25');
      const steps = new Set<Progress['step']>();
      let during = 0;
      /** The child's progress when each backup began: the child may be further, and report it later. */
      const said: number[] = [];
      await withLog(path, async (log) => {
        for (let n = 0; n < 2; n++) {
          const before = child.lines.length;
          said.push(Number(child.lines.at(-1)));
          const watch = { onProgress: ({ step }: Progress) => void steps.add(step) };
          await module.backup(log, join(folder, `backup${n}`), watch);
          during += child.lines.length - before;
          await child.said('', before + 1);
        }
      });
      child.kill();
      await child.ended;
      expect([...steps]).toEqual(['copying', 'verifying']);
      expect(during).toBeGreaterThan(0);
      for (let n = 0; n < 2; n++) {
        await restore(join(folder, `backup${n}`), join(folder, `again${n}`));
        const { letters, count } = await contents(join(folder, `again${n}`));
        // Each commit appends to both partitions and counts: no commit is there in part, and every commit acknowledged before
        // the backup is there.
        for (const partition of [0, 1]) expect(letters.filter((one) => one.partition === partition).map(({ offset }) => Number(offset)).length).toBe(count);
        expect(count).toBeGreaterThanOrEqual(said[n]!);
      }
    });
  });
  test.each<readonly [Failpoint, boolean]>([
    ['backup.copied', false],
    ['backup.whole', false],
    ['backup.placed', true],
  ])(
    'a backup whose process is killed at %s is there whole or not at all, and the next one cleans up',
    async (failpoint, there) => {
      await withFolder(async (folder) => {
        const [path, backup] = [join(folder, 'log'), join(folder, 'backup')];
        const kept = await makeLog(path, 3);
        process.env['STOPLOG_FAILPOINTS'] = `${failpoint}=kill`;
        const child = start('backer', path, backup);
        delete process.env['STOPLOG_FAILPOINTS'];
        expect(await child.ended).toMatchObject({ signal: 'SIGKILL' });
        expect(existsSync(backup)).toBe(there);
        if (!there) await withLog(path, (log) => module.backup(log, backup));
        expect(readdirSync(folder).sort()).toEqual(['backup', 'log']);
        await restore(backup, join(folder, 'again'));
        expect((await contents(join(folder, 'again'))).letters.map(line)).toEqual(kept);
      });
    },
    20_000,
  );
  test('a backup that is stopped leaves nothing', async () => {
    await withFolder(async (folder) => {
      const path = join(folder, 'log');
      await makeLog(path, 3);
      for (const when of ['copying', 'verifying'] as const) {
        const stop = new AbortController();
        const onProgress = ({ step }: Progress): void => (step === when ? stop.abort(new Error(`stopped while ${step}`)) : undefined);
        await withLog(path, (log) =>
          expect(module.backup(log, join(folder, 'backup'), { signal: stop.signal, onProgress })).rejects.toThrow(`stopped while ${when}`),
        );
      }
      expect(readdirSync(folder)).toEqual(['log']);
    });
  });
  test('a backup ends when its log is closed, and leaves nothing', async () => {
    await withFolder(async (folder) => {
      const path = join(folder, 'log');
      await makeLog(path, 3);
      let refused: Promise<unknown> = Promise.resolve();
      await withLog(path, async (log) => {
        const begun = new Promise<void>((resolve) => {
          refused = module.backup(log, join(folder, 'backup'), { onProgress: () => resolve() }).catch((error: unknown) => error);
        });
        await begun;
      });
      expect(await refused).toMatchObject({ code: 'STOPLOG_LOG_UNAVAILABLE', message: expect.stringContaining('the log was closed while') });
      expect(readdirSync(folder)).toEqual(['log']);
    });
  });
  test('a backup without room is refused by name and leaves nothing, and the log continues', async ({ skip }) => {
    await withFolder(async (folder) => {
      const [path, small] = [join(folder, 'log'), join(folder, 'small')];
      await makeLog(path, 40, 60_000);
      mkdirSync(small);
      try {
        execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', small], { stdio: 'pipe' });
      } catch (error) {
        return skip(`mount was refused: ${String(error)}`);
      }
      try {
        await withLog(path, async (log) => {
          await expect(module.backup(log, join(small, 'backup'))).rejects.toMatchObject({
            code: 'STOPLOG_LOG_FULL',
            message: expect.stringContaining('name another disk'),
          });
          await pair(log, 40);
          await module.backup(log, join(folder, 'backup'));
        });
        expect(readdirSync(small)).toEqual([]);
        await expect(restore(join(folder, 'backup'), join(small, 'again'))).rejects.toMatchObject({ code: 'STOPLOG_LOG_FULL' });
        expect(readdirSync(small)).toEqual([]);
        expect((await contents(path)).count).toBe(41);
      } finally {
        execFileSync('umount', [small]);
      }
    });
  });
  test('a backup is refused over existing files, and of a damaged log', async () => {
    await withFolder(async (folder) => {
      const path = join(folder, 'log');
      await makeLog(path, 3);
      mkdirSync(join(folder, 'backup'));
      writeFileSync(join(folder, 'backup/thesis.txt'), 'x');
      await withLog(path, (log) =>
        expect(module.backup(log, join(folder, 'backup'))).rejects.toMatchObject({
          code: 'STOPLOG_USAGE',
          message: expect.stringContaining('name a new folder'),
        }),
      );
      const data = readFileSync(join(path, 'data.mdb'));
      // Replaces every occurrence, since a free page may hold the bytes too.
      for (let at = data.indexOf('1.........'); at >= 0; at = data.indexOf('1.........', at)) data[at] = data[at]! ^ 1;
      writeFileSync(join(path, 'data.mdb'), data);
      await withLog(path, (log) => expect(module.backup(log, join(folder, 'other'))).rejects.toMatchObject({ code: 'STOPLOG_LOG_CORRUPT' }));
      expect(readdirSync(folder).sort()).toEqual(['backup', 'log']);
    });
  });
  test('a backup is not opened as a log, which would change it', async () => {
    await withFolder(async (folder) => {
      await makeLog(join(folder, 'log'), 1);
      await withLog(join(folder, 'log'), (log) => module.backup(log, join(folder, 'backup')));
      await expect(openPort(lmdb(join(folder, 'backup')))).rejects.toMatchObject({ message: expect.stringContaining('stoplog restore') });
    });
  });
});

describe('a restore', () => {
  test('a restore of a backup that is damaged, cut, of a newer format or no backup is refused, and creates nothing', async () => {
    await withFolder(async (folder) => {
      const [path, backup, again] = ['log', 'backup', 'again'].map((name) => join(folder, name)) as [string, string, string];
      await makeLog(path, 3);
      await withLog(path, (log) => module.backup(log, backup));
      const [data, manifest] = [readFileSync(join(backup, 'data.mdb')), readFileSync(join(backup, 'backup.json'), 'utf8')];
      const flipped = Buffer.from(data);
      flipped[data.length - 100] = flipped[data.length - 100]! ^ 1;
      const attempts: readonly (readonly [string, string | Buffer, string])[] = [
        ['data.mdb', flipped, 'STOPLOG_LOG_CORRUPT'],
        ['data.mdb', data.subarray(0, -8_192), 'STOPLOG_LOG_CORRUPT'],
        ['backup.json', manifest.replace('"format": 1', '"format": 99'), 'STOPLOG_LOG_FORMAT'],
        ['backup.json', manifest.slice(0, 40), 'STOPLOG_LOG_CORRUPT'],
        // A manifest of one line of text that has no end, as JSON it would be whole.
        ['backup.json', `${' '.repeat(1024 * 1024)}${manifest}`, 'STOPLOG_LOG_CORRUPT'],
      ];
      for (const [name, bytes, code] of attempts) {
        writeFileSync(join(backup, name), bytes);
        await expect(restore(backup, again), `${name} ${code}`).rejects.toMatchObject({ code });
        writeFileSync(join(backup, 'data.mdb'), data);
        writeFileSync(join(backup, 'backup.json'), manifest);
      }
      await expect(restore(path, again)).rejects.toMatchObject({ code: 'STOPLOG_LOG_FOREIGN' });
      expect(existsSync(again)).toBe(false);
    });
  });
  test('a restore refuses a folder that holds anything, and accepts an empty one', async () => {
    await withFolder(async (folder) => {
      const [path, backup, again] = ['log', 'backup', 'again'].map((name) => join(folder, name)) as [string, string, string];
      const kept = await makeLog(path, 3);
      await withLog(path, (log) => module.backup(log, backup));
      await expect(restore(backup, path)).rejects.toMatchObject({ code: 'STOPLOG_USAGE', message: expect.stringContaining('new folder') });
      mkdirSync(again, { mode: 0o700 });
      await restore(backup, again);
      expect((await contents(again)).letters.map(line)).toEqual(kept);
    });
  });
  test.each<readonly [Failpoint, boolean]>([
    ['restore.copied', false],
    ['restore.placed', true],
  ])(
    'a restore that is killed at %s leaves a whole log or none',
    async (failpoint, there) => {
      await withFolder(async (folder) => {
        const [path, backup, again] = ['log', 'backup', 'again'].map((name) => join(folder, name)) as [string, string, string];
        const kept = await makeLog(path, 3);
        await withLog(path, (log) => module.backup(log, backup));
        process.env['STOPLOG_FAILPOINTS'] = `${failpoint}=kill`;
        const child = start('restorer', backup, again);
        delete process.env['STOPLOG_FAILPOINTS'];
        expect(await child.ended).toMatchObject({ signal: 'SIGKILL' });
        if (!there) {
          await expect(openPort(lmdb(again))).rejects.toMatchObject({ message: expect.stringContaining('a restore into') });
          await restore(backup, again);
        }
        expect((await contents(again)).letters.map(line)).toEqual(kept);
        expect(dirname(again)).toBe(folder);
      });
    },
    20_000,
  );
});

test('a restored log has no group members, even while they live in the original', async () => {
  await withFolder(async (folder) => {
    const [path, backup, again] = ['log', 'backup', 'again'].map((name) => join(folder, name)) as [string, string, string];
    await makeLog(path, 1);
    await withLog(path, async (log) => {
      const stay = new AbortController();
      const members = log.join('g', { units: [[place(0)]] }, stay.signal)[Symbol.asyncIterator]();
      const owned = await members.next();
      await module.backup(log, backup);
      await restore(backup, again);
      await withLog(again, async (other) => {
        expect((await module.groups(other)).map(({ members }) => members)).toEqual([[]]);
        const leave = new AbortController();
        const others = other.join('g', { units: [[place(0)]] }, leave.signal)[Symbol.asyncIterator]();
        // The group is free at once, without waiting for a session; its epoch is later than the one in the backup.
        expect((await others.next()).value.partitions[0]!.epoch).toBeGreaterThan(owned.value.partitions[0]!.epoch);
        leave.abort();
        await others.next();
      });
      stay.abort();
      await members.next();
    });
  });
});
