/** O19: readers that die inside a read, and very many that live. */
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { topic } from '@stoplog/core';
import type { Log } from '@stoplog/core/port';
import { loadLogModule, makeClient, openPort } from '@stoplog/core/kit';
import { lmdb } from '@stoplog/core/lmdb';
import { open } from 'lmdb';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { dense, offsetsOf, readLetters, withFolder, type Child, start } from '../fixtures/child.ts';
import { append, commitOf, never, place, shape } from '../fixtures/letters.mjs';

const ROUNDS = 3;
const AT_ONCE = 10;
const KEYS = 2_000;
const OVERWRITES = 20_000;
const THREADS = 32;

const withLog = async <T>(path: string, use: (log: Log) => Promise<T>): Promise<T> => {
  const log = await openPort(lmdb(path));
  try {
    await log.ensure([shape]);
    return await use(log);
  } finally {
    await log[Symbol.asyncDispose]();
  }
};
/** Writes values of 500 bytes over 2,000 keys, and returns the size of the file after that. */
const overwrite = async (log: Log, path: string): Promise<number> => {
  await log.store({ store: 's', partition: 0, group: 'g', version: 1, fingerprint: 'f' }, never);
  for (let n = 0; n < OVERWRITES; n += 200) {
    const keys = Array.from({ length: 200 }, (_, i) => Buffer.from(`key ${(n + i) % KEYS}`));
    await log.commit(commitOf({ stores: [{ store: 's', partition: 0, keys, values: keys.map(() => Buffer.alloc(500, n)) }] }));
  }
  return statSync(join(path, 'data.mdb')).blocks * 512;
};
/** Counts the snapshots that these processes have left, from LMDB's own table of readers. */
const snapshotsOf = (table: string, dead: readonly Child[]): number => {
  const pids = new Set(dead.map(({ process }) => String(process.pid)));
  return table.split('\n').filter((line) => {
    const [pid, , transaction] = line.trim().split(/\s+/);
    return pids.has(pid!) && transaction !== '-';
  }).length;
};
const said = (worker: Worker, text: string): Promise<void> => new Promise((resolve) => worker.on('message', (message) => message === text && resolve()));
const letter = (log: Log, n: number): Promise<unknown> => append(log, 0, [`${n}`, 'x'.repeat(300)]);
const dying = (path: string, count: number): readonly Child[] => Array.from({ length: count }, (_, i) => start('dying-reader', path, `${1 + 7 * i}`));
/** Kills all readers; `meanwhile` is called when each has begun, and while it ends. */
const die = async (readers: readonly Child[], meanwhile: () => Promise<void> = async () => {}): Promise<void> => {
  await Promise.all(readers.map((reader) => reader.said('ready').then(meanwhile)));
  for (const reader of readers) reader.process.stdin!.write('go\n');
  await Promise.all(
    readers.map(async (reader) => {
      const [ended] = await Promise.all([reader.ended, meanwhile()]);
      expect(ended).toMatchObject({ signal: 'SIGKILL', errors: '' });
      await meanwhile();
    }),
  );
};

test('O19: thirty processes killed inside a read do not disturb other readers and writers, and the file does not grow by them', async () => {
  await withFolder(async (folder) => {
    const [calm, stuck, path] = ['calm', 'stuck', 'log'].map((name) => join(folder, name)) as [string, string, string];
    // Measures the growth caused by one dead reader that is not removed: the bound below would notice it.
    const grown = await withLog(stuck, async (log) => {
      await append(log, 0, ['x'.repeat(3_000)]);
      await die(dying(stuck, 1));
      return overwrite(log, stuck);
    });
    let appended = 0;
    let snapshots = 0;
    await withLog(path, async (log) => {
      await letter(log, appended++);
      const table = open({ path, noSubdir: false, readOnly: true, pageSize: 8192 }) as unknown as { readerList(): string; close(): Promise<void> };
      let using: Promise<void> = Promise.resolve();
      /** Writes and reads once more, one caller at a time. */
      const use = (): Promise<void> =>
        (using = using.then(async () => {
          await letter(log, appended++);
          const { batches } = await log.fetch({ ...place(0), offset: BigInt(2 * appended - 1) }, { bytes: 10_000, waitMs: 0 }, never);
          if (batches.length === 0) throw new Error(`nothing was read at ${2 * appended - 1}`);
        }));
      for (let round = 0; round < ROUNDS; round++) {
        const readers = dying(path, AT_ONCE);
        await die(readers, use);
        snapshots += snapshotsOf(table.readerList(), readers);
      }
      expect(offsetsOf(await readLetters(log), 0)).toEqual(dense(2 * appended));
      await table.close();
    });
    // The last ten are still in the table; opening the log checks which processes live.
    const size = await withLog(path, (log) => overwrite(log, path));
    const baseline = await withLog(calm, async (log) => {
      for (let n = 0; n < appended; n++) await letter(log, n);
      return overwrite(log, calm);
    });
    console.log(
      `O19: ${snapshots} snapshots left by ${ROUNDS * AT_ONCE} dead readers; ${size} bytes, ${baseline} without them, ${grown} with one that is left alone`,
    );
    // Each left a snapshot, or the test would prove nothing.
    expect(snapshots).toBe(ROUNDS * AT_ONCE);
    expect(grown).toBeGreaterThan(3 * baseline);
    expect(size).toBeLessThanOrEqual(3 * baseline);
  });
});

test('O19: a reader that rests between two batches holds no snapshot: the file does not grow by it, and it resumes at its position', async () => {
  const pages = topic('pages', { key: z.string(), value: z.string(), partitions: 1 });
  const RECORDS = 4_000;
  await withFolder(async (folder) => {
    const sizeWith = (name: string, isRead: boolean): Promise<number> =>
      withLog(join(folder, name), async (log) => {
        const client = makeClient(log);
        await client.append(
          pages,
          Array.from({ length: RECORDS }, (_, i) => ({ key: `${i}`, value: 'x'.repeat(500) })),
        );
        const reading = client.read(pages, { from: 'earliest', until: 'end' })[Symbol.asyncIterator]();
        let read = isRead ? (await reading.next()).value!.length : RECORDS;
        if (isRead) expect(read).toBeLessThan(RECORDS);
        const size = await overwrite(log, join(folder, name));
        while (read < RECORDS) {
          const { value } = await reading.next();
          expect(value![0]!.offset).toBe(BigInt(read));
          read += value!.length;
        }
        await reading.return?.();
        return size;
      });
    const [calm, resting] = [await sizeWith('calm', false), await sizeWith('resting', true)];
    console.log(`O19: ${resting} bytes beside a reader that rests, ${calm} without one`);
    expect(resting).toBeLessThanOrEqual(1.2 * calm);
  });
});

test('O19: thirty-two threads read at once, beside a writer, without an error', async () => {
  await withFolder(async (path) => {
    await withLog(path, async (log) => {
      const { share } = await loadLogModule(lmdb(path));
      for (let n = 0; n < 4; n++) await append(log, 0, [`${n}`, 'x'.repeat(3_000)]);
      const errors: Error[] = [];
      const gate = new Int32Array(new SharedArrayBuffer(4));
      const workers = await Promise.all(
        Array.from({ length: THREADS }, async () => {
          const { data, transfer } = await share(log);
          const worker = new Worker(fileURLToPath(new URL('../fixtures/reading-worker.mjs', import.meta.url)), {
            workerData: { path, link: data, gate },
            transferList: [...transfer],
          });
          worker.on('error', (error) => errors.push(error));
          expect(await once(worker, 'message')).toEqual(['ready']);
          return worker;
        }),
      );
      const all = Promise.all(workers.map((worker) => once(worker, 'message')));
      Atomics.store(gate, 0, 1);
      Atomics.notify(gate, 0);
      const reading = await all;
      expect(reading.length).toBe(THREADS);
      const followed = Promise.all(workers.map((worker) => said(worker, 'at 28')));
      for (let n = 4; n < 14; n++) await append(log, 0, [`${n}`, 'x'.repeat(3_000)]);
      await followed;
      expect(errors).toEqual([]);
      await Promise.all(workers.map((worker) => worker.terminate()));
      expect(offsetsOf(await readLetters(log), 0)).toEqual(dense(28));
    });
  });
});
