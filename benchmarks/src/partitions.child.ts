/** Opens a thousand partitions, counts some records in each, and prints the memory of the process. */
import { readFileSync } from 'node:fs';
import { lmdb } from '@stoplog/core/lmdb';
import { run } from '@stoplog/runtime';
import { report } from './harness/child.ts';
import { keyName } from './harness/records.ts';
import { PARTITIONS, wide } from './partitions.pipeline.ts';

export interface Opened {
  /** MB of the whole process with its threads, when every partition has counted. */
  readonly rss: number;
  /** The peak; undefined where the system does not say. */
  readonly peak: number | undefined;
  /** From the call of `run` until all actors run, ms. */
  readonly openMs: number;
}

const MB = 1024 * 1024;
const peak = (): number | undefined => {
  try {
    const found = /VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'));
    return found === null ? undefined : Number(found[1]) / 1024;
  } catch {
    return undefined;
  }
};

const started = performance.now();
const app = await run(new URL('./partitions.pipeline.js', import.meta.url), { log: lmdb(process.argv[2] ?? ''), threads: 2, logger: 'none' });
const openMs = performance.now() - started;
await app.log.append(
  wide,
  Array.from({ length: 10 * PARTITIONS }, (_, n) => ({ key: keyName(n), value: n })),
);
await app.settled();
report({ rss: process.memoryUsage.rss() / MB, peak: peak(), openMs } satisfies Opened);
