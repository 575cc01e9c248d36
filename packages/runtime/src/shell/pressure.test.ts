import { openLog } from '@stoplog/core';
import { openPort } from '@stoplog/core/kit';
import { lmdb } from '@stoplog/core/lmdb';
import { expect, test } from 'vitest';
import { start, withFolder } from './fixtures/child.ts';
import { quickDone, slow, slowDone } from './fixtures/pressed.pipeline.mjs';

const RECORDS = 60_000;
const ROUNDS = 150;

test('O24: a slow actor behind a fast producer uses bounded memory, does not stop its neighbour in the thread, and drains its open batch', async () => {
  await withFolder(async (folder) => {
    const log = await openLog(lmdb(folder));
    const child = start('pressed.mjs', [folder, String(ROUNDS)], { limitMs: 90_000 });
    await child.said('running');
    // 60 MB, a minute's work: if records were pushed instead of pulled, all 60 MB would be in memory at once.
    await log.append(
      slow,
      Array.from({ length: RECORDS }, (_, i) => ({ key: 'k', value: `${i} ${'x'.repeat(1_000)}` })),
    );
    child.send('go');
    const { growth } = await child.heard<{ readonly growth: number }>('report');
    expect(await child.ended).toMatchObject({ code: 0, errors: '' });
    expect(growth).toBeLessThan(48);
    const port = await openPort(lmdb(folder));
    const [position] = await port.committed('pressed', [{ topic: 'slow', partition: 0 }]);
    expect(Number(position!.offset)).toBeGreaterThan(0);
    expect(Number(position!.offset)).toBeLessThan(RECORDS);
    const [copied] = await log.ends(slowDone);
    expect(copied).toBe(position!.offset);
    // The neighbour processed every record, in order, while the slow actor was still busy.
    const passed: string[] = [];
    for await (const batch of log.read(quickDone, { from: 'earliest', until: 'end' })) for (const { value } of batch) passed.push(value!);
    expect(passed).toEqual(Array.from({ length: ROUNDS }, (_, round) => `${round}`));
    await port[Symbol.asyncDispose]();
    await log[Symbol.asyncDispose]();
  });
}, 120_000);
