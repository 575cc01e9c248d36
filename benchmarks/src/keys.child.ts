/**
 * keys.child.js fill|compact FOLDER KEYS: writes each key twice, far apart; or compacts them, and prints the memory that
 * took.
 *
 * The process's own memory is RssAnon; mapped pages of the data file belong to the system, which reclaims them when it needs
 * them.
 */
import { readFileSync } from 'node:fs';
import type { TopicShape } from '@stoplog/core/port';
import { BatchBuilder, openPort } from '@stoplog/core/kit';
import { loadTools } from '@stoplog/core/tools';
import { lmdb } from '@stoplog/core/lmdb';
import { report } from './harness/child.ts';
import { keyName } from './harness/records.ts';

export interface Compacted {
  /** MB at the peak: the process's own, and with mapped pages. */
  readonly own: number;
  readonly resident: number;
  readonly seconds: number;
  /** The remaining records. */
  readonly kept: number;
}

const [what, folder = '', count = ''] = process.argv.slice(2);
const keys = Number(count);
const BATCH = 5_000;
const shape: TopicShape = {
  name: 'table',
  partitions: 1,
  cleanup: 'compact',
  retentionMs: undefined,
  keyCodec: 'bytes',
  valueCodec: 'bytes',
  keySchema: {},
  valueSchema: {},
};
const ref = lmdb(folder, { maintenance: { everyMs: Infinity, bytesPerSecond: 1e12 } });
const module = await loadTools(ref);
const log = await openPort(ref);

const fill = async (): Promise<void> => {
  await log.ensure([shape]);
  const builder = new BatchBuilder();
  const value = new Uint8Array(8);
  let durable: Promise<void> = Promise.resolve();
  for (const _ of [1, 2]) {
    for (let n = 0; n < keys;) {
      for (let i = 0; i < BATCH && n < keys; i++) builder.append(keyName(n++), value, 1_700_000_000_000);
      await durable;
      const appends = [{ topic: 'table', partition: 0, batch: builder.finish() }];
      ({ durable } = await log.commit({ group: '', epoch: 0, appends, stores: [], positions: [] }));
    }
  }
  await durable;
};

const MB = 1024 * 1024;
/** In MB; the resident size where the system does not separate them. */
const memory = (): { readonly own: number; readonly resident: number } => {
  const resident = process.memoryUsage.rss() / MB;
  try {
    const found = /RssAnon:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'));
    return { own: found === null ? resident : Number(found[1]) / 1024, resident };
  } catch {
    return { own: resident, resident };
  }
};

if (what === 'fill') {
  await fill();
  report({ filled: keys });
} else {
  let most = memory();
  const look = setInterval(() => {
    const now = memory();
    most = { own: Math.max(most.own, now.own), resident: Math.max(most.resident, now.resident) };
  }, 20);
  const began = performance.now();
  await module.clean(log, { roll: true });
  const seconds = (performance.now() - began) / 1_000;
  clearInterval(look);
  let kept = 0;
  const never = new AbortController().signal;
  const [end] = await log.offsets([{ topic: 'table', partition: 0 }], 'latest');
  for (let offset = 0n; offset < end!.offset;) {
    const found = await log.fetch({ topic: 'table', partition: 0, offset }, { bytes: 1024 * 1024, waitMs: 0 }, never);
    for (const view of found.batches) kept += view.count;
    offset = found.next;
  }
  report({ ...most, seconds, kept } satisfies Compacted);
}
// The parent kills this process.
await new Promise(() => setInterval(() => {}, 60_000));
