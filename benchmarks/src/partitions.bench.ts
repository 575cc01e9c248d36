/** Measures the memory of a thousand partitions. */
import { atMost, type Figure, type Setting } from './harness/benchmark.ts';
import { startChild } from './harness/child.ts';
import { withFolder } from './harness/folder.ts';
import { repeat } from './harness/pairs.ts';
import type { Opened } from './partitions.child.ts';

export const question = 'How much memory does a process take that counts in 1,000 partitions at once?';
export const sketch =
  'Node with three threads and lmdb: 120 MB. An actor with its port, its batch of 256 KB in flight and its store: 100 KB at rest, so 100 MB more.';
export const bound = 'at most 300 MB resident';
export const unit = 'MB';
export const durability = 'counts, output and positions in one durable commit';
export const limitedBy = 'what each actor keeps while it rests.';

export const run = async (setting: Setting): Promise<readonly Figure[]> => {
  const opened: Opened[] = [];
  const rss = await repeat({ ...setting, pairs: Math.min(setting.pairs, 3) }, () =>
    withFolder(async (folder) => {
      const child = startChild(new URL('./partitions.child.js', import.meta.url), folder);
      const one = await child.line<Opened>();
      await child.kill();
      opened.push(one);
      return one.rss;
    }),
  );
  const peaks = opened.flatMap(({ peak }) => (peak === undefined ? [] : [peak]));
  return [
    { name: '1,000 partitions, at rest', unit, durability, ours: rss, bounds: [atMost('ours', 300)] },
    ...(peaks.length === 0 ? [] : [{ name: 'the most on the way', unit, durability, ours: peaks, bounds: [] }]),
    { name: 'until all actors run', unit: 'ms', durability, ours: opened.map(({ openMs }) => openMs), bounds: [] },
  ];
};
