/** Readers that die inside a read, and many that read while the map grows: writing goes on, and they see what is there. */
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Fault } from '../checkers/fault.ts';
import { readFinal } from '../flagship/final.ts';
import { judgeWhole } from '../flagship/verdict.ts';
import { Child } from '../harness/child.ts';
import type { UnitOutcome, UnitSetting } from '../long/stage.ts';

const READERS = 20;
export const staleReaders = async ({ folder, tell }: UnitSetting): Promise<UnitOutcome> => {
  const [data, history] = [join(folder, 'log'), join(folder, 'history')];
  await readFinal(data);
  const app = new Child('flagship/app.child.js', [data, history, 'app', '20000', '200', 'end'], { env: { SPIN_US: '100' }, limitMs: 120_000 });
  await app.said('running');
  for (let i = 0; i < READERS; i++) {
    const reader = new Child('flagship/reader.child.js', [data, join(folder, `history of reader ${i}`), `reader${i}`, 'numbers', 'copies'], {
      limitMs: 20_000,
    });
    await reader.heard('reading');
    await reader.kill();
  }
  const { code, errors } = await app.ended;
  tell(`${READERS} readers killed`);
  const faults: readonly Fault[] = code === 0 ? [] : [{ kind: 'stuck', what: `the app ended with ${code}: ${errors.slice(0, 300)}` }];
  return {
    faults: [...faults, ...(await judgeWhole(data, history, 20_000, 60_000)).faults],
    figures: { 'readers killed': READERS, 'MB of file': Math.round((statSync(join(data, 'data.mdb')).blocks * 512) / 1e6) },
  };
};

export const growth = async ({ folder, tell }: UnitSetting): Promise<UnitOutcome> => {
  const [data, history] = [join(folder, 'log'), join(folder, 'history')];
  await readFinal(data);
  mkdirSync(join(folder, 'readers'));
  const readers = Array.from(
    { length: 8 },
    (_, i) => new Child('flagship/reader.child.js', [data, history, `reader${i}`, 'numbers', 'copies'], { limitMs: 150_000 }),
  );
  for (const reader of readers) await reader.said('reading');
  const app = new Child('flagship/app.child.js', [data, history, 'app', '100000', '1000', 'end'], { limitMs: 120_000 });
  const { code } = await app.ended;
  for (const reader of readers) reader.tell('drain');
  const ends = await Promise.all(readers.map((reader) => reader.ended));
  tell(`readers ended with ${ends.map((end) => end.signal ?? end.code).join(' ')}`);
  const faults: readonly Fault[] =
    code === 0 && ends.every((end) => end.code === 0)
      ? []
      : [{ kind: 'stuck', what: `the app ended with ${code}, readers with ${ends.map((end) => end.signal ?? end.code).join(' ')}` }];
  const verdict = await judgeWhole(data, history, 100_000, 60_000);
  return { faults: [...faults, ...verdict.faults], figures: { records: verdict.records, 'read meanwhile': verdict.polled } };
};
