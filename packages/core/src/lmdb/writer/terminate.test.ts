import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { loadLogModule, openPort } from '@stoplog/core/kit';
import { lmdb } from '@stoplog/core/lmdb';
import { expect, test } from 'vitest';
import { dense, offsetsOf, readLetters, withFolder } from '../fixtures/child.ts';
import { append, shape } from '../fixtures/letters.mjs';

const LIVES = 8;

test('a reading thread terminated while others commit disturbs no writer, and no record is lost', async () => {
  await withFolder(async (folder) => {
    const path = join(folder, 'log');
    const log = await openPort(lmdb(path));
    const { share } = await loadLogModule(lmdb(path));
    await log.ensure([shape]);
    let appended = 0;
    let over = false;
    const writing = (async () => {
      while (!over) {
        await append(log, 0, [`${appended}`, 'x'.repeat(3_000)]);
        appended++;
      }
    })();
    for (let incarnation = 0; incarnation < LIVES; incarnation++) {
      const { data, transfer } = await share(log);
      const worker = new Worker(fileURLToPath(new URL('../fixtures/reading-worker.mjs', import.meta.url)), {
        workerData: { path, link: data },
        transferList: [...transfer],
      });
      worker.on('error', (error) => expect.fail(error.message));
      expect(await once(worker, 'message')).toEqual(['reading']);
      const before = appended;
      await worker.terminate();
      while (appended < before + 3) await append(log, 1, ['meanwhile']);
    }
    over = true;
    await writing;
    expect(offsetsOf(await readLetters(log), 0)).toEqual(dense(2 * appended));
    await log[Symbol.asyncDispose]();
  });
});
