/**
 * The flagship run: life after life of one pipeline on one log, each ended by a kill, and everything compared after each.
 *
 * A reader lives through all of them. The reference is read and folded anew after every death; the history is checked
 * against the log whenever `checkEvery` says so, and at the end, when a last life has settled and the reader has drained.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Failpoint } from '@stoplog/core/port';
import { checkClosedForm } from '../checkers/closed-form.ts';
import type { Fault } from '../checkers/fault.ts';
import { checkLiveness } from '../checkers/liveness.ts';
import { checkLog } from '../checkers/log-checker.ts';
import { checkModel, type Value } from '../checkers/model-checker.ts';
import { Child } from '../harness/child.ts';
import { readHistory, witness } from '../history/witness.ts';
import { readFinal } from './final.ts';

export type Life =
  /** Killed so long after its actors run, from outside. */
  | { readonly kind: 'random'; readonly afterMs: number }
  /** Strikes at a hit of a failpoint; one that is not met ends by itself. */
  | { readonly kind: 'failpoint'; readonly name: Failpoint; readonly mode: string; readonly hit: number };

export interface FlagshipOptions {
  readonly folder: string;
  readonly lives: readonly Life[];
  readonly recordsPerLife: number;
  readonly chunk?: number;
  readonly spinUs?: number;
  readonly reader?: boolean;
  readonly checkEvery?: number;
  /** The last life must settle within this. */
  readonly quietMs?: number;
  /** How long any other life may take. */
  readonly lifeMs?: number;
  readonly programs?: string;
  /** For every life: `--import` of something that shifts the clock, say. */
  readonly nodeArgs?: readonly string[];
  /** How many keys the records have; 500 when left out. */
  readonly keys?: number;
  readonly tell?: (line: string) => void;
}
export interface FlagshipVerdict {
  readonly faults: readonly Fault[];
  readonly records: number;
  readonly acknowledged: number;
  readonly inDoubt: number;
  readonly polled: number;
  readonly kills: number;
  readonly struck: Readonly<Record<string, number>>;
  readonly sometimes: Readonly<Record<Sometimes, number>>;
  /** From the start of a life to its first acknowledged commit of any kind, in ms. */
  readonly recoveryMs: readonly number[];
}
/** Rare things that must have happened in a run for it to count. */
export type Sometimes = 'killed between send and acknowledgement' | 'killed in the middle of the input' | 'killed between two tasks' | 'killed inside a transaction' | 'killed between visible and acknowledged' | 'restarted with nothing to do';

const LIFE_MS = 30_000;
/** Lives that reach what they are killed at only when they end. */
const AT_THE_END: ReadonlySet<string> = new Set<Failpoint>(['release', 'close.draining', 'close.closed']);

export const runFlagship = async (options: FlagshipOptions): Promise<FlagshipVerdict> => {
  const { folder, lives, recordsPerLife, chunk = 200, spinUs = 30, quietMs = 60_000, lifeMs = LIFE_MS, checkEvery = 1, programs } = options;
  const [data, history, note] = [join(folder, 'log'), join(folder, 'history'), join(folder, 'struck')];
  const write = witness(history);
  const env = { KEYS: `${options.keys ?? 500}`, SPIN_US: `${spinUs}`, STOPLOG_FAILPOINTS_STRUCK: note };
  const faults: Fault[] = [];
  const struck: Record<string, number> = {};
  const recoveryMs: number[] = [];
  const sometimes: Record<Sometimes, number> = { 'killed between send and acknowledgement': 0, 'killed in the middle of the input': 0, 'killed between two tasks': 0, 'killed inside a transaction': 0, 'killed between visible and acknowledged': 0, 'restarted with nothing to do': 0 };
  const copy = { ...(programs === undefined ? {} : { programs }), nodeArgs: options.nodeArgs ?? [] };
  let kills = 0;
  let inDoubtBefore = 0;
  // The folder is made by this process, so that the reader finds its topics.
  await readFinal(data);
  const reader = options.reader === false ? undefined : new Child('flagship/reader.child.js', [data, history, 'reader', 'numbers', 'copies'], { limitMs: lives.length * lifeMs + 120_000 });
  await reader?.said('reading');

  const judge = async (name: string, whole: boolean): Promise<void> => {
    const { state, topics } = await readFinal(data);
    const model = checkModel(state);
    faults.push(...model.faults.map(({ kind, what }) => ({ kind, what: `after ${name}: ${what}` })));
    if (whole) {
      const verdict = checkLog(readHistory(history), topics);
      faults.push(...verdict.faults.map(({ kind, what }) => ({ kind, what: `after ${name}: ${what}` })));
      if (verdict.inDoubt > inDoubtBefore) sometimes['killed between send and acknowledgement']++;
      inDoubtBefore = verdict.inDoubt;
    }
    if (model.taken > 0 && model.taken < model.appended) sometimes['killed in the middle of the input']++;
    if (model.between > 0) sometimes['killed between two tasks']++;
    if (model.taken === model.appended && model.between === 0) sometimes['restarted with nothing to do']++;
  };
  try {
    for (const [i, life] of lives.entries()) {
      const name = life.kind === 'random' ? `life ${i}, killed after ${Math.round(life.afterMs)} ms` : `life ${i}, ${life.name}=${life.mode}#${life.hit}`;
      const stay = life.kind === 'random' ? 'stay' : AT_THE_END.has(life.name) ? 'closing' : 'end';
      const armed = life.kind === 'failpoint' ? { STOPLOG_FAILPOINTS: `${life.name}=${life.mode}#${life.hit}`, ...(life.mode === 'fail' ? { CAREFUL: 'yes' } : {}) } : {};
      const notes = linesIn(note);
      const since = performance.now();
      const child = new Child('flagship/app.child.js', [data, history, `life${i}`, `${(i + 1) * recordsPerLife}`, `${chunk}`, stay], { env: { ...env, ...armed }, limitMs: lifeMs, ...copy });
      if (life.kind === 'random') {
        if ((await child.heard('running')) === undefined) faults.push({ kind: 'stuck', what: `${name} ended before it ran: ${(await child.ended).errors.slice(0, 500)}` });
        recoveryMs.push(performance.now() - since);
        // The moment of the kill is the subject, not a fact to wait for.
        await new Promise((resolve) => setTimeout(resolve, life.afterMs));
        await child.kill();
        kills++;
        write({ type: 'info', op: 'fault', process: `life${i}`, what: 'killed', at: Date.now() });
      } else {
        // What was refused is sent again.
        void child.heard('refused').then((line) => line !== undefined && child.tell('go on'));
        const ended = await child.ended;
        const strikes = linesIn(note).slice(notes.length).filter((line) => line.startsWith(`${life.name} `));
        if (strikes.length > 0) struck[life.name] = (struck[life.name] ?? 0) + 1;
        if (ended.signal === 'SIGKILL' && strikes.length === 0) faults.push({ kind: 'stuck', what: `${name} did not end within ${lifeMs} ms, said ${child.lines.at(-1) ?? 'nothing'}` });
        if (ended.signal === 'SIGKILL' && strikes.length > 0) kills++;
        if (ended.signal === 'SIGKILL' && strikes.length > 0 && /\.written|storage\.put|lock\.taken/.test(life.name)) sometimes['killed inside a transaction']++;
        if (ended.signal === 'SIGKILL' && strikes.length > 0 && /append\.committed|commit\.applied|append\.acked/.test(life.name)) sometimes['killed between visible and acknowledged']++;
      }
      await judge(name, i % checkEvery === checkEvery - 1);
      options.tell?.(`${name}: ${faults.length} faults`);
      if (faults.length > 0) break;
    }
    if (faults.length === 0) {
      const total = lives.length * recordsPerLife;
      const last = new Child('flagship/app.child.js', [data, history, 'last', `${total}`, '1000', 'end'], { env: { ...env, SPIN_US: '0' }, limitMs: quietMs + 10_000, ...copy });
      const { code, signal, errors } = await last.ended;
      if (code !== 0) faults.push({ kind: 'stuck', what: `the last life ended with ${signal ?? code}, said ${last.lines.at(-1) ?? 'nothing'}: ${errors.slice(0, 500)}` });
    }
    if (reader !== undefined) {
      reader.tell('drain');
      const { code, signal, errors } = await reader.ended;
      if (code !== 0) faults.push({ kind: 'unseen tail', what: `the reader ended with ${signal ?? code}: ${errors.slice(0, 500)}` });
    }
  } finally {
    await reader?.kill();
  }
  const end = await judgeWhole(data, history, lives.length * recordsPerLife, faults.length === 0 ? quietMs : undefined);
  faults.push(...end.faults);
  const { records, acknowledged, inDoubt, polled } = end;
  return { faults, records, acknowledged, inDoubt, polled, kills, struck, sometimes, recoveryMs };
};

export interface WholeVerdict {
  readonly faults: readonly Fault[];
  readonly records: number;
  readonly acknowledged: number;
  readonly inDoubt: number;
  readonly polled: number;
}
/** Every checker over everything that is left; with `quietMs`, all must be done, within that time of the last fault. */
export const judgeWhole = async (data: string, history: string, expected: number, quietMs: number | undefined): Promise<WholeVerdict> => {
  const { state, topics } = await readFinal(data);
  const events = readHistory(history);
  const { faults, acknowledged, inDoubt, polled } = checkLog(events, topics);
  const model = checkModel(state);
  const copied = state.copies.flatMap((records) => records.map(({ text }): readonly [string, number] => {
    const { key, n } = JSON.parse(text) as Value;
    return [key, n];
  }));
  const all: Fault[] = [...faults, ...model.faults, ...checkClosedForm('copies of', copied)];
  if (quietMs !== undefined) {
    all.push(...checkLiveness(events, quietMs));
    if (copied.length !== expected) all.push({ kind: 'closed form', what: `${copied.length} copies of ${expected} records` });
  }
  return { faults: all, records: model.appended, acknowledged, inDoubt, polled };
};

const linesIn = (path: string): readonly string[] => (existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter((line) => line !== '') : []);
