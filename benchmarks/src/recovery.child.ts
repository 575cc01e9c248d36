/**
 * The process that is killed. `fill FOLDER KEYS` counts that many keys and continues until it is killed; `recover FOLDER`
 * prints the time from the start of `run` to the first output that can be read.
 */
import { lmdb } from '@stoplog/core/lmdb';
import { run } from '@stoplog/runtime';
import { counts, events } from './count.pipeline.ts';
import { report } from './harness/child.ts';
import { keyName } from './harness/records.ts';

export interface Recovered {
  /** From the start of the process to the call of `run`: node itself, and the imports. */
  readonly processMs: number;
  /** From the call of `run` to the first output seen. */
  readonly ms: number;
}

const [mode, folder = '', keys = '0'] = process.argv.slice(2);
const value = new Uint8Array(86);
const start = (): ReturnType<typeof run> => run(new URL('./count.pipeline.js', import.meta.url), { log: lmdb(folder), threads: 2, logger: 'none' });

const fill = async (count: number): Promise<void> => {
  const app = await start();
  await app.log.append(
    events,
    Array.from({ length: count }, (_, n) => ({ key: keyName(n), value })),
  );
  await app.settled();
  report('filled');
  for (let n = 0; ; n++)
    await app.log.append(
      events,
      Array.from({ length: 100 }, (_, i) => ({ key: keyName((n * 100 + i) % count), value })),
    );
};

const recover = async (): Promise<void> => {
  const processMs = performance.now();
  const app = await start();
  const wanted = `recovered by ${process.pid}`;
  const from = { offsets: await app.log.ends(counts) };
  const appended = app.log.append(events, [{ key: wanted, value }]);
  for await (const batch of app.log.read(counts, { from })) if (batch.some(({ key }) => key === wanted)) break;
  report({ processMs, ms: performance.now() - processMs } satisfies Recovered);
  await appended;
};

if (mode === 'fill') await fill(Number(keys));
else await recover();
