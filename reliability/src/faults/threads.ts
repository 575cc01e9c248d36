/** F3: threads of a pipeline are ended at any moment, while a queue that is full waits before them. */
import { join } from 'node:path';
import type { Fault } from '../checkers/fault.ts';
import { readFinal } from '../flagship/final.ts';
import { judgeWhole } from '../flagship/verdict.ts';
import { Child, PROGRAMS } from '../harness/child.ts';
import type { UnitOutcome, UnitSetting } from '../long/stage.ts';

const TERMINATIONS = 50;
const RECORDS = 40_000;
/** To end a thread takes no longer, wherever it is. */
const LONGEST_MS = 5_000;

export const threads = async ({ folder, random, tell }: UnitSetting): Promise<UnitOutcome> => {
  const [data, history] = [join(folder, 'log'), join(folder, 'history')];
  await readFinal(data);
  const app = new Child('flagship/app.child.js', [data, history, 'app', `${RECORDS}`, '2000', 'end'], {
    env: { SPIN_US: '40', TERMINATIONS: `${TERMINATIONS}`, TERMINATE_SEED: `${Math.floor(random() * 2 ** 31)}` },
    nodeArgs: ['--import', `${PROGRAMS}faults/terminator.child.js`],
    limitMs: 150_000,
  });
  const { code, signal, errors } = await app.ended;
  const took = app.lines.filter((line) => line.startsWith('terminated ')).map((line) => Number(line.slice(11)));
  const faults: Fault[] = [];
  if (code !== 0) faults.push({ kind: 'stuck', what: `the app ended with ${signal ?? code}, said ${app.lines.at(-1) ?? 'nothing'}: ${errors.slice(0, 500)}` });
  if (Math.max(0, ...took) > LONGEST_MS) faults.push({ kind: 'stuck', what: `to end a thread took ${Math.max(...took)} ms` });
  tell(`${took.length} threads ended`);
  const verdict = await judgeWhole(data, history, RECORDS, 60_000);
  return { faults: [...faults, ...verdict.faults], figures: { records: verdict.records, 'threads ended': took.length } };
};
