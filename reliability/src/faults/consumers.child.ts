/**
 * F24: runs the consumers behind a fast producer. consumers.child.js FOLDER SECONDS
 *
 * Prints `report {…}`: the memory of the process over time, in MB, as medians of slices, and the state of the consumers.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { readFileSync } from 'node:fs';
import { seconds as inSeconds } from '@stoplog/core';
import { lmdb } from '@stoplog/core/lmdb';
import { run, type Status } from '@stoplog/runtime';
import { slow, stuck, STUCK_PARTITIONS } from './consumers.pipeline.ts';

const SLICES = 30;
const EVERY_MS = 100;
/** 5,000 records of 1 KB a second; the slow consumer processes a thousand. */
const AT_ONCE = 500;

const [folder, seconds] = process.argv.slice(2) as [string, string];
const app = await run(new URL('./consumers.pipeline.js', import.meta.url), { log: lmdb(folder), threads: 2, logger: 'none', hangAfter: inSeconds(0.5) });
let status: Status | undefined;
const watching = app.status.subscribe((next) => (status = next));
const delay = monitorEventLoopDelay({ resolution: 10 });
delay.enable();
await app.log.append(
  stuck,
  Array.from({ length: 40 * STUCK_PARTITIONS }, (_, i) => ({ key: `${i}`, value: `${i}` })),
);

/** The process's own memory; pages of the mapped file belong to the system, which reclaims them at any time. */
const ownMb = (): number => {
  const [, kb] = process.platform === 'linux' ? (/^RssAnon:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []) : [];
  return kb === undefined ? process.memoryUsage().rss / 2 ** 20 : Number(kb) / 1_024;
};
const samples: number[] = [];
let sent = 0;
const idle = performance.eventLoopUtilization();
for (const until = performance.now() + 1_000 * Number(seconds); performance.now() < until;) {
  await app.log.append(
    slow,
    Array.from({ length: AT_ONCE }, (_, i) => ({ key: 'k', value: `${sent + i} ${'x'.repeat(1_000)}` })),
  );
  sent += AT_ONCE;
  samples.push(ownMb());
  // A fixed pace: the producer is fast, and the disk is not the subject.
  await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
}
const { utilization } = performance.eventLoopUtilization(idle);
watching.unsubscribe();
await app[Symbol.asyncDispose]();
const median = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
const slice = Math.max(1, Math.floor(samples.length / SLICES));
const medians = Array.from({ length: Math.floor(samples.length / slice) }, (_, i) => Math.round(10 * median(samples.slice(i * slice, (i + 1) * slice))) / 10);
console.log(
  `report ${JSON.stringify({ sent, medians, restarts: status?.restarts ?? 0, givenUp: status?.failed.length ?? 0, utilization, delayMs: delay.percentile(99) / 1e6 })}`,
);
process.exit(0);
