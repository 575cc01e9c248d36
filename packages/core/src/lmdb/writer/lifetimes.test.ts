/** Writers and links: who ends when, and that nobody waits for what is gone. */
import { once } from 'node:events';
import { join } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import { loadLogModule, openPort } from '@stoplog/core/kit';
import { lmdb } from '@stoplog/core/lmdb';
import { describe, expect, test } from 'vitest';
import { withFolder } from '../fixtures/child.ts';

describe('the writer of a folder', () => {
  test('ends with its log, also when somebody still holds a link to it', async () => {
    await withFolder(async (path) => {
      const ref = lmdb(path);
      const log = await openPort(ref);
      const { port } = (await (await loadLogModule(ref)).share(log)).data as { readonly port: MessagePort };
      const closed = once(port, 'close');
      await log[Symbol.asyncDispose]();
      await expect(closed).resolves.toBeDefined();
    });
  });
  test('takes its leave of the process when it has ended, and many at once share what listens for its exit', async () => {
    await withFolder(async (folder) => {
      const before = process.listenerCount('exit');
      const logs = await Promise.all(Array.from({ length: 3 }, (_, i) => openPort(lmdb(join(folder, `log ${i}`)))));
      // What LMDB's binding has of its own is one as well, once and for all.
      expect(process.listenerCount('exit') - before).toBeLessThanOrEqual(2);
      const open = process.listenerCount('exit');
      for (const log of logs) await log[Symbol.asyncDispose]();
      expect(process.listenerCount('exit')).toBe(open - 1);
    });
  });
  test('when it dies, calls are refused, closing does not wait for it, and the folder can be opened again', async () => {
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

test('a store of a log that was closed says so', async () => {
  await withFolder(async (path) => {
    const log = await openPort(lmdb(path));
    const store = await log.store({ store: 's', partition: 0, group: 'g', version: 1, fingerprint: 'f' }, new AbortController().signal);
    await log[Symbol.asyncDispose]();
    for (const read of [() => store.get(Buffer.from('k')), () => store.range({}, 1)])
      expect(read).toThrow(expect.objectContaining({ code: 'STOPLOG_LOG_UNAVAILABLE' }));
  });
});
