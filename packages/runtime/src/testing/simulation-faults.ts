/**
 * The faults and their frequency, and the sizes of batches. Both are drawn for each seed, so that some seeds have hardly any crash but
 * many pauses, and others the reverse: an event that is rare on average is common in some seeds.
 */
import { SESSION_MS } from '@stoplog/core/kit';
import type { Chance } from './chance.ts';
import type { Grain } from './simulated-actor.ts';

/** A process of a simulation, as it is drawn. */
export interface Kind {
  readonly name: string;
  readonly isStatic: boolean;
  readonly sessionMs: number;
}

export type Fault =
  /** A thread dies between two turns. */
  | 'kill'
  /** A record fails, once, before or after its function has run. */
  | 'fail'
  /** A process dies. */
  | 'crash'
  /** The machine stops: all processes die, and a suffix of the unflushed commits is lost. */
  | 'powerCut'
  /** A process stands still, perhaps for longer than its session. */
  | 'pause'
  /** A record is slow, perhaps slower than a session. */
  | 'slow'
  /** A process drains, leaves, and joins again. */
  | 'leave'
  /** The log has no room for one commit. */
  | 'full';

/** The relative frequency of each fault; 0 is never, and frequencies left out are drawn. */
export type Faults = Readonly<Partial<Record<Fault, number>>>;

export const FAULTS: readonly Fault[] = ['kill', 'fail', 'crash', 'powerCut', 'pause', 'slow', 'leave', 'full'];

/** Delays of the disk, of an answer, of the notice of an assignment, or of a new actor's first turn. */
export type Late = 'write' | 'hear' | 'notice' | 'start';

/** The character of one simulation. */
export interface Temper {
  readonly weights: readonly number[];
  /** The probability that a step is a fault, while there are faults. */
  readonly faultRate: number;
  readonly faults: number;
  readonly processes: readonly Kind[];
  readonly holes: number;
  readonly flushRate: number;
  /** The maximum duration of a step in ms. */
  readonly tickMs: number;
  readonly feedRate: number;
  readonly chunk: number;
  /** The probability that a possible write, answer, notice or start waits for another step. */
  readonly late: Readonly<Record<Late, number>>;
  readonly grain: () => Grain;
}

export const drawTemper = (chance: Chance, faults: Faults): Temper => {
  const weights = FAULTS.map((fault) => faults[fault] ?? (chance.is(0.25) ? 0 : chance.next()));
  const some = weights.some((weight) => weight > 0);
  // In some seeds a commit has one record, so that the commits of two incarnations of an actor are cut at the same offsets.
  const fine = chance.pick([0, 1, 3]);
  return {
    weights,
    faultRate: some ? chance.pick([0.01, 0.03, 0.08]) : 0,
    faults: some ? chance.between(3, 25) : 0,
    processes: kindsOf(chance),
    holes: chance.pick([0, 0.2, 1]),
    flushRate: chance.pick([0.02, 0.1, 0.5]),
    tickMs: chance.pick([1, 20, 200]),
    feedRate: chance.pick([0.03, 0.1, 0.3]),
    chunk: chance.pick([1, 4, 20]),
    late: { write: chance.pick([0, 0.7, 0.95]), hear: chance.pick([0, 0.7]), notice: 0.9, start: chance.pick([0, 0.9]) },
    grain: () => ({
      limits: {
        turnRecords: chance.between(1, 1 + 4 * fine),
        turnMs: Infinity,
        commitRecords: chance.between(1, 1 + 8 * fine),
        commitBytes: chance.between(1, 1_000),
        commitMs: chance.between(0, 100),
        fetchBytes: chance.pick([1, 200, 1_000, 100_000]),
      },
      entries: chance.pick([1, 2, 5, 1_000]),
    }),
  };
};

/** The processes of a simulation: one, or several that share the partitions; some of them static. */
const kindsOf = (chance: Chance): readonly Kind[] => {
  const isStatic = chance.pick([0, 0, 0.5, 1]);
  const sessionMs = chance.pick([1_000, SESSION_MS]);
  return Array.from({ length: chance.between(1, 4) }, (_, i) => ({ name: `p${i + 1}`, isStatic: chance.is(isStatic), sessionMs }));
};
