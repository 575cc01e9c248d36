/** The ends of writers and links: no caller waits for a writer that is gone. */
import { once } from 'node:events';
import { join } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import { loadLogModule, openPort } from '@stoplog/core/kit';
import { lmdb } from '@stoplog/core/lmdb';
import { describe, expect, test } from 'vitest';
import { withFolder } from '../fixtures/child.ts';

describe('the writer of a folder', () => {
  test('the writer ends with its log, also when a link to it is still held', async () => {
    await withFolder(async (path) => {
      const ref = lmdb(path);
      const log = await openPort(ref);
      const { port } = (await (await loadLogModule(ref)).share(log)).data as { readonly port: MessagePort };
      const closed = once(port, 'close');
      await log[Symbol.asyncDispose]();
      await expect(closed).resolves.toBeDefined();
    });
  });
  test('an ended writer leaves no listener at the process, and many writers at once share their listener for the exit', async () => {
    await withFolder(async (folder) => {
      const before = process.listenerCount('exit');
      const logs = await Promise.all(Array.from({ length: 3 }, (_, i) => openPort(lmdb(join(folder, `log ${i}`)))));
      // LMDB's binding has a listener of its own, once and for all.
      expect(process.listenerCount('exit') - before).toBeLessThanOrEqual(2);
      const open = process.listenerCount('exit');
      for (const log of logs) await log[Symbol.asyncDispose]();
      expect(process.listenerCount('exit')).toBe(open - 1);
    });
  });
  test('a writer that dies refuses its calls, does not hold up closing, and its folder can be opened again', async () => {
    await withFolder(async (path) => {
      const ref = lmdb(path);
      const log = await openPort(ref);
      await log.ensure([]);
      const { port } = (await (await loadLogModule(ref)).share(log)).data as { readonly port: MessagePort };
      // No commit of ours is two bytes long; to the writer it is a broken invariant.
      port.postMessage({ id: 1, type: 'commit', bytes: new ArrayBuffer(2) });
      await once(port, 'close');
      await expect(log.ensure([])).rejects.toMatchObject({ code: 'STOPLOG_LOG_UNAVAILABLE' });
      await log[Symbol.asyncDispose]();
      const again = await openPort(ref);
      await again.ensure([]);
      await again[Symbol.asyncDispose]();
    });
  });
});

test('a store of a closed log reports that the log is closed', async () => {
  await withFolder(async (path) => {
    const log = await openPort(lmdb(path));
    const store = await log.store({ store: 's', partition: 0, group: 'g', version: 1, fingerprint: 'f' }, new AbortController().signal);
    await log[Symbol.asyncDispose]();
    for (const read of [() => store.get(Buffer.from('k')), () => store.range({}, 1)])
      expect(read).toThrow(expect.objectContaining({ code: 'STOPLOG_LOG_UNAVAILABLE' }));
  });
});
