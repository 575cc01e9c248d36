/** Measures whether the file of a log with retention stays as large as the records it keeps. */
import { BatchBuilder, openPort } from '@stoplog/core/kit';
import { loadTools } from '@stoplog/core/tools';
import { lmdb } from '@stoplog/core/lmdb';
import { atMost, type Figure, type Setting } from './harness/benchmark.ts';
import { withFolder } from './harness/folder.ts';

export const question = 'How large is the file over what is in use, after retention has turned its content over ten times in batches of 4 KB to 1 MB?';
export const sketch =
  'Freed pages are used again, but a batch needs its pages side by side: of batches between 4 KB and 1 MB, a hole of the largest kind is found when several small neighbours went. A third more than is in use.';
export const bound = 'at most 1.5 times';
export const unit = 'times';
export const durability = 'each batch is durable before the next is appended';
export const limitedBy = 'free pages that do not lie side by side.';

const TURNS = 10;
const [LEAST, MOST] = [4 * 1024, 1024 * 1024];

export const run = async (setting: Setting): Promise<readonly Figure[]> => {
  const kept = setting.quick ? 4_000_000 : 100_000_000;
  const times: number[] = [];
  for (let pair = 0; pair < setting.pairs; pair++) {
    setting.report(`run ${pair + 1} of ${setting.pairs}`);
    times.push(await withFolder((folder) => turnOver(folder, kept, pair + 1)));
  }
  return [{ name: 'file over what is in use', unit, durability, ours: times, bounds: [atMost('ours', 1.5)] }];
};

const turnOver = async (folder: string, kept: number, seed: number): Promise<number> => {
  const ref = lmdb(folder, { maintenance: { everyMs: Infinity, bytesPerSecond: 1e12 } });
  const module = await loadTools(ref);
  await using log = await openPort(ref);
  const place = { topic: 'turned', partition: 0 };
  const forgetting = { retentionBytes: kept, segmentBytes: kept / 20 };
  await log.ensure([
    {
      name: place.topic,
      partitions: 1,
      cleanup: 'delete',
      retentionMs: undefined,
      forgetting,
      keyCodec: 'bytes',
      valueCodec: 'bytes',
      keySchema: {},
      valueSchema: {},
    },
  ]);
  const random = randomFrom(seed);
  let sinceCleaned = 0;
  for (let appended = 0; appended < (TURNS + 1) * kept;) {
    // Equally many sizes of each order of magnitude.
    const size = Math.round(LEAST * (MOST / LEAST) ** random());
    const builder = new BatchBuilder();
    builder.append(null, Buffer.alloc(size - 70, 1), 1_700_000_000_000);
    await log.commit({ group: '', epoch: 0, appends: [{ ...place, batch: builder.finish() }], stores: [], positions: [] });
    appended += size;
    sinceCleaned += size;
    if (sinceCleaned < forgetting.segmentBytes) continue;
    await module.clean(log);
    sinceCleaned = 0;
  }
  const { fileBytes, liveBytes } = await module.usage(log);
  return fileBytes / liveBytes;
};

/** The same numbers for the same seed. */
const randomFrom = (seed: number): (() => number) => {
  let state = seed * 2_654_435_761;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
};
