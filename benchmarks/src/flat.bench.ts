/** Measures whether a record costs the same however many records there are already. */
import { cp } from 'node:fs/promises';
import { lmdb } from '@stoplog/core/lmdb';
import { run as runPipeline, type App } from '@stoplog/runtime';
import { events } from './count.pipeline.ts';
import { atMost, type Figure, type Setting } from './harness/benchmark.ts';
import { withFolder } from './harness/folder.ts';
import { keyName, zipf } from './harness/records.ts';

export const question = 'Does a record cost the same in a log of 10⁵, 10⁶ and 10⁷ records?';
export const sketch = 'The tree of batches grows from two levels to three, and keys stay 100,000: a page more for each 64 KB. It stays within a few per cent.';
export const bound = '10⁷ over 10⁵ at most 1.3';
export const unit = 'µs for each record';
export const durability = 'appended durable, then counted: counts, output and positions in one durable commit';
export const limitedBy = 'nothing that a profile has shown.';

const KEYS = 100_000;
const CHUNK = 200_000;

export const run = async (setting: Setting): Promise<readonly Figure[]> => {
  const sizes = setting.quick ? [10_000, 50_000] : [100_000, 1_000_000, 10_000_000];
  const chunk = setting.quick ? 10_000 : CHUNK;
  return withFolder(async (root) => {
    const measured = sizes.map((size) => ({ size, folder: `${root}/${size}`, figures: [] as number[] }));
    for (const { size, folder } of measured) {
      setting.report(`filling ${size}`);
      await using app = await start(folder);
      await append(app, size, 1);
    }
    // Sizes alternate. Each round works on a copy, except for the largest, to which a round adds little.
    for (let i = 0; i < setting.pairs; i++) {
      for (const { size, folder, figures } of measured) {
        setting.report(`round ${i + 1} of ${setting.pairs}, ${size}`);
        if (size === sizes.at(-1)) figures.push(await costOf(folder, chunk, i));
        else {
          figures.push(
            await withFolder(async (copy) => {
              await cp(folder, copy, { recursive: true });
              return costOf(copy, chunk, i);
            }),
          );
        }
      }
    }
    const smallest = measured[0]!.figures;
    return [
      ...measured.map(({ size, figures }): Figure => ({ name: `${size.toLocaleString('en')} records`, unit, durability, ours: figures, bounds: [] })),
      {
        name: 'largest over smallest',
        unit: 'times',
        durability,
        ours: measured.at(-1)!.figures.map((cost, i) => cost / smallest[i]!),
        bounds: [atMost('ours', 1.3)],
      },
    ];
  });
};

const start = (folder: string): Promise<App> => runPipeline(new URL('./count.pipeline.js', import.meta.url), { log: lmdb(folder), threads: 2, logger: 'none' });

/** The cost of one more record: the first ones warm up. */
const costOf = async (folder: string, chunk: number, round: number): Promise<number> => {
  await using app = await start(folder);
  await append(app, chunk / 2, 2 * round + 2);
  const started = performance.now();
  await append(app, chunk, 2 * round + 3);
  return ((performance.now() - started) * 1_000) / chunk;
};

const append = async (app: App, count: number, seed: number): Promise<void> => {
  await app.log.append(events, records(count, seed));
  await app.settled();
};

function* records(count: number, seed: number): Generator<{ readonly key: string; readonly value: Uint8Array<ArrayBuffer> }> {
  const next = zipf(KEYS, 1.1, seed);
  const value = new Uint8Array(86);
  for (let n = 0; n < count; n++) yield { key: keyName(next()), value };
}
