import { openLog } from '@stoplog/core';
import { lmdb } from '@stoplog/core/lmdb';
import { describe, expect, test } from 'vitest';
import { type Child, startApp, withFolder } from './fixtures/child.ts';
import { given, passed } from './fixtures/deadly.pipeline.mjs';

const KEYS = 40;
const RECORDS = 1_137;
/** Where the deadly record is among the records of its key. */
const DEADLY = 20;

const fill = async (folder: string): Promise<void> => {
  await using log = await openLog(lmdb(folder));
  await log.append(
    given,
    Array.from({ length: RECORDS }, (_, n) => ({ key: `k${n % KEYS}`, value: n === DEADLY * KEYS ? 'deadly' : String(n) })),
  );
};
const written = async (folder: string): Promise<readonly string[]> => {
  await using log = await openLog(lmdb(folder));
  const values: string[] = [];
  for await (const batch of log.read(passed, { from: 'earliest', until: 'end' })) values.push(...batch.map(({ value }) => String(value)));
  return values;
};
const partitionOfDeadly = async (folder: string): Promise<{ readonly partition: number; readonly offset: bigint; readonly behind: number }> => {
  await using log = await openLog(lmdb(folder));
  let place: { partition: number; offset: bigint } | undefined;
  let behind = 0;
  for await (const batch of log.read(given, { from: 'earliest', until: 'end' }))
    for (const { value, partition, offset } of batch) {
      if (value === 'deadly') place = { partition, offset };
      if (place !== undefined && partition === place.partition) behind++;
    }
  return { ...place!, behind };
};

/** Starts the pipeline again whenever it dies, until it has failed a partition; returns it, and how often it was started. */
const supervised = async (folder: string, env: Readonly<Record<string, string>>): Promise<{ readonly app: Child; readonly starts: number }> => {
  for (let starts = 1; starts <= 10; starts++) {
    const app = startApp(folder, 'deadly.pipeline.mjs', { threads: 2, logger: 'none' }, { env, limitMs: 30_000 });
    const hasFailed = app.said('running').then(() => {
      app.send('failures 1');
      return app.said('failures ');
    });
    const died = app.ended.then(() => undefined);
    hasFailed.catch(() => {});
    if ((await Promise.race([hasFailed.catch(() => undefined), died])) !== undefined) return { app, starts };
  }
  throw new Error('ten starts were not enough');
};

describe('a record whose handler ends the whole process', () => {
  test.each(['SIGKILL', 'SIGABRT'])('the record is named after a few starts, and all others are processed: %s', async (way) => {
    await withFolder(async (folder) => {
      await fill(folder);
      const { app, starts } = await supervised(folder, { WAY: way });
      expect(starts).toBeLessThanOrEqual(6);
      app.send('failures 1');
      const { failed } = await app.heard<{ readonly failed: readonly { readonly code: string; readonly message: string; readonly partition: number }[] }>(
        'failures',
      );
      // The neighbours go on to the end.
      const { partition, offset, behind } = await partitionOfDeadly(folder);
      for (let done = 0; done < RECORDS - behind;) done = (await written(folder)).length;
      app.send('dispose');
      await app.ended;
      expect(failed).toEqual([
        expect.objectContaining({ code: 'STOPLOG_HANDLER', partition, message: expect.stringContaining(`given[${partition}] offset ${offset}`) }),
      ]);
      const values = await written(folder);
      expect(values).toHaveLength(RECORDS - behind);
      expect(new Set(values).size).toBe(RECORDS - behind);
      expect(values).not.toContain('deadly');
    });
  });

  test('a process that is killed from outside, again and again, fails no partition and loses no record', async () => {
    await withFolder(async (folder) => {
      await fill(folder);
      for (let n = 0; n < 4; n++) {
        const app = startApp(folder, 'deadly.pipeline.mjs', { threads: 2, logger: 'none' }, { env: { WAY: 'none' } });
        await app.said('starting');
        await app.kill();
      }
      const app = startApp(folder, 'deadly.pipeline.mjs', { threads: 2, logger: 'none' }, { env: { WAY: 'none' } });
      await app.said('running');
      app.send('settle');
      await app.said('settled');
      app.send('dispose');
      await app.ended;
      expect(new Set(await written(folder)).size).toBe(RECORDS);
    });
  });
});
