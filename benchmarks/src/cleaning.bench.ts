/** Measures the effect of compaction on concurrent appends. */
import type { Log, TopicShape } from '@stoplog/core/port';
import { BatchBuilder, openPort } from '@stoplog/core/kit';
import { loadTools } from '@stoplog/core/tools';
import { lmdb } from '@stoplog/core/lmdb';
import { atMost, type Figure, type Setting } from './harness/benchmark.ts';
import { withFolder } from './harness/folder.ts';
import { quantile } from './harness/pairs.ts';
import { chance, keyName } from './harness/records.ts';

export const question = 'How much longer does an append take while the log is being compacted?';
export const sketch =
  'A step of cleaning reads 256 KB and shares a flush with what waits: two milliseconds of the writer, at 32 MiB a second one step in eight. The slowest appends meet one step, so their 99th percentile is at most twice as long.';
export const bound = 'p99 while cleaning over p99 without at most 3';
export const unit = 'ms';
export const durability = 'each append of 500 records durable before the next';
export const limitedBy = 'how long the writer is with a step of cleaning.';

const MB = 1_000_000;
const KEYS = 20_000;
const APPENDED = 500;
const place = { topic: 'table', partition: 0 };
const shape: TopicShape = {
  name: 'table',
  partitions: 1,
  cleanup: 'compact',
  retentionMs: undefined,
  forgetting: { segmentBytes: 8 * MB },
  keyCodec: 'bytes',
  valueCodec: 'bytes',
  keySchema: {},
  valueSchema: {},
};

export const run = async (setting: Setting): Promise<readonly Figure[]> => {
  const size = setting.quick ? 4 * MB : setting.full ? 1_000 * MB : 100 * MB;
  const rounds: { readonly beside: readonly number[]; readonly alone: readonly number[]; readonly seconds: number }[] = [];
  for (let i = 0; i < setting.pairs; i++) {
    setting.report(`round ${i + 1} of ${setting.pairs}`);
    rounds.push(await withFolder((folder) => measure(folder, size)));
  }
  const p99 = (times: readonly number[]): number => quantile(times, 0.99);
  return [
    { name: `p99 while ${size / MB} MB are compacted`, unit, durability, ours: rounds.map(({ beside }) => p99(beside)), bounds: [] },
    { name: 'p99 without', unit, durability, ours: rounds.map(({ alone }) => p99(alone)), bounds: [] },
    {
      name: 'p99 with over without',
      unit: 'times',
      durability,
      ours: rounds.map(({ beside, alone }) => p99(beside) / p99(alone)),
      bounds: [atMost('ours', 3)],
    },
    {
      name: 'the longest over the longest',
      unit: 'times',
      durability,
      ours: rounds.map(({ beside, alone }) => Math.max(...beside) / Math.max(...alone)),
      bounds: [],
    },
    { name: 'until it was compacted', unit: 's', durability, ours: rounds.map(({ seconds }) => seconds), bounds: [] },
  ];
};

/** Appends for as long as the cleaning takes, and for as long without: half of that time before it, half after. */
const measure = async (
  folder: string,
  size: number,
): Promise<{ readonly beside: readonly number[]; readonly alone: readonly number[]; readonly seconds: number }> => {
  const ref = lmdb(folder, { maintenance: { everyMs: Infinity } });
  const module = await loadTools(ref);
  await using log = await openPort(ref);
  await log.ensure([shape]);
  const next = chance(1);
  for (let bytes = 0; bytes < size;) bytes += (await append(log, next, 5_000)).bytes;
  await times(log, next, after(500));
  const alone = [...(await times(log, next, after((size / (8 * MB)) * 200)))];
  const began = performance.now();
  const cleaning = module.clean(log, { topics: ['table'] });
  const beside = await times(log, next, cleaning);
  const seconds = (performance.now() - began) / 1_000;
  alone.push(...(await times(log, next, after((size / (8 * MB)) * 200))));
  return { beside, alone, seconds };
};
const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const times = async (log: Log, next: () => number, over: Promise<unknown>): Promise<readonly number[]> => {
  const found: number[] = [];
  let going = true;
  void over.finally(() => (going = false));
  while (going) found.push((await append(log, next, APPENDED)).ms);
  await over;
  return found;
};

const builder = new BatchBuilder();
const value = new Uint8Array(86);
const append = async (log: Log, next: () => number, count: number): Promise<{ readonly ms: number; readonly bytes: number }> => {
  for (let i = 0; i < count; i++) builder.append(keyName(Math.floor(next() * KEYS)), value, 1_700_000_000_000);
  const batch = builder.finish();
  const bytes = batch.length;
  const began = performance.now();
  const { durable } = await log.commit({ group: '', epoch: 0, appends: [{ ...place, batch }], stores: [], positions: [] });
  await durable;
  return { ms: performance.now() - began, bytes };
};
