/** A shrunk log holds every commit, whenever the shrink is killed, and whichever processes open the folder. */
import { execFileSync } from 'node:child_process';
import { readdirSync, renameSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openPort } from '@stoplog/core/kit';
import { loadTools, type Progress } from '@stoplog/core/tools';
import type { Failpoint } from '@stoplog/core/private/failpoints';
import { lmdb } from '@stoplog/core/lmdb';
import { describe, expect, test } from 'vitest';
import { readLetters, start, withFolder } from '../fixtures/child.ts';
import { append, commitOf, never, place, shape } from '../fixtures/letters.mjs';

const big = 'x'.repeat(100_000);
/** A log with letters, many of which retention has deleted. */
const makeLog = async (path: string): Promise<readonly string[]> => {
  const log = await openPort(lmdb(path, { maintenance: { everyMs: Infinity } }));
  await log.ensure([shape]);
  await log.store({ store: 's', partition: 0, group: 'g', version: 1, fingerprint: 'f' }, never);
  for (let n = 0; n < 40; n++) await append(log, n % 2, [`${n}`, big]);
  await log.commit(commitOf({}));
  await log.deleteRecords([0, 1].map((partition) => ({ ...place(partition), offset: 30n })));
  const { clean } = await loadTools(lmdb(path));
  await clean(log);
  const kept = await lettersIn(log);
  await log[Symbol.asyncDispose]();
  return kept;
};
const lettersIn = async (log: Parameters<typeof readLetters>[0]): Promise<readonly string[]> =>
  (await readLetters(log)).map(({ partition, offset, text }) => `${partition} ${offset} ${text}`);
const read = async (path: string): Promise<readonly string[]> => {
  const log = await openPort(lmdb(path));
  try {
    return await lettersIn(log);
  } finally {
    await log[Symbol.asyncDispose]();
  }
};
const shrink = async (path: string): ReturnType<Awaited<ReturnType<typeof loadTools>>['shrink']> => (await loadTools(lmdb(path))).shrink(lmdb(path).options);
const caught = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);
const FILES = ['data.mdb', 'lock.mdb', 'stoplog.json'];

describe('a log that is shrunk', () => {
  test('a shrunk log holds what it held, in a smaller file, and continues', async () => {
    await withFolder(async (path) => {
      const kept = await makeLog(path);
      const { bytesBefore, bytes } = await shrink(path);
      expect(bytes).toBeLessThan(bytesBefore / 2);
      expect(statSync(join(path, 'data.mdb')).size).toBe(bytes);
      expect(readdirSync(path).sort()).toEqual(FILES);
      expect(statSync(join(path, 'data.mdb')).mode & 0o777).toBe(0o600);
      expect(await read(path)).toEqual(kept);
      const log = await openPort(lmdb(path));
      await append(log, 0, ['later']);
      expect((await lettersIn(log)).at(-1)).toBe(kept.at(-1));
      expect((await readLetters(log)).map(({ text }) => text)).toContain('later');
      await log[Symbol.asyncDispose]();
      expect((await shrink(path)).bytes).toBeLessThanOrEqual(bytes + 2 * 8_192);
    });
  });
  test.each<Failpoint>(['shrink.copied', 'shrink.swapped', 'shrink.synced'])(
    'a log whose shrink is killed at %s holds all of it, and the leftovers are gone when it is opened',
    async (failpoint) => {
      await withFolder(async (path) => {
        const kept = await makeLog(path);
        process.env['STOPLOG_FAILPOINTS'] = `${failpoint}=kill`;
        const child = start('shrinker', path);
        delete process.env['STOPLOG_FAILPOINTS'];
        expect(await child.ended).toMatchObject({ signal: 'SIGKILL' });
        expect(readdirSync(path).length).toBe(FILES.length + 1);
        expect(await read(path)).toEqual(kept);
        expect(readdirSync(path).sort()).toEqual(FILES);
      });
    },
    20_000,
  );
});

describe('a log that is open elsewhere is not shrunk', () => {
  test('a log that is being shrunk cannot be opened by another process', async () => {
    await withFolder(async (path) => {
      const kept = await makeLog(path);
      const { shrink: shrinkIt } = await loadTools(lmdb(path));
      const others: Promise<unknown>[] = [];
      const onProgress = (): void => {
        if (others.length === 0) others.push(caught(openPort(lmdb(path))), caught(shrink(path)));
      };
      await shrinkIt(lmdb(path).options, { onProgress });
      for (const other of await Promise.all(others))
        expect(other).toMatchObject({ code: 'STOPLOG_LOG_UNAVAILABLE', message: expect.stringContaining(`process ${process.pid} is shrinking`) });
      expect(await read(path)).toEqual(kept);
    });
  });
  test('a log that is open in this process is not shrunk', async () => {
    await withFolder(async (path) => {
      const log = await openPort(lmdb(path));
      await expect(shrink(path)).rejects.toMatchObject({ code: 'STOPLOG_LOG_UNAVAILABLE', message: expect.stringContaining(`process ${process.pid}`) });
      await log[Symbol.asyncDispose]();
    });
  });
  test('a log that is open in an idle process is not shrunk, and keeps the later appends of that process', async () => {
    await withFolder(async (path) => {
      await makeLog(path);
      const child = start('opener', path);
      await child.said('open');
      await expect(shrink(path)).rejects.toMatchObject({
        code: 'STOPLOG_LOG_UNAVAILABLE',
        message: expect.stringContaining(`open in process ${child.process.pid}`),
      });
      child.process.stdin!.write('still here\n');
      await child.said('appended');
      child.process.stdin!.end();
      await child.ended;
      await shrink(path);
      expect((await read(path)).some((line) => line.endsWith('still here'))).toBe(true);
    });
  });
});

test('a log without room for its copy stays as it is', async ({ skip }) => {
  await withFolder(async (folder) => {
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=7m', 'tmpfs', folder], { stdio: 'pipe' });
    } catch (error) {
      return skip(`mount was refused: ${String(error)}`);
    }
    try {
      const path = join(folder, 'log');
      const kept = await makeLog(path);
      const rest = statfsSync(folder);
      writeFileSync(join(folder, 'ballast'), Buffer.alloc(rest.bavail * rest.bsize - 500_000, 1));
      await expect(shrink(path)).rejects.toMatchObject({ code: 'STOPLOG_LOG_FULL', message: expect.stringContaining('the log is as it was') });
      expect(readdirSync(path).sort()).toEqual(FILES);
      expect(await read(path)).toEqual(kept);
    } finally {
      execFileSync('umount', [folder]);
    }
  });
});

test('a commit that is made during the copy is not lost: the old file stays', async () => {
  await withFolder(async (path) => {
    const kept = await makeLog(path);
    const { shrink: shrinkIt } = await loadTools(lmdb(path));
    let came = 0;
    // Another process looked at the folder before the shrink began, and is gone again when the shrink ends.
    const onProgress = ({ step }: Progress): void => {
      if (step === 'verifying' && came++ === 0) execFileSync(process.execPath, [fileURLToPath(new URL('../fixtures/intruder.mjs', import.meta.url)), path]);
    };
    await expect(shrinkIt(lmdb(path).options, { onProgress })).rejects.toMatchObject({
      code: 'STOPLOG_LOG_UNAVAILABLE',
      message: expect.stringContaining('another process wrote to'),
    });
    expect(readdirSync(path).sort()).toEqual(FILES);
    expect(await read(path)).toEqual(kept);
    const log = await openPort(lmdb(path));
    const store = await log.store({ store: 's', partition: 0, group: 'g', version: 1, fingerprint: 'f' }, never);
    expect(Buffer.from(store.get(Buffer.from('came'))!).toString()).toBe('in between');
    await log[Symbol.asyncDispose]();
  });
});

test('a writer whose file was replaced commits nothing to the unnamed file, and reports it', async () => {
  await withFolder(async (folder) => {
    const [path, other] = [join(folder, 'log'), join(folder, 'other')];
    await makeLog(path);
    await makeLog(other);
    const log = await openPort(lmdb(path));
    await append(log, 0, ['before']);
    renameSync(join(other, 'data.mdb'), join(path, 'data.mdb'));
    await expect(append(log, 0, ['after'])).rejects.toMatchObject({ code: 'STOPLOG_LOG_UNAVAILABLE', message: expect.stringContaining('open the log again') });
    await log[Symbol.asyncDispose]();
    expect((await read(path)).some((line) => line.endsWith('before') || line.endsWith('after'))).toBe(false);
  });
});
