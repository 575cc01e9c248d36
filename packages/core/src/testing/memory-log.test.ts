import { describe, expect, test } from 'vitest';
import { append, at, never, NOW, place, readAll, shape, TOPIC } from './contract/setting.ts';
import { logContract } from './log-contract.ts';
import { MemoryDisk } from './memory-disk.ts';
import { memoryLog } from './memory-log.ts';
import { simClock } from './sim-clock.ts';

for (const holes of [true, false]) {
  logContract(`a memory log ${holes ? 'with' : 'without'} holes`, async () => {
    const disk = new MemoryDisk(holes);
    return { log: memoryLog({ disk }), reopen: async () => memoryLog({ disk }), clean: async (_, options) => disk.clean(options), dispose: async () => {} };
  });
}

describe('a memory log', () => {
  test('leaves a hole behind every batch, so that `last + 1` leads nowhere', async () => {
    const log = memoryLog();
    await log.ensure([shape(TOPIC)]);
    await append(log, ['a', 'b']);
    await append(log, ['c']);
    expect((await readAll(log)).map(({ offset }) => offset)).toEqual([0n, 1n, 3n]);
    expect(await log.fetch(at(4n), NOW, never)).toMatchObject({ from: 4n, next: 5n, batches: [] });
  });
  test('waits by the clock it is given', async () => {
    const clock = simClock();
    const log = memoryLog({ clock });
    await log.ensure([shape(TOPIC)]);
    const waiting = log.fetch(at(0n), { bytes: 1, waitMs: 500 }, never);
    await Promise.resolve();
    clock.advance(500);
    expect(await waiting).toMatchObject({ next: 0n, batches: [] });
  });
  test('a member that is evicted is told, and the epoch of the next one fences it', async () => {
    const disk = new MemoryDisk();
    const log = memoryLog({ disk });
    await log.ensure([shape(TOPIC)]);
    const join = (): AsyncIterator<{ epoch: number; partitions: readonly unknown[] }> => log.join('g', [place()], never)[Symbol.asyncIterator]();
    const [old, next] = [join(), join()];
    await old.next();
    const waiting = next.next();
    disk.evict('g');
    expect(await waiting).toMatchObject({ value: { epoch: 2, partitions: [place()] } });
    expect(await old.next()).toMatchObject({ value: { epoch: 1, partitions: [] } });
    await expect(log.commit({ group: 'g', epoch: 1, appends: [], stores: [], positions: [] })).rejects.toMatchObject({ code: 'STOPLOG_FENCED' });
  });
});
