/** Measures the cost of a backup. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '@stoplog/core/port';
import { loadTools, type Tools } from '@stoplog/core/tools';
import { BatchBuilder, openPort } from '@stoplog/core/kit';
import { lmdb } from '@stoplog/core/lmdb';
import { copyByLmdb } from './backup.floor.ts';
import { atLeast, atMost, type Figure, type Setting } from './harness/benchmark.ts';
import { withFolder } from './harness/folder.ts';
import { interleave, rate } from './harness/pairs.ts';

export const question = 'How many bytes a second does a backup copy and verify, and how much does the file grow while others append and forget meanwhile?';
export const sketch =
  'A GB is read twice from memory (0.4 s), checked three times by CRC-32 (1 s), hashed (0.7 s), written and flushed (2 s on a disk of 500 MB/s): 250 MB/s. What is freed while the copy is made cannot be used again, so the file grows by what is appended then, and the pages of 8 KB round 64 KB up by a tenth.';
export const bound = 'at least 100 MB/s, and 0.3 of what LMDB takes for a copy that checks nothing; growth at most 1.5 times what was appended meanwhile';
export const unit = 'bytes/s';
export const durability = 'flushed, file and folder, before it has its name';
export const limitedBy = 'the copy is read again, and hashed, after it was made: two thirds of the processor time. The floor does neither.';

const BATCH = 64 * 1024;
const topic = {
  name: 'filled',
  partitions: 1,
  cleanup: 'delete',
  retentionMs: undefined,
  keyCodec: 'bytes',
  valueCodec: 'bytes',
  keySchema: {},
  valueSchema: {},
} as const;
const place = { topic: topic.name, partition: 0 };

const append = (log: Log): Promise<unknown> => {
  const builder = new BatchBuilder();
  for (let n = 0; n < 64; n++) builder.append(null, Buffer.alloc(BATCH / 64 - 8, n), 1_700_000_000_000);
  return log.commit({ group: '', epoch: 0, appends: [{ ...place, batch: builder.finish() }], stores: [], positions: [] });
};
const withLog = async <T>(folder: string, use: (log: Log, module: Tools) => Promise<T>): Promise<T> => {
  const ref = lmdb(folder, { maintenance: { everyMs: Infinity, bytesPerSecond: 1e12 } });
  const module = await loadTools(ref);
  const log = await openPort(ref);
  try {
    return await use(log, module);
  } finally {
    await log[Symbol.asyncDispose]();
  }
};

export const run = async (setting: Setting): Promise<readonly Figure[]> => {
  const batches = setting.quick ? 100 : 8_000;
  return withFolder(async (root) => {
    const folder = join(root, 'log');
    setting.report('filling');
    await withLog(folder, async (log) => {
      await log.ensure([topic]);
      for (let n = 0; n < batches; n += 20) await Promise.all(Array.from({ length: 20 }, () => append(log)));
    });
    let copies = 0;
    const fresh = (): string => join(root, `copy${copies++}`);
    const copied = async (copy: (to: string) => Promise<unknown>): Promise<number> => {
      const to = fresh();
      const measured = await rate(batches * BATCH, async () => void (await copy(to)));
      rmSync(to, { recursive: true });
      return measured;
    };
    const pairs = await interleave(
      setting,
      () => withLog(folder, (log, module) => copied((to) => module.backup(log, to))),
      () => copied((to) => copyByLmdb(folder, to)),
    );
    const growth: number[] = [];
    for (let n = 0; n < setting.pairs; n++) {
      setting.report(`growth ${n + 1} of ${setting.pairs}`);
      growth.push(await withLog(folder, (log, module) => growthOf(log, module, fresh())));
    }
    return [
      { name: 'copied and verified', unit, durability, ...pairs, bounds: [atLeast('ours', 100_000_000), atLeast('ratio', 0.3)] },
      { name: 'growth over appended', unit: 'times', durability, ours: growth, bounds: [atMost('ours', 1.5)] },
    ];
  });
};

/** Appends a batch and deletes the oldest one, again and again, so that without a backup the file keeps its size. */
const growthOf = async (log: Log, module: Tools, to: string): Promise<number> => {
  let going = true;
  let appended = 0;
  const turning = async (): Promise<void> => {
    for (; going; appended++) {
      await append(log);
      const [start] = await log.offsets([place], 'earliest');
      await log.deleteRecords([{ ...place, offset: start!.offset + 64n }]);
    }
  };
  const turned = turning();
  // Lets freed pages become available for the next batches.
  while (appended < 50) await new Promise((resolve) => setImmediate(resolve));
  const { fileBytes: before } = await module.usage(log);
  const begun = appended;
  await module.backup(log, to);
  const { fileBytes: after } = await module.usage(log);
  const meanwhile = (appended - begun) * BATCH;
  going = false;
  await turned;
  rmSync(to, { recursive: true });
  return (after - before) / meanwhile;
};
