/**
 * F4 at length: handlers misbehave at one record in a hundred, in every possible way; each record is processed once all the
 * same.
 */
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Fault } from '../checkers/fault.ts';
import { readFinal } from '../flagship/final.ts';
import { misbehavesAt, wayAt, ways } from '../flagship/misbehave.ts';
import { judgeWhole } from '../flagship/verdict.ts';
import { Child } from '../harness/child.ts';
import type { UnitOutcome, UnitSetting } from '../long/stage.ts';

/** An actor is stopped when it fails thirty times in ten minutes: ten times each, of four. */
const RECORDS = 4_000;
/** The time of all handlers that hang, one after the other, and of starting a thread for each. */
const QUIET_MS = 150_000;

export const misbehaving = async ({ folder, send }: UnitSetting): Promise<UnitOutcome> => {
  const [data, history, notes] = [join(folder, 'log'), join(folder, 'history'), join(folder, 'misbehaved')];
  mkdirSync(notes);
  await readFinal(data);
  const env = { SPIN_US: '0', MISBEHAVED: notes, HANG_AFTER_MS: '500', HEAP_MB: '64' };
  const app = new Child('flagship/app.child.js', [data, history, 'app', `${RECORDS}`, '200', 'end'], { env, limitMs: QUIET_MS + 10_000 });
  const { code, signal, errors } = await app.ended;
  const faults: Fault[] = [];
  if (code !== 0) faults.push({ kind: 'stuck', what: `the app ended with ${signal ?? code}, said ${app.lines.at(-1) ?? 'nothing'}: ${errors.slice(0, 500)}` });
  const expected = Array.from({ length: RECORDS }, (_, i) => i).filter(misbehavesAt);
  const done = readdirSync(notes).map(Number);
  if (done.length !== expected.length) faults.push({ kind: 'stuck', what: `${done.length} records misbehaved of ${expected.length}` });
  send(`${done.length} records misbehaved`);
  const verdict = await judgeWhole(data, history, RECORDS, QUIET_MS);
  const each = Object.fromEntries(ways.map((way) => [way, done.filter((i) => wayAt(i) === way).length]));
  return { faults: [...faults, ...verdict.faults], figures: { records: verdict.records, 'records that misbehaved': done.length, ...each } };
};
