import { openLog } from '@stoplog/core';
import { lmdb } from '@stoplog/core/lmdb';
import { run, type AppEvent } from '@stoplog/runtime';
import { expect, test } from 'vitest';
import { withFolder } from './fixtures/child.ts';
import { sizes, states } from './fixtures/large.pipeline.mjs';

const KEYS = 50;
const SIZE = 600_000;

test('states that are many times as large as the heap of the threads are kept, and no thread runs out of memory', async () => {
  await withFolder(async (folder) => {
    const log = await openLog(lmdb(folder));
    await log.append(
      sizes,
      Array.from({ length: 2 * KEYS }, (_, n) => ({ key: `k${n % KEYS}`, value: SIZE })),
    );
    await log[Symbol.asyncDispose]();
    const app = await run(new URL('./fixtures/large.pipeline.mjs', import.meta.url), { log: lmdb(folder), threads: 1, heapMb: 80, logger: 'none' });
    const events: AppEvent[] = [];
    app.events.subscribe((event) => events.push(event));
    await app.settled();
    expect(events.filter(({ type }) => type === 'restarting' || type === 'failed')).toEqual([]);
    const state = await app.store(states).get('k7');
    expect(state).toHaveLength(SIZE / 30);
    await app[Symbol.asyncDispose]();
  });
}, 60_000);
