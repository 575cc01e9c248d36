/**
 * The flagship run: life after life of one pipeline on one log, each ended by a kill, and everything compared after each.
 *
 * A reader lives through all of them. The reference is read and folded again after every death; the history is checked
 * against the log whenever `checkEvery` says so, and at the end, when a last life has settled and the reader has drained.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Fault, FaultKind } from '../checkers/fault.ts';
import { checkLog } from '../checkers/log-checker.ts';
import { checkModel } from '../checkers/model-checker.ts';
import { Child } from '../harness/child.ts';
import type { Event } from '../history/history.ts';
import { moment, readHistory, witness } from '../history/witness.ts';
import { readFinal } from './final.ts';
import { armedBy, dyingAt, endingOf, nameOf, NEVER_YET, type Incarnation, type Sometimes } from './incarnation.ts';
import { finalOf, judgeWhole } from './verdict.ts';

export interface FlagshipOptions {
  readonly folder: string;
  readonly lives: readonly Incarnation[];
  readonly recordsPerLife: number;
  readonly chunk?: number;
  readonly spinUs?: number;
  readonly reader?: boolean;
  readonly checkEvery?: number;
  /** The time in which the last life must settle. */
  readonly quietMs?: number;
  /** The longest time of any other life. */
  readonly lifeMs?: number;
  readonly programs?: string;
  /** The environment of every life: to shift the clock, for example. */
  readonly env?: Readonly<Record<string, string>>;
  /** The number of keys of the records; 500 by default. */
  readonly keys?: number;
  readonly send?: (line: string) => void;
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
  /** From the start of a process until its actors run, in ms. */
  readonly recoveryMs: readonly number[];
}
const LIFE_MS = 30_000;
const QUIET_MS = 60_000;

export const runFlagship = (options: FlagshipOptions): Promise<FlagshipVerdict> => new Flagship(options).run();

class Flagship {
  readonly #options: FlagshipOptions;
  readonly #data: string;
  readonly #history: string;
  /** The file in which failpoints note that they strike. */
  readonly #note: string;
  readonly #write: (event: Event) => void;
  readonly #faults: Fault[] = [];
  readonly #struck: Record<string, number> = {};
  readonly #recoveryMs: number[] = [];
  readonly #sometimes: Record<Sometimes, number> = { ...NEVER_YET };
  /** The group's positions after the last death: positions never go back. */
  #stood: readonly number[] = [];
  #kills = 0;
  #inDoubt = 0;

  constructor(options: FlagshipOptions) {
    this.#options = options;
    [this.#data, this.#history, this.#note] = [join(options.folder, 'log'), join(options.folder, 'history'), join(options.folder, 'struck')];
    this.#write = witness(this.#history);
  }

  async run(): Promise<FlagshipVerdict> {
    const { lives, recordsPerLife, checkEvery = 1, send, quietMs = QUIET_MS } = this.#options;
    // This process creates the folder, so that the reader finds its topics.
    await readFinal(this.#data);
    const reader = await this.#startReader();
    try {
      for (const [i, incarnation] of lives.entries()) {
        const name = nameOf(incarnation, i);
        const before = this.#kills;
        await (incarnation.kind === 'random' ? this.#killAtRandom(incarnation, i, name) : this.#dieAtFailpoint(incarnation, i, name));
        await this.#judge(name, i % checkEvery === checkEvery - 1, this.#kills > before);
        send?.(`${name}: ${this.#faults.length} faults`);
        if (this.#faults.length > 0) break;
      }
      if (this.#faults.length === 0) await this.#settle();
      await this.#drain(reader);
    } finally {
      await reader?.kill();
    }
    const { faults, ...figures } = await judgeWhole(this.#data, this.#history, lives.length * recordsPerLife, this.#faults.length === 0 ? quietMs : undefined);
    return {
      ...figures,
      faults: [...this.#faults, ...faults],
      kills: this.#kills,
      struck: this.#struck,
      sometimes: this.#sometimes,
      recoveryMs: this.#recoveryMs,
    };
  }

  async #startReader(): Promise<Child | undefined> {
    const { reader = true, lives, lifeMs = LIFE_MS } = this.#options;
    if (!reader) return undefined;
    const child = new Child('flagship/reader.child.js', [this.#data, this.#history, 'reader', 'numbers', 'copies'], {
      limitMs: lives.length * lifeMs + 120_000,
    });
    await child.said('reading');
    return child;
  }
  #start(name: string, upTo: number, chunk: number, ending: string, limitMs: number, env: Readonly<Record<string, string>>): Child {
    const { programs, env: ofAll = {}, keys = 500 } = this.#options;
    return new Child('flagship/app.child.js', [this.#data, this.#history, name, `${upTo}`, `${chunk}`, ending], {
      env: { KEYS: `${keys}`, STOPLOG_FAILPOINTS_STRUCK: this.#note, ...ofAll, ...env },
      limitMs,
      ...(programs === undefined ? {} : { programs }),
    });
  }
  #startLife(incarnation: Incarnation, i: number): Child {
    const { recordsPerLife, chunk = 200, spinUs = 30, lifeMs = LIFE_MS } = this.#options;
    return this.#start(`life${i}`, (i + 1) * recordsPerLife, chunk, endingOf(incarnation), lifeMs, { SPIN_US: `${spinUs}`, ...armedBy(incarnation) });
  }

  async #killAtRandom(incarnation: Incarnation & { readonly kind: 'random' }, i: number, name: string): Promise<void> {
    const since = performance.now();
    const child = this.#startLife(incarnation, i);
    if ((await child.heard('running')) === undefined) {
      const { code, signal, errors } = await child.ended;
      return this.#report('stuck', `${name} ended before it ran (${signal ?? code}): ${errors.slice(0, 500)}`);
    }
    this.#recoveryMs.push(performance.now() - since);
    // The moment of the kill is the subject, not a fact to wait for.
    await new Promise((resolve) => setTimeout(resolve, incarnation.afterMs));
    const { code, signal, errors } = await child.kill();
    // The kill must have ended it, and no record may have been refused: the program must not crash by itself.
    if (signal !== 'SIGKILL' || errors !== '') return this.#report('stuck', `${name} ended by itself (${signal ?? code}): ${errors.slice(0, 500)}`);
    const refused = child.lines.find((line) => line.startsWith('refused'));
    if (refused !== undefined) this.#report('stuck', `${name}: a record was ${refused} although nothing was wrong`);
    this.#kills++;
    this.#write({ type: 'info', op: 'fault', process: `life${i}`, what: 'killed', at: moment() });
  }

  async #dieAtFailpoint(incarnation: Incarnation & { readonly kind: 'failpoint' }, i: number, name: string): Promise<void> {
    const before = linesIn(this.#note).length;
    const child = this.#startLife(incarnation, i);
    // Refused records are sent again.
    void child.heard('refused').then((line) => line !== undefined && child.send('go on'));
    const { code, signal, errors } = await child.ended;
    const isStruck = linesIn(this.#note)
      .slice(before)
      .some((line) => line.startsWith(`${incarnation.name} `));
    if (isStruck) this.#struck[incarnation.name] = (this.#struck[incarnation.name] ?? 0) + 1;
    if (signal !== 'SIGKILL') {
      if (incarnation.mode === 'kill' && code === 0) this.#report('stuck', `${name} ended without reaching its failpoint: the life proves nothing`);
      // A storage call that fails may end the process, by its name; no other error may.
      const isTold = incarnation.mode === 'fail' && signal === null && /STOPLOG_|EIO/.test(errors);
      if (code !== 0 && !isTold) this.#report('stuck', `${name} ended with ${signal ?? code}: ${errors.slice(0, 500)}`);
      return;
    }
    // Killed by its failpoint, or by us because its time was over.
    if (!isStruck || incarnation.mode !== 'kill') return this.#report('stuck', `${name} did not end in its time, said ${child.lines.at(-1) ?? 'nothing'}`);
    this.#kills++;
    const rare = dyingAt(incarnation.name);
    if (rare !== undefined) this.#sometimes[rare]++;
  }

  async #judge(name: string, isWhole: boolean, isKilled: boolean): Promise<void> {
    const final = await finalOf(this.#data);
    if ('kind' in final) return this.#report(final.kind, `after ${name}: ${final.what}`);
    const { faults, taken, appended, between } = checkModel(final.state);
    for (const { kind, what } of faults) this.#report(kind, `after ${name}: ${what}`);
    const stands = [...final.state.numbers, ...final.state.byGroup].map(({ position }) => position);
    stands.forEach((position, i) => {
      if (position < (this.#stood[i] ?? 0))
        this.#report('lost', `after ${name}: the group is at ${position} of its ${i + 1}th input, and was at ${this.#stood[i]}`);
    });
    this.#stood = stands;
    if (isWhole) {
      const verdict = checkLog(readHistory(this.#history), final.topics);
      for (const { kind, what } of verdict.faults) this.#report(kind, `after ${name}: ${what}`);
      if (isKilled && verdict.inDoubt > this.#inDoubt) this.#sometimes['killed between send and acknowledgement']++;
      this.#inDoubt = verdict.inDoubt;
    }
    if (!isKilled) return;
    if (taken > 0 && taken < appended) this.#sometimes['killed in the middle of the input']++;
    if (between > 0) this.#sometimes['killed between two tasks']++;
    if (taken === appended && between === 0) this.#sometimes['killed with nothing left to do']++;
  }

  /** A last, undisturbed life. */
  async #settle(): Promise<void> {
    const { lives, recordsPerLife, quietMs = QUIET_MS } = this.#options;
    const last = this.#start('last', lives.length * recordsPerLife, 1_000, 'end', quietMs + 10_000, { SPIN_US: '0' });
    const { code, signal, errors } = await last.ended;
    if (code !== 0 || errors !== '')
      this.#report('stuck', `the last life ended with ${signal ?? code}, said ${last.lines.at(-1) ?? 'nothing'}: ${errors.slice(0, 500)}`);
  }
  async #drain(reader: Child | undefined): Promise<void> {
    if (reader === undefined) return;
    reader.send('drain');
    const { code, signal, errors } = await reader.ended;
    if (code !== 0) this.#report('unseen tail', `the reader ended with ${signal ?? code}: ${errors.slice(0, 500)}`);
  }
  #report(kind: FaultKind, what: string): void {
    this.#faults.push({ kind, what });
  }
}

const linesIn = (path: string): readonly string[] =>
  existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : [];
