/** The source inside a running pipeline: threads, a log on disk, and an end by drain or by signal. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { seconds } from '@stoplog/core';
import { lmdb } from '@stoplog/core/lmdb';
import { run, type App, type RunOptions } from '@stoplog/runtime';
import { filter, firstValueFrom } from 'rxjs';
import { describe, expect, test, vi } from 'vitest';
import { byDigit, countByDigit } from './fixtures/ticks.mjs';

const fixture = (name: string): URL => new URL(`./fixtures/${name}.mjs`, import.meta.url);
const withFolder = async (body: (path: string) => Promise<void>): Promise<void> => {
  const path = await mkdtemp(join(tmpdir(), 'stoplog-rxjs-'));
  try {
    await body(path);
  } finally {
    await rm(path, { recursive: true, force: true });
  }
};
const withApp = async (name: string, path: string, body: (app: App) => Promise<void>, options: Partial<RunOptions> = { logger: 'none' }): Promise<void> => {
  const app = await run(fixture(name), { log: lmdb(path), threads: 2, ...options });
  try {
    await body(app);
  } finally {
    await app[Symbol.asyncDispose]();
  }
};

/** Reads the topic after the source until it holds that many records. */
const arrived = async (app: App, records: number): Promise<void> => {
  let seen = 0;
  for await (const batch of app.log.read(byDigit, { from: 'earliest' })) {
    seen += batch.length;
    if (seen >= records) return;
  }
};
const committed = async (app: App): Promise<readonly number[]> => {
  const values: number[] = [];
  for await (const batch of app.log.read(byDigit, { from: 'earliest', until: 'end' })) values.push(...batch.map(({ value }) => Number(value)));
  return values.toSorted((a, b) => a - b);
};
const counted = async (app: App): Promise<number> => {
  let sum = 0;
  for await (const [, count] of app.store(countByDigit).range()) sum += Number(count);
  return sum;
};
/** The committed arrivals are a prefix of all arrivals, each once, and each of them is counted in the end. */
const expectNoneLost = async (path: string, atLeast: number): Promise<void> => {
  await withApp('nothing', path, async (app) => {
    await app.settled();
    const values = await committed(app);
    expect(values.length).toBeGreaterThanOrEqual(atLeast);
    expect(values).toEqual(values.map((_, i) => i));
    expect(await counted(app)).toBe(values.length);
  });
};

describe('a pipeline that reads an Observable', () => {
  test('a pipeline counts every arrival, in threads', async () => {
    await withFolder((path) =>
      withApp('ten-thousand', path, async (app) => {
        await arrived(app, 10_000);
        await app.settled();
        for (let digit = 0; digit < 10; digit++) expect(await app.store(countByDigit).get(digit)).toBe(1_000);
      }),
    );
  });
  test('a pipeline that is disposed of loses no committed arrival', async () => {
    await withFolder(async (path) => {
      await withApp('endless', path, (app) => arrived(app, 50));
      await expectNoneLost(path, 50);
    });
  });
  test('a pipeline whose process is ended by Ctrl-C loses no committed arrival', async () => {
    await withFolder(async (path) => {
      const child = spawn(process.execPath, [fixture('app').pathname, path], { stdio: ['ignore', 'pipe', 'inherit'] });
      const lines: string[] = [];
      createInterface(child.stdout).on('line', (line) => {
        lines.push(line);
        if (line === 'fifty') child.kill('SIGINT');
      });
      const [code] = (await once(child, 'close')) as [number | null];
      expect({ code, lines }).toEqual({ code: 0, lines: ['fifty', 'finished'] });
      await expectNoneLost(path, 50);
    });
  });
  test('an Observable that fails is opened again, and stopped when it fails each time', async () => {
    await withFolder((path) =>
      withApp('broken', path, async (app) => {
        await arrived(app, 15);
        const { failed } = await firstValueFrom(app.status.pipe(filter((status) => status.failed.length > 0)));
        expect(failed).toMatchObject([{ error: { code: 'STOPLOG_SOURCE' } }]);
        await expect(app.settled()).rejects.toMatchObject({ code: 'STOPLOG_SOURCE' });
        expect(await counted(app)).toBe(15);
      }),
    );
  });
  test('a handler that hangs at an arrival loses its thread, as it would at a record', async () => {
    await withFolder(async (path) => {
      const reported: string[] = [];
      const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => reported.push(String(text)) > 0);
      try {
        const restarted = async (app: App): Promise<void> => void (await firstValueFrom(app.status.pipe(filter(({ restarts }) => restarts > 0))));
        await withApp('hanging', path, restarted, { hangAfter: seconds(0.3) });
      } finally {
        write.mockRestore();
      }
      expect(reported.join('')).toMatch(/STOPLOG_HANDLER {2}task 0 hangs at one\[0\] offset 0/);
    });
  });
});
