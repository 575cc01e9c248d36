/** The stages of the long run, by the numbers of the fault matrix. */
import type { Failpoint } from '@stoplog/core/private/failpoints';
import { cleaning } from '../faults/cleaning.ts';
import { consumers } from '../faults/consumers.ts';
import { damage } from '../faults/damage.ts';
import { fence } from '../faults/fence.ts';
import { flips } from '../faults/flips.ts';
import { limits } from '../faults/limits.ts';
import { many } from '../faults/many.ts';
import { misbehaving } from '../faults/misbehaving.ts';
import { BAD_BIT_UNITS, oneBadBit } from '../faults/one-bad-bit.ts';
import { power } from '../faults/power.ts';
import { growth, staleReaders } from '../faults/readers.ts';
import { rebalances } from '../faults/storm.ts';
import { survivors } from '../faults/survivors.ts';
import { threads } from '../faults/threads.ts';
import { failpointLives } from '../flagship/at-failpoints.ts';
import { ways } from '../flagship/misbehave.ts';
import { runFlagship, type FlagshipVerdict } from '../flagship/flagship.ts';
import type { Incarnation } from '../flagship/incarnation.ts';
import { liveAndDie } from '../rebuild/lives.ts';
import { catchMutant } from '../mutants/catch.ts';
import { MUTANTS } from '../mutants/mutants.ts';
import type { Stage, UnitOutcome, UnitSetting } from './stage.ts';

export interface Scale {
  readonly kills: number;
  readonly records: number;
}
/** The reading after each kill grows with the kills before it. */
const KILLS_OF_A_UNIT = 10;
/** Storage calls that fail, each at its first, second, … hit. */
const STORAGE: readonly Failpoint[] = ['storage.put', 'storage.read', 'append.written', 'commit.written', 'lock.taken'];
const HITS = 12;

/** Figures of units are added up, which medians cannot be: the number of recoveries within a time can. */
const WITHIN_MS = [500, 1_000, 2_000, 4_000, 8_000];
const recoveries = (ms: readonly number[]): UnitOutcome['figures'] => ({
  'recoveries timed': ms.length,
  'recovery ms in all': Math.round(ms.reduce((sum, one) => sum + one, 0)),
  ...Object.fromEntries(WITHIN_MS.map((limit) => [`recoveries within ${limit} ms`, ms.filter((one) => one <= limit).length])),
});

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
    ...(recoveryMs.length > 0 ? recoveries(recoveryMs) : {}),
  },
});

const manyKeys = async ({ folder, send }: UnitSetting): Promise<UnitOutcome> => {
  const lives = Array.from({ length: 2 }, (): Incarnation => ({ kind: 'random', afterMs: 300 }));
  return outcome(await runFlagship({ folder, lives, recordsPerLife: 500_000, keys: 1_000_000, chunk: 5_000, spinUs: 0, quietMs: 240_000, send }));
};

export const stagesOf = ({ kills, records }: Scale): readonly Stage[] => [
  {
    id: 'F1',
    title: 'killed at random moments',
    units: Math.ceil(kills / KILLS_OF_A_UNIT),
    share: 5,
    run: async ({ folder, random, send }) => {
      const lives = Array.from({ length: KILLS_OF_A_UNIT }, (): Incarnation => ({ kind: 'random', afterMs: random() * 250 }));
      return outcome(await runFlagship({ folder, lives, recordsPerLife: Math.ceil(records / kills), chunk: 500, spinUs: 15, checkEvery: 10, send }));
    },
  },
  {
    id: 'F2',
    title: 'killed at every failpoint: first, second, any hit',
    units: 20,
    run: async ({ folder, unit, random, send }) =>
      outcome(
        await runFlagship({
          folder,
          lives: failpointLives((['first', 'second', 'random'] as const)[unit % 3]!, random),
          recordsPerLife: 2_000,
          chunk: 100,
          checkEvery: 10,
          send,
        }),
      ),
  },
  { id: 'F3', title: 'threads ended, before a full queue', units: 40, run: threads },
  { id: 'F4', title: 'handlers misbehave at one record in a hundred', units: 10, run: misbehaving },
  {
    id: 'F6',
    title: 'the n-th storage call fails',
    units: STORAGE.length * 2,
    run: async ({ folder, unit, send }) => {
      const name = STORAGE[unit % STORAGE.length]!;
      const lives = Array.from({ length: HITS / 2 }, (_, i): Incarnation => ({
        kind: 'failpoint',
        name,
        mode: 'fail',
        hit: 1 + 2 * i + Math.floor(unit / STORAGE.length),
      }));
      return outcome(await runFlagship({ folder, lives, recordsPerLife: 1_000, chunk: 100, spinUs: 0, checkEvery: HITS, send }));
    },
  },
  { id: 'F7', title: 'flipped bits', units: 50, run: flips },
  { id: 'O04', title: 'one bad bit: check and repair', units: BAD_BIT_UNITS.length, run: oneBadBit },
  { id: 'F9', title: 'power cuts, from a trace of system calls', units: 100, run: power },
  {
    id: 'F11',
    title: 'every failpoint slow, every flush slow, and a stall',
    units: 3,
    run: async ({ folder, random, send }) =>
      outcome(
        await runFlagship({
          folder,
          lives: [
            ...failpointLives('random', random, 'slow').map((incarnation) =>
              incarnation.kind === 'failpoint' ? { ...incarnation, mode: 'slow:700' } : incarnation,
            ),
            { kind: 'failpoint', name: 'append.committed', mode: 'slow:200', hit: 'every' },
            { kind: 'failpoint', name: 'commit.written', mode: 'slow:5000', hit: 1 + Math.floor(random() * 10) },
          ],
          recordsPerLife: 2_000,
          chunk: 100,
          checkEvery: 10,
          send,
        }),
      ),
  },
  { id: 'F14', title: 'few files, little address space', units: 2, run: limits },
  { id: 'F16', title: 'readers killed inside a read', units: 10, run: staleReaders },
  { id: 'F17', title: 'the file grows while sixteen threads read', units: 1, run: growth },
  { id: 'F18', title: 'compaction and retention racing', units: 20, run: cleaning },
  { id: 'F19', title: 'members come, go and stand still', units: 5, run: rebalances },
  {
    id: 'F23',
    title: 'many keys; many partitions and consumers',
    units: 2,
    run: (setting) => (setting.unit === 0 ? manyKeys(setting) : many(setting)),
  },
  { id: 'F24', title: 'slow consumers, and such as never return', units: 2, run: consumers },
  {
    id: 'N20',
    title: 'rebuilds, exchanges and returns, killed while four processes append',
    units: 5,
    run: async ({ folder, random, send }) => {
      const { faults, figures } = await liveAndDie({ kills: 20, appenders: 4, folder, random, send });
      const { kills, exchanges, killedInRebuild, undrained, records } = figures;
      return { faults, figures: { kills, exchanges, 'killed in a rebuild': killedInRebuild, 'left between tasks': undrained, records } };
    },
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
    id: 'L6',
    title: 'newest records and tombstones outlive compaction',
    units: 5,
    run: async ({ folder }) => {
      const { faults, ...figures } = await survivors(folder);
      return { faults, figures };
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
    run: async ({ folder, unit, send }) => {
      const mutant = MUTANTS[unit]!;
      const caught = await catchMutant(folder, mutant, mutant.scenario);
      send(`a core that ${mutant.name}: ${caught[0]?.kind ?? 'not caught'}`);
      return {
        faults: caught.some(({ kind }) => kind === mutant.shows) ? [] : [{ kind: 'phantom', what: `a core that ${mutant.name} was not caught` }],
        figures: { caught: caught.some(({ kind }) => kind === mutant.shows) ? 1 : 0 },
      };
    },
  },
];
/** Rare events that must happen in a long run, by stage. */
export const SOMETIMES: Readonly<Record<string, readonly string[]>> = {
  F1: ['killed between send and acknowledgement', 'killed in the middle of the input', 'killed between two tasks'],
  F2: ['killed inside a transaction', 'killed between visible and acknowledged'],
  F3: ['threads ended', 'stood still at a failpoint'],
  F4: ways,
  F6: ['failpoints struck'],
  F7: ['reported'],
  O04: ['found'],
  F9: ['images', 'writes in doubt', 'flushed early', 'flushed late', 'acknowledged', 'taken'],
  F11: ['failpoints struck'],
  F16: ['died inside a read'],
  F17: ['times lengthened'],
  F18: ['kills', 'cleanings', 'compacted away', 'forgotten', 'read meanwhile'],
  F19: ['killed', 'left', 'stood still', 'givings'],
  F23: ['kills'],
  F24: ['handled', 'handlers killed'],
  N20: ['kills', 'exchanges', 'killed in a rebuild'],
  C4: ['refused', 'accepted'],
  L6: ['compacted away', 'tombstones kept'],
  L11: ['reported'],
  bugs: ['caught'],
};
