/** Pipelines in real processes that write outside the log. */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { openLog, type LogClient } from '@stoplog/core';
import { lmdb } from '@stoplog/core/lmdb';
import { run } from '@stoplog/runtime';
import { expect, test, vi } from 'vitest';
import { randomly, startApp, withFolder, type Child } from '../fixtures/child.ts';
import { numbers } from './fixtures/to-file.pipeline.mjs';

const PIPELINE = fileURLToPath(new URL('./fixtures/to-file.pipeline.mjs', import.meta.url));

const appendNumbers = (log: LogClient, from: number, count: number): Promise<unknown> =>
  log.append(
    numbers,
    Array.from({ length: count }, (_, i) => ({ key: from + i, value: from + i })),
  );
/** All values in whole lines of the sink's files. */
const valuesIn = (sink: string): readonly number[] =>
  readdirSync(sink).flatMap((name) =>
    readFileSync(join(sink, name), 'utf8')
      .split('\n')
      .slice(0, -1)
      .flatMap((line) => (JSON.parse(line) as { readonly values: readonly number[] }).values),
  );
const sizeOf = (sink: string): number => readdirSync(sink).reduce((size, name) => size + statSync(join(sink, name)).size, 0);
const withSink = (body: (folder: string, sink: string, log: LogClient) => Promise<void>): Promise<void> =>
  withFolder(async (folder) => {
    const [data, sink] = [join(folder, 'data'), join(folder, 'sink')];
    mkdirSync(sink);
    await using log = await openLog(lmdb(data));
    await body(data, sink, log);
  });
const startOn = (data: string, sink: string, env: Readonly<Record<string, string>> = {}): Child =>
  startApp(data, PIPELINE, { threads: 2, logger: 'none' }, { env: { SINK: sink, ...env } });
const settle = async (app: Child): Promise<void> => {
  app.send('settle');
  await app.said('settled');
  app.send('dispose');
  expect(await app.ended).toMatchObject({ code: 0 });
};
const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n);

test('a pipeline that is killed repeatedly writes each record exactly once to a sink that keeps positions', async () => {
  await withSink(async (data, sink, log) => {
    const random = randomly('sinks');
    const [KILLS, EACH] = [8, 1_500];
    let between = 0;
    for (let incarnation = 0; incarnation < KILLS; incarnation++) {
      const app = startOn(data, sink, { SPIN_US: '60' });
      await app.said('running');
      const before = sizeOf(sink);
      const appended = appendNumbers(log, incarnation * EACH, EACH);
      // Half of the kills follow a write, the others come at any moment.
      if (incarnation % 2 === 0) while (sizeOf(sink) === before) await new Promise((resolve) => setImmediate(resolve));
      await new Promise((resolve) => setTimeout(resolve, random() * 60));
      expect(await app.kill()).toMatchObject({ signal: 'SIGKILL', errors: '' });
      await appended;
      const there = valuesIn(sink).length;
      if (there > 0 && there < (incarnation + 1) * EACH) between++;
    }
    const app = startOn(data, sink);
    await app.said('running');
    await settle(app);
    expect(valuesIn(sink).toSorted((a, b) => a - b)).toEqual(upTo(KILLS * EACH));
    console.log(`sinks: ${between} of ${KILLS} kills fell between the first and the last write`);
    expect(between).toBeGreaterThanOrEqual(2);
  });
}, 120_000);

test('a sink that fails is opened again until it accepts the batch: no record is skipped or written twice', async () => {
  await withSink(async (data, sink, log) => {
    await appendNumbers(log, 0, 500);
    const app = startOn(data, sink, { FAILS: '7' });
    await app.said('running');
    await settle(app);
    expect(valuesIn(sink).toSorted((a, b) => a - b)).toEqual(upTo(500));
  });
}, 60_000);

test('a sink that was written from another log is refused, and gets nothing, until it is cleared', async () => {
  await withSink(async (data, sink, log) => {
    await appendNumbers(log, 0, 100);
    const app = startOn(data, sink);
    await app.said('running');
    await settle(app);
    const before = valuesIn(sink);
    await withFolder(async (fresh) => {
      await using other = await openLog(lmdb(fresh));
      await appendNumbers(other, 0, 3);
      vi.stubEnv('SINK', sink);
      await using second = await run(pathToFileURL(PIPELINE), { log: lmdb(fresh), logger: 'none' });
      for await (const event of second.events) {
        if (event.type !== 'restarting') continue;
        expect(event.error).toMatchObject({
          code: 'STOPLOG_SINK',
          facts: { sink: 'file', topic: 'numbers' },
          message: expect.stringContaining('written from another log'),
        });
        break;
      }
      expect(valuesIn(sink)).toEqual(before);
      // Without its positions, the sink takes the records of the new log.
      for (const name of readdirSync(sink)) rmSync(join(sink, name));
      await second.settled();
      expect(valuesIn(sink).toSorted((a, b) => a - b)).toEqual(upTo(3));
    }).finally(() => vi.unstubAllEnvs());
  });
}, 60_000);
