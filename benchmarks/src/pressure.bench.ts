/** Measures the latency of a record whose actor shares its thread with a slow one. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { lmdb } from '@stoplog/core/lmdb';
import { run as runPipeline, type App } from '@stoplog/runtime';
import { atMost, type Figure, type Setting } from './harness/benchmark.ts';
import { withFolder } from './harness/folder.ts';
import { quantile } from './harness/pairs.ts';
import { quick, quickDone, slow } from './pressure.pipeline.ts';

export const question = 'How long does a record take whose actor shares one thread with one that takes a millisecond for each of 60,000 records?';
export const sketch = 'A turn of the slow actor is 10 ms, and a record waits for one at its fetch, at its step and at its commit: 30 ms, 50 ms at worst.';
export const bound = "the neighbour's p99 and main's p99 lateness at most 200 ms, and the app drained within 2 s";
export const unit = 'ms';
export const durability = 'the result is committed, durable, and read back from the log';
export const limitedBy = 'turns of 10 ms: everything that waits in the thread waits for whole ones.';

const RECORDS = 60_000;
const ROUNDS = 150;

interface Taken {
  readonly alone: number;
  readonly pressed: number;
  /** The delay of main's event loop meanwhile, and the share of the time in which it was busy. */
  readonly late: number;
  readonly busy: number;
  readonly drained: number;
}

export const run = async (setting: Setting): Promise<readonly Figure[]> => {
  const taken: Taken[] = [];
  for (let i = 0; i < setting.pairs; i++) {
    setting.report(`round ${i + 1} of ${setting.pairs}`);
    taken.push(await withFolder((folder) => measure(folder, setting.quick ? 10 : ROUNDS)));
  }
  const each = (of: (one: Taken) => number): readonly number[] => taken.map(of);
  return [
    { name: 'p99 alone', unit, durability, ours: each(({ alone }) => alone), bounds: [] },
    { name: 'p99 beside a slow one', unit, durability, ours: each(({ pressed }) => pressed), bounds: [atMost('ours', 200)] },
    { name: 'beside over alone', unit: 'times', durability, ours: each(({ pressed, alone }) => pressed / alone), bounds: [] },
    {
      name: 'drained',
      unit,
      durability: 'what was begun is committed, the rest stays where it was',
      ours: each(({ drained }) => drained),
      bounds: [atMost('ours', 2_000)],
    },
  ];
};

const measure = async (folder: string, rounds: number): Promise<Taken> => {
  const app = await runPipeline(new URL('./pressure.pipeline.js', import.meta.url), { log: lmdb(folder), threads: 1, logger: 'none' });
  // The first ones warm up.
  await timesOf(app, rounds);
  const alone = quantile(await timesOf(app, rounds), 0.99);
  await app.log.append(
    slow,
    Array.from({ length: RECORDS }, (_, i) => ({ key: 'k', value: `${i} ${'x'.repeat(1_000)}` })),
  );
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const before = performance.eventLoopUtilization();
  const pressed = quantile(await timesOf(app, rounds), 0.99);
  const { utilization: busy } = performance.eventLoopUtilization(before);
  delay.disable();
  const since = performance.now();
  await app[Symbol.asyncDispose]();
  return { alone, pressed, late: delay.percentile(99) / 1e6, busy, drained: performance.now() - since };
};

/** One record after the other: each is read back before the next is appended. */
const timesOf = async (app: App, rounds: number): Promise<readonly number[]> => {
  const stop = new AbortController();
  const done = app.log.read(quickDone, { from: 'latest', signal: stop.signal })[Symbol.asyncIterator]();
  const times: number[] = [];
  let next = done.next();
  for (let round = 0; round < rounds; round++) {
    const since = performance.now();
    await app.log.append(quick, [{ key: 'k', value: `${round}` }]);
    await next;
    times.push(performance.now() - since);
    next = done.next();
  }
  stop.abort();
  await next;
  return times;
};
