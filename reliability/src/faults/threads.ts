/**
 * F3: threads of a pipeline are ended at any moment, with a full queue before them. In every other unit each thread stands
 * still for a while at one of its failpoints, so that many threads are ended there.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Failpoint } from '@stoplog/core/private/failpoints';
import type { Fault } from '../checkers/fault.ts';
import { readFinal } from '../flagship/final.ts';
import { judgeWhole } from '../flagship/verdict.ts';
import { Child, PROGRAMS } from '../harness/child.ts';
import type { UnitOutcome, UnitSetting } from '../long/stage.ts';

const TERMINATIONS = 50;
const RECORDS = 40_000;
/**
 * The failpoints of a thread of actors, except `process.handled`: a thread that ends inside a handler is that record's fault,
 * and after five times its partition is stopped, as it should be (misbehaving.test.ts).
 */
const POINTS: readonly Failpoint[] = ['process.before', 'state.staged', 'outputs.staged', 'commit.before', 'commit.applied', 'commit.acked'];
/** Longer than the average life of a thread. */
const STILL_MS = 150;
/** The longest time that ending a thread may take, at any point. */
const LONGEST_MS = 5_000;

export const threads = async ({ folder, unit, random, send }: UnitSetting): Promise<UnitOutcome> => {
  const [data, history, note] = [join(folder, 'log'), join(folder, 'history'), join(folder, 'struck')];
  const point = unit % 2 === 0 ? POINTS[(unit / 2) % POINTS.length] : undefined;
  const armed =
    // At the second hit of each life, so that its first commit is made.
    point === undefined ? {} : { STOPLOG_FAILPOINTS: `${point}=slow:${STILL_MS}#2`, STOPLOG_FAILPOINTS_STRUCK: note };
  await readFinal(data);
  const app = new Child('flagship/app.child.js', [data, history, 'app', `${RECORDS}`, '2000', 'end'], {
    env: { ...armed, SPIN_US: '100', TERMINATIONS: `${TERMINATIONS}`, TERMINATE_SEED: `${Math.floor(random() * 2 ** 31)}` },
    nodeArgs: ['--import', `${PROGRAMS}faults/terminator.child.js`],
    limitMs: 200_000,
  });
  const { code, signal, errors } = await app.ended;
  const took = app.lines.filter((line) => line.startsWith('terminated ')).map((line) => Number(line.slice(11)));
  const faults: Fault[] = [];
  if (code !== 0) faults.push({ kind: 'stuck', what: `the app ended with ${signal ?? code}, said ${app.lines.at(-1) ?? 'nothing'}: ${errors.slice(0, 500)}` });
  if (Math.max(0, ...took) > LONGEST_MS) faults.push({ kind: 'stuck', what: `to end a thread took ${Math.max(...took)} ms` });
  const stood = existsSync(note) ? readFileSync(note, 'utf8').trim().split('\n').length : 0;
  if (point !== undefined && stood === 0) faults.push({ kind: 'stuck', what: `no thread ever came to ${point}` });
  send(`${took.length} threads ended${point === undefined ? '' : `, ${stood} stood still at ${point}`}`);
  const verdict = await judgeWhole(data, history, RECORDS, 120_000);
  return { faults: [...faults, ...verdict.faults], figures: { records: verdict.records, 'threads ended': took.length, 'stood still at a failpoint': stood } };
};
