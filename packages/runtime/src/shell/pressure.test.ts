import { openLog } from '@stoplog/core';
import { lmdb } from '@stoplog/core/lmdb';
import { openPort } from '@stoplog/core/port';
import { expect, test } from 'vitest';
import { start, withFolder } from './fixtures/child.ts';
import { slow, slowDone } from './fixtures/pressed.pipeline.mjs';

const RECORDS = 60_000;

test('a slow actor behind a fast producer takes bounded memory, lets its neighbour in the same thread go on, and drains soon', async () => {
  await withFolder(async (folder) => {
    const log = await openLog(lmdb(folder));
    const child = start('pressed.mjs', [folder, '150'], { limitMs: 90_000 });
    await child.said('running');
    // 60 MB, a minute's work: pushed instead of pulled, all of it would be in memory at once.
    await log.append(
      slow,
      Array.from({ length: RECORDS }, (_, i) => ({ key: 'k', value: `${i} ${'x'.repeat(1_000)}` })),
    );
    child.tell('go');
    const { p50, p99, growth, drained, busy, late } =
      await child.told<Readonly<Record<'p50' | 'p99' | 'growth' | 'drained' | 'busy' | 'late', number>>>('report');
    expect(await child.ended).toMatchObject({ code: 0, errors: '' });
    console.log(
      `pressure: a neighbour's record took p50 ${p50!.toFixed(1)} ms, p99 ${p99!.toFixed(1)} ms; ${growth!.toFixed(0)} MB more; drained in ${drained!.toFixed(0)} ms; main ${(100 * busy!).toFixed(1)} % busy, p99 ${late!.toFixed(1)} ms late`,
    );
    expect(p99).toBeLessThan(200);
    expect(growth).toBeLessThan(48);
    // O24: whoever passes on waits for nobody.
    expect(late).toBeLessThan(200);
    expect(drained).toBeLessThan(2_000);
    const port = await openPort(lmdb(folder));
    const [position] = await port.committed('pressed', [{ topic: 'slow', partition: 0 }]);
    expect(Number(position!.offset)).toBeGreaterThan(0);
    expect(Number(position!.offset)).toBeLessThan(RECORDS);
    const [copied] = await log.ends(slowDone);
    expect(copied).toBe(position!.offset);
    await port[Symbol.asyncDispose]();
    await log[Symbol.asyncDispose]();
  });
}, 120_000);
