import { mkdtempSync, renameSync, rmSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lmdb } from '@stoplog/core/lmdb';
import { openPort } from '@stoplog/core/kit';
import { type App, type AppEvent, run, type Logging } from '@stoplog/runtime';
import { describe, expect, test } from 'vitest';
import { readNotes } from './failure-notes.ts';
import { given, passed } from './fixtures/picky.pipeline.mjs';

const withFolder = async (use: (folder: string) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'stoplog-events-'));
  try {
    await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
const start = (folder: string, logger: Logging = 'none'): Promise<App> =>
  run(new URL('./fixtures/picky.pipeline.mjs', import.meta.url), { log: lmdb(folder), threads: 1, logger });
const until = async (app: App, type: AppEvent['type']): Promise<readonly AppEvent[]> => {
  const seen: AppEvent[] = [];
  for await (const event of app.events) {
    seen.push(event);
    if (event.type === type) return seen;
  }
  throw new Error(`the app has ended without '${type}'`);
};

describe('the events of an app', () => {
  test('a record that fails is counted up to its last failure, which names the command that leaves the record out', async () => {
    await withFolder(async (folder) => {
      const lines: { readonly level: string; readonly facts: Readonly<Record<string, unknown>>; readonly text: string }[] = [];
      const logTo = (level: string) => (facts: object, text: string) => void lines.push({ level, facts: facts as Readonly<Record<string, unknown>>, text });
      const app = await start(folder, { info: logTo('info'), warn: logTo('warn'), error: logTo('error') });
      const watching = until(app, 'failed');
      await app.log.append(given, [
        { key: 'a', value: 'good' },
        { key: 'a', value: 'bad' },
      ]);
      const events = (await watching).filter(({ type }) => type === 'restarting' || type === 'failed');
      expect(events.map((event) => 'failures' in event && event.failures)).toEqual([1, 2, 3, 4, 5]);
      const failed = events.at(-1) as AppEvent & { readonly type: 'failed' };
      expect(failed.skip).toBe(`stoplog groups reset picky --topic given --partition ${failed.actor.partition} --to-offset 2 --execute`);
      await app[Symbol.asyncDispose]();
      const about = lines.filter(({ facts }) => facts['event'] === 'restarting' || facts['event'] === 'failed');
      // The five failures are two lines.
      expect(about.map(({ level, text }) => [level, text.replace(/task \d\[\d\]/, 'task')])).toEqual([
        ['warn', expect.stringMatching(/^task failed, again in 0\.1 s: STOPLOG_HANDLER .*I do not like it/)],
        [
          'error',
          `task stopped after 5 failures; the other partitions continue: STOPLOG_HANDLER as above. To leave the record out, stop the pipeline and run: ${failed.skip}`,
        ],
      ]);
      expect(JSON.parse(JSON.stringify(about[1]!.facts))).toMatchObject({ pipeline: 'picky', event: 'failed', failures: 5, err: { code: 'STOPLOG_HANDLER' } });

      // The reason is in the log, for other processes and later ones.
      const log = await openPort(lmdb(folder));
      const { partition } = failed.actor;
      expect(await readNotes(log, 'picky', 2)).toMatchObject([
        { topic: 'given', partition, note: { offset: 1n, code: 'STOPLOG_HANDLER', failures: 5, skip: failed.skip } },
      ]);
      await log[Symbol.asyncDispose]();
    });
  });

  test('a loop over events or reports ends with the app, and when it breaks', async () => {
    await withFolder(async (folder) => {
      const app = await start(folder);
      for await (const { state } of app.status) {
        expect(state).toBe('running');
        break;
      }
      const types: string[] = [];
      const reading = (async () => {
        for await (const { type } of app.events) types.push(type);
      })();
      await app[Symbol.asyncDispose]();
      await reading;
      expect(types.at(-1)).toBe('ended');
      for await (const event of app.events) throw new Error(`'${event.type}' after the end`);
    });
  });

  test('a logger that lacks a function is refused by name', async () => {
    await expect(start('/nowhere', { info: () => {} } as unknown as Logging)).rejects.toMatchObject({
      code: 'STOPLOG_USAGE',
      message: expect.stringContaining('info, warn and error'),
    });
  });
});

describe('a data folder that goes away while a pipeline runs', () => {
  test.each([
    ['its data file is removed', (folder: string) => unlinkSync(join(folder, 'data.mdb'))],
    ['the folder is renamed', (folder: string) => renameSync(folder, `${folder}-elsewhere`)],
  ])('the app ends with the reason when %s, and another folder can be used in the same process', async (_, take) => {
    await withFolder(async (folder) => {
      const app = await start(folder);
      await app.log.append(given, [{ key: 'a', value: 'good' }]);
      await app.settled();
      take(folder);
      await expect(app.log.append(given, [{ key: 'a', value: 'lost' }])).rejects.toMatchObject({ code: 'STOPLOG_LOG_UNAVAILABLE' });
      await expect(app.settled()).rejects.toMatchObject({ code: 'STOPLOG_LOG_UNAVAILABLE' });
      await expect(app.finished).rejects.toMatchObject({ code: 'STOPLOG_LOG_UNAVAILABLE', message: expect.stringContaining('removed') });
      rmSync(`${folder}-elsewhere`, { recursive: true, force: true });
    });
    await withFolder(async (folder) => {
      await using app = await start(folder);
      await app.log.append(given, [{ key: 'a', value: 'good' }]);
      await app.settled();
      let read = 0;
      for await (const batch of app.log.read(passed, { from: 'earliest', until: 'end' })) read += batch.length;
      expect(read).toBe(1);
    });
  });
});
