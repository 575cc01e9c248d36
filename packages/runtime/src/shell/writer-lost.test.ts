import { once } from 'node:events';
import type { MessagePort } from 'node:worker_threads';
import { loadLogModule, openPort } from '@stoplog/core/kit';
import { lmdb } from '@stoplog/core/lmdb';
import { run } from '@stoplog/runtime';
import { expect, test } from 'vitest';
import { withFolder } from './fixtures/child.ts';

const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

test('an app ends when the writer of its log dies, and leaves no timer that would restart an actor', async () => {
  await withFolder(async (folder) => {
    const ref = lmdb(folder);
    const before = timers();
    const app = await run(new URL('./fixtures/ledger.pipeline.mjs', import.meta.url), { log: ref, threads: 2, logger: 'none' });
    const log = await openPort(ref);
    const { port } = (await (await loadLogModule(ref)).share(log)).data as { readonly port: MessagePort };
    // No commit is two bytes long, so the writer fails with a broken invariant.
    port.postMessage({ id: 1, type: 'commit', bytes: new ArrayBuffer(2) });
    await once(port, 'close');
    await expect(app.finished).rejects.toMatchObject({ code: 'STOPLOG_LOG_UNAVAILABLE' });
    expect(timers()).toBeLessThanOrEqual(before);
    await app[Symbol.asyncDispose]();
    await expect(app.settled()).rejects.toMatchObject({ code: 'STOPLOG_LOG_UNAVAILABLE' });
    await log[Symbol.asyncDispose]();
  });
});
