/** Measures how fast a store is rebuilt by replay, beside the version that serves. */
import { openLog } from '@stoplog/core';
import { lmdb } from '@stoplog/core/lmdb';
import { run as runPipeline } from '@stoplog/runtime';
import { fillPartitions } from './floors/hand-records.ts';
import { atLeast, type Figure, type Setting } from './harness/benchmark.ts';
import { withFolder } from './harness/folder.ts';
import { interleave, rate } from './harness/pairs.ts';
import { chance, keyName, zipf } from './harness/records.ts';
import { flightsOf, foldAll } from './rebuild.floor.ts';
import { delays, flights, PARTITIONS } from './rebuild.pipeline.ts';

export const question = 'How many records a second does a rebuild replay into a store of two numbers for each of 300 airports?';
export const sketch =
  'Parsing 60 bytes of JSON is 0.6 µs, freezing it and folding 0.4 µs; two cores, and hardly any entries to put, since 300 keys change in each commit: 2 M/s on both together, less a start of threads.';
export const bound = 'ours over floor at least 0.6';
export const unit = 'records/s';
export const durability = 'sums and positions in one durable commit; the exchange is one more';
export const limitedBy =
  'the start of its threads and its looks for the end (0.3 s), then parsing, then the objects that the fold makes and the freezing of them.';

const AIRPORTS = 300;

export const run = async (setting: Setting): Promise<readonly Figure[]> => {
  const count = setting.quick ? 20_000 : 3_000_000;
  const pairs = await interleave(
    setting,
    () =>
      withFolder(async (folder) => {
        {
          await using log = await openLog(lmdb(folder));
          await log.append(flights, records(count));
        }
        await settle(folder, 1, count);
        return count / (await settle(folder, 2, count));
      }),
    () =>
      withFolder(async (folder) => {
        await fillPartitions(folder, PARTITIONS, encoded(count));
        const measured = await rate(count, () => foldAll(folder));
        check(await flightsOf(folder), count);
        return measured;
      }),
  );
  return [{ name: 'rebuild', unit, durability, ...pairs, bounds: [atLeast('ratio', 0.6)] }];
};

/** Seconds from the call of `run` until the version serves and everything is settled. */
const settle = async (folder: string, version: number, count: number): Promise<number> => {
  const started = performance.now();
  const program = new URL('./rebuild.pipeline.js', import.meta.url);
  program.searchParams.set('version', `${version}`);
  await using app = await runPipeline(program, {
    log: lmdb(folder),
    threads: PARTITIONS,
    rebuild: { threads: PARTITIONS },
    logger: 'none',
  });
  await app.settled();
  const seconds = (performance.now() - started) / 1_000;
  let sum = 0;
  for await (const [, one] of app.store(delays).range()) sum += one.flights;
  check(sum, count);
  return seconds;
};

function* records(
  count: number,
): Generator<{ readonly key: string; readonly value: { readonly destination: string; readonly delay: number; readonly distance: number } }> {
  const [next, random] = [zipf(AIRPORTS, 1.1, 1), chance(2)];
  for (let n = 0; n < count; n++)
    yield { key: keyName(next()), value: { destination: keyName(next()), delay: Math.floor(random() * 90) - 10, distance: Math.floor(random() * 2_500) } };
}

function* encoded(count: number): Generator<{ readonly key: string; readonly value: Uint8Array }> {
  for (const { key, value } of records(count)) yield { key, value: Buffer.from(JSON.stringify(value)) };
}

const check = (sum: number, count: number): void => {
  if (sum !== count) throw new Error(`${sum} of ${count} flights are in the sums`);
};
