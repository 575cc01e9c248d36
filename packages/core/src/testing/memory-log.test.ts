import { describe, expect, test } from 'vitest';
import type { Assignment, Log } from '../port/log.ts';
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
  test('a member that is evicted is told so, its commits are refused, and it joins anew', async () => {
    const disk = new MemoryDisk();
    const [old, other] = [memoryLog({ disk, pid: 1 }), memoryLog({ disk, pid: 2 })];
    await old.ensure([shape(TOPIC)]);
    const join = (log: Log): AsyncIterator<Assignment> => log.join('g', { units: [[place()]] }, never)[Symbol.asyncIterator]();
    const commit = (epoch: number): Promise<unknown> =>
      old.commit({ group: 'g', epoch, appends: [], stores: [], positions: [{ ...place(), from: 0n, to: 0n }] });
    const [first, second] = [join(old), join(other)];
    expect((await first.next()).value).toMatchObject({ group: 'g', partitions: [{ ...place(), epoch: 1 }] });
    expect((await second.next()).value).toMatchObject({ partitions: [] });
    const taken = second.next();
    disk.evict('g', 1);
    expect((await taken).value).toMatchObject({ partitions: [{ ...place(), epoch: 2 }] });
    await expect(commit(1)).rejects.toMatchObject({ code: 'STOPLOG_FENCED' });
    expect((await first.next()).value).toMatchObject({ partitions: [] });
    const again = first.next();
    await second.return!();
    expect((await again).value).toMatchObject({ partitions: [{ epoch: 3 }] });
    await commit(3);
  });
});
