/**
 * What a process notes about a unit when it begins with it, and what the next process makes of that: `begin`.
 *
 * The note is removed when the unit ends in order. A process that finds one begins after a process that died, and counts how many died in a
 * row while the unit stayed at one position. Kills from outside leave such notes too, so only the third death in a row makes a unit suspect:
 *
 *   it has progressed            begin as usual, as after any kill
 *   died twice at one position   begin as usual
 *   died three times             suspect: take its next records in small steps, each noted first, while no other suspect takes any
 *   died in a noted step         one of the records of that step is to blame: take these in smaller steps
 *   died in a step of one record try it alone, after a wait of random length; died so three times: the partition has failed
 *   died in such a wait          the process was killed from outside: count the tries again from the start
 *   died between steps           another unit was to blame: as before, until it is past the suspect records
 *
 * A step is a sixty-fourth of the suspect records. So with the most that one process has uncommitted, three processes find the record.
 * The wait tells a record that ends processes from kills that come before any commit can be made: a deadly record always strikes within
 * its step, and a kill from outside mostly within the wait, which is fifty times as long.
 */
import type { Careful, Step } from '../actor/careful.ts';
import type { Place } from '../actor/place.ts';

export interface ProcessNote {
  /** The program of the process: the fingerprint of its pipeline, and its version. */
  readonly program: string;
  /** The positions of the unit, as text. */
  readonly at: string;
  /** How many processes died in a row at these positions. */
  readonly deaths: number;
  /** The unit is suspect: a record before this sum of positions may be to blame. */
  readonly until?: number | undefined;
  /** The step that was taken from these positions; while `waits`, it has not begun. */
  readonly step?: (Step & { readonly waits?: boolean | undefined }) | undefined;
  /** How many processes died in a step of this one record, without a death in a wait between them. */
  readonly alone?: number | undefined;
  /** The process has ended in order, and its partition had failed. */
  readonly isOver?: boolean | undefined;
}
export type Beginning =
  | { readonly type: 'normal' }
  | ({ readonly type: 'careful' } & Careful)
  | { readonly type: 'failed'; readonly place: Place; readonly deaths: number };
export interface Now {
  readonly program: string;
  readonly at: string;
  /** The sum of the offsets in them. */
  readonly sum: number;
  /** Records to read from the positions on. */
  readonly behind: bigint;
}

const DEATHS_OF_SUSPECT = 3;
/** The first of them without a wait. */
const DEATHS_ALONE = 4;
const STEPS = 64;
/** More than a process has read and not committed of one unit. */
const MOST_RECORDS = STEPS * 4_096;

export const begin = (found: ProcessNote | undefined, { program, at, sum, behind }: Now): readonly [ProcessNote, Beginning] => {
  const fresh: ProcessNote = { program, at, deaths: 0 };
  // A process that died beside a unit without records to read did not die of them.
  if (found === undefined || behind === 0n) return [fresh, { type: 'normal' }];
  const { step, until } = found;
  const isOther = found.program !== program;
  // A suspect that made progress stays one until it is past the records.
  if (found.at !== at) return until !== undefined && until > sum && !isOther ? careful({ ...fresh, until }, sum) : [fresh, { type: 'normal' }];
  const note: ProcessNote = { program, at, deaths: found.deaths + 1 };
  if (step?.waits === true) return careful({ ...note, until: sum + 1, alone: 1 }, sum);
  if (step?.records === 1) {
    const alone = (found.alone ?? 0) + 1;
    const again = { ...note, until: sum + 1 };
    // Somebody has stopped the process, or changed the program, and may have mended what the record needs: it has one more try.
    if (isOther || found.isOver === true) return careful({ ...again, alone: Math.min(alone, DEATHS_ALONE - 1) }, sum);
    if (alone < DEATHS_ALONE) return careful({ ...again, alone }, sum);
    return [
      { ...again, alone, step },
      { type: 'failed', place: step.first, deaths: alone },
    ];
  }
  if (isOther) return [fresh, { type: 'normal' }];
  if (step !== undefined) return careful({ ...note, until: sum + step.records }, sum);
  if (until !== undefined) return careful({ ...note, until, alone: found.alone }, sum);
  if (note.deaths < DEATHS_OF_SUSPECT) return [note, { type: 'normal' }];
  return careful({ ...note, until: sum + (behind < MOST_RECORDS ? Number(behind) : MOST_RECORDS) }, sum);
};
const careful = (note: ProcessNote & { readonly until: number }, sum: number): readonly [ProcessNote, Beginning] => {
  const records = note.until - sum;
  return [note, { type: 'careful', pace: Math.ceil(records / STEPS), records }];
};

/** How a unit begins that this process has begun with before, in another epoch; `sum` is of its present positions. */
export const again = (note: ProcessNote, sum: number): Beginning => {
  if (isFailed(note)) return { type: 'failed', place: note.step.first, deaths: note.alone ?? 0 };
  return note.until === undefined || note.until <= sum ? { type: 'normal' } : careful({ ...note, until: note.until }, sum)[1];
};
const isFailed = (note: ProcessNote): note is ProcessNote & { readonly step: Step } => note.step?.records === 1 && (note.alone ?? 0) >= DEATHS_ALONE;

/** The note to write before a step from these positions. It `waits` if the unit has to wait, and then to write the note of `afterWait`. */
export const beforeStep = (note: ProcessNote, at: string, step: Step): ProcessNote => {
  if (note.at !== at) return { ...note, at, deaths: 0, step, alone: undefined };
  return { ...note, step: note.alone === undefined ? step : { ...step, waits: true } };
};
export const afterWait = (note: ProcessNote): ProcessNote => ({ ...note, step: note.step && { ...note.step, waits: undefined } });
/** The length of a wait: `chance` is from 0 to 1, and it took `noteMs` to write a note, as long as a step is about to take. */
export const waitMs = (chance: number, noteMs: number): number => chance * Math.max(SHORTEST_WAIT_MS, WAIT_FACTOR * noteMs);
const SHORTEST_WAIT_MS = 500;
const WAIT_FACTOR = 50;
/** The note that stays when the process ends in order; undefined for none. */
export const atEnd = (note: ProcessNote): ProcessNote | undefined => (isFailed(note) ? { ...note, isOver: true } : undefined);

export const noteBytes = ({ step, ...note }: ProcessNote): Uint8Array =>
  Buffer.from(JSON.stringify({ ...note, step: step && { ...step, first: { ...step.first, offset: String(step.first.offset) } } }));
export const noteInBytes = (bytes: Uint8Array): ProcessNote => {
  const note = JSON.parse(Buffer.from(bytes).toString()) as ProcessNote & { readonly step?: { readonly first: { readonly offset: string } } };
  return note.step === undefined ? note : { ...note, step: { ...note.step, first: { ...note.step.first, offset: BigInt(note.step.first.offset) } } };
};
