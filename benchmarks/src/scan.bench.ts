/** Measures how fast one thread reads a log. */
import { openLog } from '@stoplog/core';
import type { Log } from '@stoplog/core/port';
import { openPort } from '@stoplog/core/kit';
import { lmdb } from '@stoplog/core/lmdb';
import { readings } from './append.topic.ts';
import { atLeast, type Figure, type Setting } from './harness/benchmark.ts';
import { withFolder } from './harness/folder.ts';
import { interleave, rate } from './harness/pairs.ts';
import { keyName, many, reading, type Reading } from './harness/records.ts';
import { fillFloor, openFloorScan } from './scan.floor.ts';

export const question = 'How many 100-byte records a second does one thread read, as views of the batch and as parsed JSON?';
export const sketch =
  'Copying 64 KB out of the map and verifying it takes 40 µs for 600 records, walking them 10 ns each: 10 M/s as views. JSON.parse takes 0.8 µs: 1 M/s.';
export const bound = 'ours over floor: views at least 0.5, JSON at least 0.8';
export const unit = 'records/s';
export const durability = 'what is read is committed, verified by its checksum, in the page cache';
export const limitedBy = 'JSON.parse (a half), which the floor has too; then an object for each record.';

const POOL = 10_000;

export const run = async (setting: Setting): Promise<readonly Figure[]> => {
  const count = setting.quick ? 20_000 : 1_000_000;
  return withFolder((ourFolder) =>
    withFolder(async (floorFolder) => {
      setting.report('filling');
      await using client = await openLog(lmdb(ourFolder));
      await client.append(
        readings,
        many(count, POOL, (n) => ({ key: keyName(n), value: reading(n), timestamp: 1_700_000_000_000 + n })),
      );
      await fillFloor(
        floorFolder,
        count,
        (n) => JSON.stringify(keyName(n % POOL)),
        (n) => JSON.stringify(reading(n % POOL)),
      );
      await using port = await openPort(lmdb(ourFolder));
      const floor = openFloorScan(floorFolder, count);
      const times = setting.quick ? 1 : 4;
      const views = await interleave(
        setting,
        () =>
          rate(count * times, async () => {
            for (let i = 0; i < times; i++) check(await ourViews(port), count);
          }),
        () =>
          rate(count * times, async () => {
            for (let i = 0; i < times; i++) check(floorViews(floor), count);
          }),
      );
      const json = await interleave(
        setting,
        () =>
          rate(count, async () => {
            let seen = 0;
            for await (const batch of client.read(readings, { from: 'earliest', until: 'end' }))
              for (const { key, value } of batch) if (fits(key, value)) seen++;
            check(seen, count);
          }),
        () => rate(count, async () => check(floorJson(floor), count)),
      );
      await floor.close();
      return [
        { name: 'views', unit, durability, ...views, bounds: [atLeast('ratio', 0.5)] },
        { name: 'JSON', unit, durability, ...json, bounds: [atLeast('ratio', 0.8)] },
      ];
    }),
  );
};

const ourViews = async (log: Log): Promise<number> => {
  const never = new AbortController().signal;
  let seen = 0;
  let bytes = 0;
  for (let at = 0n; ;) {
    const { batches, next } = await log.fetch({ topic: readings.name, partition: 0, offset: at }, { bytes: 256 * 1024, waitMs: 0 }, never);
    if (next === at) return bytes > 0 ? seen : -1;
    for (const view of batches) {
      while (view.next()) {
        seen++;
        bytes += view.keyEnd - view.keyStart + view.valueEnd - view.valueStart;
      }
    }
    at = next;
  }
};

const floorViews = (floor: ReturnType<typeof openFloorScan>): number => {
  let seen = 0;
  let bytes = 0;
  floor.batches((cursor) => {
    let here = 0;
    while (cursor.next()) {
      here++;
      bytes += cursor.keyEnd - cursor.keyStart + cursor.valueEnd - cursor.valueStart;
    }
    seen += here;
    return here;
  });
  return bytes > 0 ? seen : -1;
};

const floorJson = (floor: ReturnType<typeof openFloorScan>): number => {
  let seen = 0;
  floor.batches((cursor) => {
    const { bytes } = cursor;
    let here = 0;
    while (cursor.next()) {
      here++;
      const key = bytes.toString('latin1', cursor.keyStart + 1, cursor.keyEnd - 1);
      if (fits(key, JSON.parse(bytes.toString('utf8', cursor.valueStart, cursor.valueEnd)) as Reading)) seen++;
    }
    return here;
  });
  return seen;
};

const fits = (key: string, value: Reading | null): boolean => key.length === 12 && value?.sensor.length === 6;
const check = (seen: number, count: number): void => {
  if (seen !== count) throw new Error(`${seen} of ${count} records were read`);
};
