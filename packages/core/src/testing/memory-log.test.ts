import { describe, expect, test } from 'vitest';
import type { Assignment, Log } from '../port/log.ts';
import type { NumberedLog } from '../port/numbered-log.ts';
import { partitionName } from '../pure/group/group-partition.ts';
import { append, at, batchOf, commitOf, never, NOW, place, readAll, shape, TOPIC } from './contract/setting.ts';
import { logContract, numberedLogContract, type LogUnderTest } from './log-contract.ts';
import { MemoryDisk } from './memory-disk.ts';
import { memoryLog } from './memory-log.ts';
import { simClock } from './sim-clock.ts';

/** A disk whose commits are durable a moment after they are visible. */
class LaterDisk extends MemoryDisk {
  constructor() {
    super({ flush: 'later' });
  }
  override commit(...given: Parameters<MemoryDisk['commit']>): ReturnType<MemoryDisk['commit']> {
    setImmediate(() => this.flush());
    return super.commit(...given);
  }
}
const DISKS: Readonly<Record<string, () => MemoryDisk>> = {
  'with holes': () => new MemoryDisk(),
  'without holes': () => new MemoryDisk({ holes: false }),
  'with wide holes': () => new MemoryDisk({ holes: () => 3 }),
  'that flushes later': () => new LaterDisk(),
};
for (const [name, make] of Object.entries(DISKS)) {
  const open = async (): Promise<LogUnderTest<NumberedLog>> => {
    const disk = make();
    return { log: memoryLog({ disk }), reopen: async () => memoryLog({ disk }), clean: async (_, options) => disk.clean(options), dispose: async () => {} };
  };
  logContract(`a memory log ${name}`, open);
  numberedLogContract(`a memory log ${name}`, open);
}

describe('a memory log', () => {
  test("a memory log leaves a hole after every batch, so that `last + 1` is no record's offset", async () => {
    const log = memoryLog();
    await log.ensure([shape(TOPIC)]);
    await append(log, ['a', 'b']);
    await append(log, ['c']);
    expect((await readAll(log)).map(({ offset }) => offset)).toEqual([0n, 1n, 3n]);
    expect(await log.fetch(at(4n), NOW, never)).toMatchObject({ from: 4n, next: 5n, batches: [] });
  });
  test('a memory log waits by the given clock', async () => {
    const clock = simClock();
    const log = memoryLog({ clock });
    await log.ensure([shape(TOPIC)]);
    const waiting = log.fetch(at(0n), { bytes: 1, waitMs: 500 }, never);
    await Promise.resolve();
    clock.advance(500);
    expect(await waiting).toMatchObject({ next: 0n, batches: [] });
  });
  test('a removed member is notified, its commits are refused, and it joins again', async () => {
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

describe('a power cut', () => {
  const part = { store: 'totals', partition: 0, group: 'g', version: 1, fingerprint: 'f' } as const;
  const member = { id: 'm', units: [[place()]], heartbeats: 0, away: false, pid: 0, sessionMs: 10_000 } as const;
  /** A change of each kind, by its number: an append, a commit of a group, a step of a group, a numbered append. */
  const change = (disk: MemoryDisk, n: number): void => {
    const commit = (parts: Parameters<typeof commitOf>[0]): unknown => disk.commit(commitOf(parts));
    const position = disk.position('g', TOPIC, 0);
    if (n % 4 === 0) commit({ appends: [{ ...place(n % 2), batch: batchOf([`${n}`]) }] });
    else if (n % 4 === 1)
      commit({
        group: 'g',
        epoch: disk.group('g').state.held.get(partitionName(place()))?.epoch ?? 0,
        stores: [{ store: 'totals', partition: 0, keys: [Buffer.from(`k${n % 3}`)], values: [n % 5 === 0 ? null : Buffer.from(`${n}`)] }],
        positions: [{ ...place(), from: position, to: position + 1n }],
      });
    else if (n % 4 === 2) disk.step('g', disk.group('g').state.members.length === 0 ? { type: 'join', member } : { type: 'beat', id: 'm' });
    else commit({ appends: [{ ...place(), batch: batchOf(['p']), producer: { id: 1, epoch: 1, sequence: (n - 3) / 4 } }] });
  };
  const opened = (flush: 'at once' | 'later'): MemoryDisk => {
    const disk = new MemoryDisk({ flush, now: () => 0 });
    disk.ensure([shape(TOPIC)]);
    disk.openStore(part);
    disk.producer('numbered');
    return disk;
  };
  const contentOf = (disk: MemoryDisk): unknown => ({
    batches: disk.topic(TOPIC).partitions.map(({ batches, end, active }) => ({ end, active, batches: batches.map(({ base, bytes }) => [base, ...bytes]) })),
    entries: disk.part('totals', 0).range({}, Infinity),
    group: disk.group('g'),
  });

  test('a power cut leaves a prefix of the changes, each whole, and every change that was flushed', () => {
    for (let flushed = 0; flushed <= 12; flushed += 3)
      for (let survivors = 0; survivors <= 12 - flushed; survivors++) {
        const [disk, expected] = [opened('later'), opened('at once')];
        for (let n = 0; n < 12; n++) {
          if (n === flushed) disk.flush();
          change(disk, n);
        }
        if (flushed === 12) disk.flush();
        const lost = disk.powerCut(survivors);
        expect(lost).toHaveLength(12 - flushed - survivors);
        expect(lost.every(({ receipt }) => receipt.lost && !receipt.durable)).toBe(true);
        for (let n = 0; n < flushed + survivors; n++) change(expected, n);
        expect(contentOf(disk)).toEqual(contentOf(expected));
        // Changes that were rolled back can be made again, with the same numbers.
        for (let n = flushed + survivors; n < 12; n++) {
          change(disk, n);
          change(expected, n);
        }
        expect(contentOf(disk)).toEqual(contentOf(expected));
      }
  });
  test('a power cut rolls back nothing on which retention, a topic or a producer depends', () => {
    const disk = opened('later');
    change(disk, 0);
    disk.deleteRecords([at(0n)]);
    expect(disk.unflushed).toEqual([]);
    change(disk, 4);
    disk.producer('another');
    expect(disk.powerCut(0)).toEqual([]);
  });
});
