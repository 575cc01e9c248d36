/** Measures how soon a pipeline works again after kill -9. */
import { setTimeout as sleep } from 'node:timers/promises';
import { atMost, type Figure, type Setting } from './harness/benchmark.ts';
import { startChild } from './harness/child.ts';
import { withFolder } from './harness/folder.ts';
import type { Recovered } from './recovery.child.ts';

export const question = 'How long from the start of run() to the first result, after kill -9, with stores of 10⁴, 10⁵ and 10⁶ keys?';
export const sketch =
  'Nothing is restored: the store is the map, opening it takes 3 ms. Two threads that import zod, lmdb and the pipeline: 200 ms on two cores, whatever the store holds.';
export const bound = 'at most 400 ms for each size, and 10⁶ keys at most 1.3 times 10⁴';
export const unit = 'ms';
export const durability = 'the result is committed, durable, and read back from the log';
export const limitedBy =
  'processor time: main, the writer and two threads load files for 0.7 s of it on two cores. A thread loads some 230, 95 of them of zod and 130 of ours; ours as one file would cost a third. The size of the store plays no part.';

const CHILD = new URL('./recovery.child.js', import.meta.url);
/** How long the pipeline counts before it is killed in the middle. */
const BUSY_MS = 100;

export const run = async (setting: Setting): Promise<readonly Figure[]> => {
  const sizes = setting.quick ? [1_000, 10_000] : [10_000, 100_000, 1_000_000];
  return withFolder(async (root) => {
    const folders = sizes.map((size) => ({ size, folder: `${root}/${size}`, ms: [] as number[], processMs: [] as number[] }));
    for (const { size, folder } of folders) {
      setting.report(`filling ${size}`);
      const child = startChild(CHILD, 'fill', folder, String(size));
      await child.line();
      await sleep(BUSY_MS);
      await child.kill();
    }
    // Sizes alternate, and each process is killed as well: every round is a recovery.
    for (let i = 0; i < setting.pairs; i++) {
      setting.report(`round ${i + 1} of ${setting.pairs}`);
      for (const one of folders) {
        const child = startChild(CHILD, 'recover', one.folder);
        const { ms, processMs } = await child.line<Recovered>();
        await child.kill();
        one.ms.push(ms);
        one.processMs.push(processMs);
      }
    }
    const smallest = folders[0]!.ms;
    const largest = folders.at(-1)!.ms;
    return [
      ...folders.map(({ size, ms }): Figure => ({ name: `${size.toLocaleString('en')} keys`, unit, durability, ours: ms, bounds: [atMost('ours', 400)] })),
      { name: 'largest over smallest', unit: 'times', durability, ours: largest.map((ms, i) => ms / smallest[i]!), bounds: [atMost('ours', 1.3)] },
      {
        name: 'before it: start of the process',
        unit,
        durability: 'node and the imports of main',
        ours: folders.flatMap(({ processMs }) => processMs),
        bounds: [],
      },
    ];
  });
};
