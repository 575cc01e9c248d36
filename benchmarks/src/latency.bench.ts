/** Measures the time from an append to its visible result. */
import { setTimeout as sleep } from 'node:timers/promises';
import { lmdb } from '@stoplog/core/lmdb';
import { run as runPipeline } from '@stoplog/runtime';
import { atMost, type Figure, type Setting } from './harness/benchmark.ts';
import { withFolder } from './harness/folder.ts';
import { interleave, quantile } from './harness/pairs.ts';
import { openFloorLatency } from './latency.floor.ts';
import { answers, requests } from './latency.pipeline.ts';

export const question = 'How long from append to the visible result, at 1,000 records a second through a running pipeline?';
export const sketch =
  'Two commits with a flush of 0.2 ms each and four wake-ups of 0.05 ms: 0.6 ms, and half as much again where a record waits for the flush of the one before it.';
export const bound = 'p50 at most 1.5 ms, p99 at most 8 ms';
export const unit = 'ms';
export const durability = 'the result is committed, durable, and read back from the log';
export const limitedBy =
  'the flush. Each record waits for two, and they are 77 % of the time of the one writer thread: a commit touches five tables (batches, ends, times, positions and the tree over them), the floor two.';

const PER_SECOND = 1_000;
const WARM_UP = 1_000;

export const run = async (setting: Setting): Promise<readonly Figure[]> => {
  const count = setting.quick ? 300 : 4_000;
  const p99 = { ours: [] as number[], floor: [] as number[] };
  const keep = (into: number[], times: readonly number[]): number => {
    into.push(quantile(times, 0.99));
    return quantile(times, 0.5);
  };
  const p50 = await interleave(
    setting,
    async () => keep(p99.ours, await ours(count)),
    async () => keep(p99.floor, await floor(count)),
  );
  // The first pair was the warm-up.
  const pairs = { ours: p99.ours.slice(-setting.pairs), floor: p99.floor.slice(-setting.pairs) };
  return [
    { name: 'p50', unit, durability, ...p50, bounds: [atMost('ours', 1.5)] },
    { name: 'p99', unit, durability, ...pairs, bounds: [atMost('ours', 8)] },
  ];
};

const ours = (count: number): Promise<readonly number[]> =>
  withFolder(async (folder) => {
    await using app = await runPipeline(new URL('./latency.pipeline.js', import.meta.url), { log: lmdb(folder), threads: 1, logger: 'none' });
    const times = new Times(count);
    const stop = new AbortController();
    const reading = (async () => {
      for await (const batch of app.log.read(answers, { from: 'earliest', signal: stop.signal }))
        for (const { value } of batch) if (value !== null) times.seen(-value.id);
    })();
    await paced(times.total, (id) => {
      times.sent(id);
      void app.log.append(requests, [{ key: 'k', value: { id } }]);
    });
    await times.all;
    stop.abort();
    await reading;
    return times.taken;
  });

const floor = (count: number): Promise<readonly number[]> =>
  withFolder(async (folder) => {
    const times = new Times(count);
    const log = await openFloorLatency(folder, (id) => times.seen(id));
    await paced(times.total, (id) => {
      times.sent(id);
      log.send(id);
    });
    await times.all;
    await log.close();
    return times.taken;
  });

/** Sends the due records, one each millisecond; records that a late timer missed are sent together. */
const paced = async (count: number, send: (id: number) => void): Promise<void> => {
  const started = performance.now();
  for (let id = 0; id < count;) {
    const due = Math.min(count, Math.floor(((performance.now() - started) * PER_SECOND) / 1_000));
    while (id < due) send(id++);
    await sleep(1);
  }
};

/** The times at which each record was sent and its answer seen; the first ones warm up and are not counted. */
class Times {
  readonly total: number;
  readonly taken: number[] = [];
  readonly all: Promise<void>;
  readonly #sent: number[] = [];
  #left: number;
  #done = (): void => {};

  constructor(count: number) {
    this.total = WARM_UP + count;
    this.#left = this.total;
    this.all = new Promise((resolve) => {
      this.#done = resolve;
    });
  }
  sent(id: number): void {
    this.#sent[id] = performance.now();
  }
  seen(id: number): void {
    if (id >= WARM_UP) this.taken.push(performance.now() - this.#sent[id]!);
    if (--this.#left === 0) this.#done();
  }
}
