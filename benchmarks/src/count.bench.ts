/** Measures how fast a pipeline counts, exactly once. */
import { openLog } from '@stoplog/core';
import { lmdb } from '@stoplog/core/lmdb';
import { run as runPipeline } from '@stoplog/runtime';
import { countAll, sumOfCounts } from './count.floor.ts';
import { countByKey, events, PARTITIONS } from './count.pipeline.ts';
import { fillPartitions } from './floors/hand-records.ts';
import { atLeast, type Figure, type Setting } from './harness/benchmark.ts';
import { withFolder } from './harness/folder.ts';
import { interleave, rate } from './harness/pairs.ts';
import { keyName, zipf } from './harness/records.ts';

export const question = 'How many records a second are counted per key, exactly once, with the counts in a store and on a compacted topic?';
export const sketch =
  'Reading a key and a Map: 0.25 µs on each of two cores. A key that changed costs 2 µs to encode, seal and put, and every fifth record changes one: 0.4 µs. On two cores with a writer beside them: 1.5 M/s.';
export const bound = 'ours over floor at least 0.6, and at least 700,000 records/s';
export const unit = 'records/s';
export const durability = 'counts, output and positions in one durable commit';
export const limitedBy =
  'lookups by key (a sixth of an actor: one in the store, one in the output), then the encoding and sealing of the counts that changed, then an object for each record (a tenth is garbage collection).';

const KEYS = 100_000;
const EXPONENT = 1.1;

export const run = async (setting: Setting): Promise<readonly Figure[]> => {
  const count = setting.quick ? 20_000 : 5_000_000;
  const pairs = await interleave(
    setting,
    () =>
      withFolder(async (folder) => {
        {
          await using log = await openLog(lmdb(folder));
          await log.append(events, records(count));
        }
        return ours(folder, count);
      }),
    () =>
      withFolder(async (folder) => {
        await fillPartitions(folder, PARTITIONS, records(count));
        const measured = await rate(count, () => countAll(folder));
        check(await sumOfCounts(folder), count);
        return measured;
      }),
  );
  return [{ name: 'count by key', unit, durability, ...pairs, bounds: [atLeast('ratio', 0.6), atLeast('ours', 700_000)] }];
};

/** From the call of `run` until everything is settled: the threads start within it, as the floor's do. */
const ours = async (folder: string, count: number): Promise<number> => {
  const started = performance.now();
  await using app = await runPipeline(new URL('./count.pipeline.js', import.meta.url), { log: lmdb(folder), threads: 2, logger: 'none' });
  await app.settled();
  const seconds = (performance.now() - started) / 1_000;
  let sum = 0;
  for await (const [, counted] of app.store(countByKey).range()) sum += counted;
  check(sum, count);
  return count / seconds;
};

function* records(count: number): Generator<{ readonly key: string; readonly value: Uint8Array<ArrayBuffer>; readonly timestamp: number }> {
  const next = zipf(KEYS, EXPONENT, 1);
  const value = new Uint8Array(86).fill(0x61);
  for (let n = 0; n < count; n++) yield { key: keyName(next()), value, timestamp: 1_700_000_000_000 };
}

const check = (sum: number, count: number): void => {
  if (sum !== count) throw new Error(`${sum} of ${count} records were counted`);
};
