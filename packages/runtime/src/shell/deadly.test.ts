import { openLog } from '@stoplog/core';
import { openPort } from '@stoplog/core/kit';
import { lmdb } from '@stoplog/core/lmdb';
import { describe, expect, test } from 'vitest';
import { type Child, startApp, withFolder } from './fixtures/child.ts';
import { given, passed } from './fixtures/deadly.pipeline.mjs';
import { readNotes } from './failure-notes.ts';

interface Failed {
  readonly code: string;
  readonly message: string;
  readonly partition: number;
}
interface Place {
  readonly partition: number;
  readonly offset: bigint;
}
const PARTITIONS = 4;
const KEYS = 40;
const RECORDS = 1_137;
const DEADLY = 800;
/** Eight or nine from the first process on that makes no progress (process-note.test.ts): some make a little, on a busy machine. */
const STARTS = 20;

/** Fills the topic with records whose values are their numbers, but for the deadly one. */
const fill = async (folder: string, deadly?: number): Promise<void> => {
  await using log = await openLog(lmdb(folder));
  await log.append(
    given,
    Array.from({ length: RECORDS }, (_, n) => ({ key: `k${n % KEYS}`, value: n === deadly ? 'deadly' : String(n) })),
  );
};
const written = async (folder: string): Promise<readonly string[]> => {
  await using log = await openLog(lmdb(folder));
  const values: string[] = [];
  for await (const batch of log.read(passed, { from: 'earliest', until: 'end' })) values.push(...batch.map(({ value }) => String(value)));
  return values.toSorted();
};
/** Where the deadly record is, and the values that come through beside it. */
const expected = async (folder: string): Promise<{ readonly deadly: Place; readonly values: readonly string[] }> => {
  await using log = await openLog(lmdb(folder));
  let deadly: Place | undefined;
  const values: string[] = [];
  for await (const batch of log.read(given, { from: 'earliest', until: 'end' }))
    for (const { value, partition, offset } of batch) {
      if (value === 'deadly') deadly = { partition, offset };
      if (deadly?.partition !== partition) values.push(value!);
    }
  return { deadly: deadly!, values: values.toSorted() };
};

const startWith = (folder: string, env: Readonly<Record<string, string>>): Child =>
  startApp(folder, 'deadly.pipeline.mjs', { threads: 2, logger: 'none' }, { env, limitMs: 30_000 });
/** Starts the pipeline again whenever it dies, until a partition has failed. */
const supervised = async (folder: string): Promise<{ readonly app: Child; readonly starts: number; readonly failed: readonly Failed[] }> => {
  for (let starts = 1; starts <= STARTS; starts++) {
    const app = startWith(folder, { WAY: 'SIGKILL' });
    const failed = app.said('running').then(() => {
      app.send('failures 1');
      return app.heard<{ readonly failed: readonly Failed[] }>('failures');
    });
    const outcome = await Promise.race([failed.catch(() => undefined), app.ended.then(() => undefined)]);
    if (outcome !== undefined) return { app, starts, failed: outcome.failed };
  }
  throw new Error(`${STARTS} starts were not enough`);
};
const settle = async (app: Child): Promise<void> => {
  await app.said('running');
  app.send('settle');
  await app.said('settled');
  app.send('dispose');
  await app.ended;
};

describe('a record whose handler ends the whole process', () => {
  test('the record is found in a few starts, its partition fails, and all others are processed', async () => {
    await withFolder(async (folder) => {
      await fill(folder, DEADLY);
      const { deadly, values } = await expected(folder);
      const { app, failed } = await supervised(folder);
      const { partition, offset } = deadly;
      expect(failed).toEqual([
        expect.objectContaining({ code: 'STOPLOG_HANDLER', partition, message: expect.stringContaining(`given[${partition}] offset ${offset}`) }),
      ]);
      while ((await written(folder)).length < values.length);
      expect(await written(folder)).toEqual(values);
      // Killed once more, the next process knows the record, and does not die of it.
      await app.kill();
      const again = await supervised(folder);
      expect(again.starts).toBe(1);
      again.app.send('dispose');
      await again.app.ended;
      const port = await openPort(lmdb(folder));
      const notes = await readNotes(port, 'deadly', PARTITIONS);
      await port[Symbol.asyncDispose]();
      expect(notes).toMatchObject([{ topic: 'given', partition, note: { offset, skip: expect.stringContaining(`--to-offset ${offset + 1n}`) } }]);
      // Corrected, it resumes at the record.
      await settle(startWith(folder, { CORRECTED: 'yes' }));
      expect(await written(folder)).toHaveLength(RECORDS);
    });
  }, 120_000);

  test('a process that is killed from outside, again and again, fails no partition and loses no record', async () => {
    await withFolder(async (folder) => {
      await fill(folder);
      for (let n = 0; n < 7; n++) {
        const app = startWith(folder, {});
        // Before it has made any progress, and after.
        await app.said(n < 5 ? 'starting' : 'running');
        await app.kill();
      }
      await settle(startWith(folder, {}));
      const values = await written(folder);
      expect([values.length, new Set(values).size]).toEqual([RECORDS, RECORDS]);
    });
  }, 120_000);
});
