/** Measures how fast one thread appends. */
import { openLog } from '@stoplog/core';
import { lmdb } from '@stoplog/core/lmdb';
import { openFloor } from './append.floor.ts';
import { raw, readings } from './append.topic.ts';
import { atLeast, type Figure, type Setting } from './harness/benchmark.ts';
import { withFolder } from './harness/folder.ts';
import { interleave, rate } from './harness/pairs.ts';
import { keyName, many, reading } from './harness/records.ts';

export const question = 'How many 100-byte records a second does one thread append, until all are durable?';
export const sketch =
  'A flush takes 0.2 ms and carries 16 batches of 64 KB: 10,000 records, so the disk is not it. Copying 100 bytes twice and a checksum: 0.2 µs, so 3 M/s as bytes. JSON.stringify takes 1 µs and zod 0.2: 0.6 M/s.';
export const bound = 'ours over floor: bytes at least 0.5, JSON with zod at least 0.6';
export const unit = 'records/s';
export const durability = 'durable: flushed before it is acknowledged';
export const limitedBy = 'parsing, which is called for the key and the value of each record, and JSON.stringify; the floor has both.';

export const run = async (setting: Setting): Promise<readonly Figure[]> => {
  const encoder = new TextEncoder();
  const rawRecords = many(setting.quick ? 20_000 : 2_000_000, 10_000, (n) => ({
    key: encoder.encode(keyName(n)),
    value: encoder.encode(JSON.stringify(reading(n))),
  }));
  const jsonRecords = many(setting.quick ? 10_000 : 600_000, 10_000, (n) => ({ key: keyName(n), value: reading(n) }));
  const bytes = await interleave(
    setting,
    () => ours((log) => log.append(raw, rawRecords), rawRecords.length),
    () => floor((log) => log.bytes(rawRecords), rawRecords.length),
  );
  const json = await interleave(
    setting,
    () => ours((log) => log.append(readings, jsonRecords), jsonRecords.length),
    () => floor((log) => log.json(jsonRecords), jsonRecords.length),
  );
  return [
    { name: 'bytes', unit, durability, ...bytes, bounds: [atLeast('ratio', 0.5)] },
    { name: 'JSON with zod', unit, durability, ...json, bounds: [atLeast('ratio', 0.6)] },
  ];
};

const ours = (append: (log: Awaited<ReturnType<typeof openLog>>) => Promise<{ readonly records: number }>, records: number): Promise<number> =>
  withFolder(async (folder) => {
    await using log = await openLog(lmdb(folder));
    return await rate(records, async () => {
      const appended = await append(log);
      if (appended.records !== records) throw new Error(`${appended.records} of ${records} records were acknowledged`);
    });
  });

const floor = (append: (log: Awaited<ReturnType<typeof openFloor>>) => Promise<void>, records: number): Promise<number> =>
  withFolder(async (folder) => {
    const log = await openFloor(folder);
    const measured = await rate(records, () => append(log));
    await log.close();
    return measured;
  });
