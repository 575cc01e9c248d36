/** The stages of the long run, by the numbers of the fault matrix. */
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Failpoint } from '@stoplog/core/port';
import type { Fault } from '../checkers/fault.ts';
import { damage } from '../faults/damage.ts';
import { fence } from '../faults/fence.ts';
import { flips } from '../faults/flips.ts';
import { power } from '../faults/power.ts';
import { failpointLives } from '../flagship/at-failpoints.ts';
import { readFinal } from '../flagship/final.ts';
import { judgeWhole, runFlagship, type FlagshipVerdict, type Life } from '../flagship/flagship.ts';
import { Child } from '../harness/child.ts';
import { catchMutant } from '../mutants/catch.ts';
import { MUTANTS } from '../mutants/mutants.ts';
import type { Stage, UnitOutcome } from './stage.ts';

export interface Scale {
  readonly kills: number;
  readonly records: number;
}
const KILLS_OF_A_UNIT = 20;
/** Storage calls that fail, each at its first, second, … hit. */
const STORAGE: readonly Failpoint[] = ['storage.put', 'storage.read', 'append.written', 'commit.written', 'lock.taken'];
const HITS = 12;

const outcome = ({ faults, records, acknowledged, inDoubt, polled, kills, struck, sometimes, recoveryMs }: FlagshipVerdict): UnitOutcome => ({
  faults,
  figures: {
    records,
    acknowledged,
    'in doubt': inDoubt,
    'read meanwhile': polled,
    kills,
    'failpoints struck': Object.values(struck).reduce((sum, n) => sum + n, 0),
    ...Object.fromEntries(Object.entries(sometimes).map(([what, n]) => [what, n])),
    ...(recoveryMs.length > 0 ? { 'recoveries timed': recoveryMs.length, 'recovery ms in all': Math.round(recoveryMs.reduce((sum, ms) => sum + ms, 0)) } : {}),
  },
});

export const stagesOf = ({ kills, records }: Scale): readonly Stage[] => [
  {
    id: 'F1',
    title: 'killed at random moments',
    units: Math.ceil(kills / KILLS_OF_A_UNIT),
    run: async ({ folder, random, tell }) => {
      const lives = Array.from({ length: KILLS_OF_A_UNIT }, (): Life => ({ kind: 'random', afterMs: random() * 250 }));
      return outcome(await runFlagship({ folder, lives, recordsPerLife: Math.ceil(records / kills), chunk: 500, spinUs: 15, checkEvery: 10, tell }));
    },
  },
  {
    id: 'F2',
    title: 'killed at every failpoint: first, second, any hit',
    units: 20,
    run: async ({ folder, unit, random, tell }) => outcome(await runFlagship({ folder, lives: failpointLives((['first', 'second', 'random'] as const)[unit % 3]!, random), recordsPerLife: 2_000, chunk: 100, checkEvery: 10, tell })),
  },
  {
    id: 'F6',
    title: 'the n-th storage call fails',
    units: STORAGE.length * 2,
    run: async ({ folder, unit, tell }) => {
      const name = STORAGE[unit % STORAGE.length]!;
      const lives = Array.from({ length: HITS / 2 }, (_, i): Life => ({ kind: 'failpoint', name, mode: 'fail', hit: 1 + 2 * i + Math.floor(unit / STORAGE.length) }));
      return outcome(await runFlagship({ folder, lives, recordsPerLife: 1_000, chunk: 100, spinUs: 0, checkEvery: HITS, tell }));
    },
  },
  { id: 'F7', title: 'flipped bits', units: 50, run: flips },
  { id: 'F9', title: 'power cuts, from a trace of system calls', units: 100, run: power },
  {
    id: 'F11',
    title: 'every failpoint slow',
    units: 3,
    run: async ({ folder, random, tell }) => outcome(await runFlagship({ folder, lives: failpointLives('random', random, 'slow').map((life) => (life.kind === 'failpoint' ? { ...life, mode: 'slow:700' } : life)), recordsPerLife: 2_000, chunk: 100, checkEvery: 10, tell })),
  },
  { id: 'F14', title: 'few files, little address space', units: 2, run: limits },
  { id: 'F16', title: 'readers killed inside a read', units: 10, run: staleReaders },
  { id: 'F17', title: 'the map grows while eight processes read', units: 1, run: growth },
  {
    id: 'F23',
    title: 'a hundred thousand keys',
    units: 1,
    run: async ({ folder, tell }) => outcome(await runFlagship({ folder, lives: [{ kind: 'random', afterMs: 300 }, { kind: 'random', afterMs: 300 }], recordsPerLife: 100_000, keys: 100_000, chunk: 2_000, spinUs: 0, tell })),
  },
  {
    id: 'C4',
    title: 'commits of owners that were',
    units: 5,
    run: async ({ folder }) => {
      const { faults, refused, accepted } = await fence(folder);
      return { faults, figures: { refused, accepted } };
    },
  },
  {
    id: 'L11',
    title: 'one letter changed in the file',
    units: 5,
    run: async ({ folder }) => {
      const { faults, isReported } = await damage(folder);
      return { faults: faults.filter(({ kind }) => !isReported || kind !== 'unseen tail'), figures: { reported: isReported ? 1 : 0 } };
    },
  },
  {
    id: 'bugs',
    title: 'seeded bugs, each to be caught',
    units: MUTANTS.length,
    run: async ({ folder, unit, tell }) => {
      const mutant = MUTANTS[unit]!;
      const caught = await catchMutant(folder, mutant, mutant.scenario);
      tell(`a core that ${mutant.name}: ${caught[0]?.kind ?? 'not caught'}`);
      return { faults: caught.length > 0 ? [] : [{ kind: 'phantom', what: `a core that ${mutant.name} was not caught` }], figures: { caught: caught.length > 0 ? 1 : 0 } };
    },
  },
];
/** Rare things that a long run must have met, by stage. */
export const SOMETIMES: Readonly<Record<string, readonly string[]>> = {
  F1: ['killed between send and acknowledgement', 'killed in the middle of the input', 'killed between two tasks'],
  F2: ['killed inside a transaction', 'killed between visible and acknowledged'],
  F6: ['failpoints struck'],
  F7: ['reported'],
  F9: ['images', 'acknowledged'],
  F11: ['failpoints struck'],
  C4: ['refused', 'accepted'],
  L11: ['reported'],
  bugs: ['caught'],
};

async function limits({ folder, unit, tell }: Parameters<Stage['run']>[0]): Promise<UnitOutcome> {
  const [data, history] = [join(folder, 'log'), join(folder, 'history')];
  await readFinal(data);
  const faults: Fault[] = [];
  const figures = { refused: 0, ran: 0 };
  const bounds = unit === 0 ? [24, 48, 64, 96, 128, 256].map((files) => `ulimit -n ${files}`) : [8, 32, 128].map((gib) => `ulimit -v ${gib * 1024 * 1024}`);
  let upTo = 0;
  for (const bound of bounds) {
    const child = new Child('flagship/app.child.js', [data, history, `under ${bound}`, `${(upTo += 500)}`, '100', 'end'], { under: ['bash', '-c', `${bound}; exec "$0" "$@"`], limitMs: 20_000 });
    const { code, signal, errors } = await child.ended;
    tell(`${bound}: ${signal ?? code}`);
    if (code === 0) figures.ran++;
    else {
      figures.refused++;
      upTo -= 500;
      if (signal !== null) faults.push({ kind: 'stuck', what: signal === 'SIGKILL' ? `under ${bound} it neither ran nor ended` : `under ${bound} it died of ${signal}` });
      // Node itself may not start under it; what it says then is its own.
      else if (code === 1 && !/STOPLOG_|EMFILE|ENOMEM|ERR_|Too many|memory/.test(errors)) faults.push({ kind: 'stuck', what: `under ${bound} it ended with ${code} and no reason: ${errors.slice(0, 300)}` });
    }
    faults.push(...(await judgeWhole(data, history, upTo, undefined)).faults);
  }
  return { faults, figures };
}

const READERS = 20;
async function staleReaders({ folder, tell }: Parameters<Stage['run']>[0]): Promise<UnitOutcome> {
  const [data, history] = [join(folder, 'log'), join(folder, 'history')];
  await readFinal(data);
  const app = new Child('flagship/app.child.js', [data, history, 'app', '20000', '200', 'end'], { env: { SPIN_US: '100' }, limitMs: 120_000 });
  await app.said('running');
  for (let i = 0; i < READERS; i++) {
    const reader = new Child('flagship/reader.child.js', [data, join(folder, `history of reader ${i}`), `reader${i}`, 'numbers', 'copies'], { limitMs: 20_000 });
    await reader.heard('reading');
    await reader.kill();
  }
  const { code, errors } = await app.ended;
  tell(`${READERS} readers killed`);
  const faults: readonly Fault[] = code === 0 ? [] : [{ kind: 'stuck', what: `the app ended with ${code}: ${errors.slice(0, 300)}` }];
  return { faults: [...faults, ...(await judgeWhole(data, history, 20_000, 60_000)).faults], figures: { 'readers killed': READERS, 'MB of file': Math.round((statSync(join(data, 'data.mdb')).blocks * 512) / 1e6) } };
}

async function growth({ folder, tell }: Parameters<Stage['run']>[0]): Promise<UnitOutcome> {
  const [data, history] = [join(folder, 'log'), join(folder, 'history')];
  await readFinal(data);
  mkdirSync(join(folder, 'readers'));
  const readers = Array.from({ length: 8 }, (_, i) => new Child('flagship/reader.child.js', [data, history, `reader${i}`, 'numbers', 'copies'], { limitMs: 150_000 }));
  for (const reader of readers) await reader.said('reading');
  const app = new Child('flagship/app.child.js', [data, history, 'app', '100000', '1000', 'end'], { limitMs: 120_000 });
  const { code } = await app.ended;
  for (const reader of readers) reader.tell('drain');
  const ends = await Promise.all(readers.map((reader) => reader.ended));
  tell(`readers ended with ${ends.map((end) => end.signal ?? end.code).join(' ')}`);
  const faults: readonly Fault[] = code === 0 && ends.every((end) => end.code === 0) ? [] : [{ kind: 'stuck', what: `the app ended with ${code}, readers with ${ends.map((end) => end.signal ?? end.code).join(' ')}` }];
  const verdict = await judgeWhole(data, history, 100_000, 60_000);
  return { faults: [...faults, ...verdict.faults], figures: { records: verdict.records, 'read meanwhile': verdict.polled } };
}
