/**
 * F24: slow consumers, and such as never acknowledge, behind a fast producer, for a time. A handler that never returns is killed by
 * the watchdog, over and over, until its partition is given up; the slow one goes on; memory stays where it is.
 */
import { join } from 'node:path';
import { openPort } from '@stoplog/core/kit';
import { lmdb } from '@stoplog/core/lmdb';
import type { Fault } from '../checkers/fault.ts';
import { recordsOf } from '../flagship/final.ts';
import { Child } from '../harness/child.ts';
import type { UnitOutcome, UnitSetting } from '../long/stage.ts';

/** Heaps grow for a minute before they are as large as they will be. */
const SECONDS = 150;
/** Of the last third of the time, every part may be so far from the middle one. */
const FLAT = 0.1;
/** A main thread that only passes commits on. */
const MOST_DELAY_MS = 200;

interface Report {
  readonly sent: number;
  readonly medians: readonly number[];
  readonly restarts: number;
  readonly givenUp: number;
  readonly utilization: number;
  readonly delayMs: number;
}

export const consumers = async ({ folder, tell }: UnitSetting): Promise<UnitOutcome> => {
  const data = join(folder, 'log');
  const child = new Child('faults/consumers.child.js', [data, `${SECONDS}`], { limitMs: 1_000 * SECONDS + 60_000 });
  const line = await child.heard('report ');
  const { code, signal, errors } = await child.ended;
  if (line === undefined) return { faults: [{ kind: 'stuck', what: `it ended with ${signal ?? code}: ${errors.slice(0, 500)}` }], figures: {} };
  const { sent, medians, restarts, givenUp, utilization, delayMs } = JSON.parse(line.slice(7)) as Report;
  const last = medians.slice(-Math.ceil(medians.length / 3));
  const middle = last.toSorted((a, b) => a - b)[Math.floor(last.length / 2)]!;
  const off = Math.max(...last.map((mb) => Math.abs(mb - middle) / middle));
  const faults: Fault[] = [];
  if (off > FLAT) faults.push({ kind: 'stuck', what: `memory is not flat: ${(100 * off).toFixed(0)} % off ${middle} MB; ${medians.join(' ')}` });
  if (delayMs > MOST_DELAY_MS) faults.push({ kind: 'stuck', what: `the main thread's event loop was ${delayMs.toFixed(0)} ms late` });
  if (restarts === 0) faults.push({ kind: 'stuck', what: 'the watchdog killed no handler' });
  const copied = await judge(data, sent, faults);
  tell(
    `${copied} of ${sent} records handled; memory ${medians[0]} MB, at last ${middle} MB ± ${(100 * off).toFixed(1)} %; ${restarts} restarts, ${givenUp} partitions given up; main ${(100 * utilization).toFixed(1)} % busy, p99 ${delayMs.toFixed(1)} ms late`,
  );
  return {
    faults,
    figures: {
      records: sent,
      handled: copied,
      'handlers killed': restarts,
      'seconds watched': SECONDS,
      'MB at last': Math.round(middle),
      'per mille off': Math.round(1_000 * off),
    },
  };
};

/** What was handled is a prefix of what was sent, in order, up to where the group stands. */
const judge = async (data: string, sent: number, faults: Fault[]): Promise<number> => {
  const log = await openPort(lmdb(data));
  try {
    const [ours, theirs] = [await recordsOf(log, 'slow', 0), await recordsOf(log, 'slow-done', 0)];
    const [position] = await log.committed('consumers', [{ topic: 'slow', partition: 0 }]);
    if (ours.length !== sent) faults.push({ kind: 'lost', what: `${ours.length} records of ${sent}` });
    if (Number(position!.offset) !== theirs.length) faults.push({ kind: 'output', what: `${theirs.length} records of ${position!.offset} that were handled` });
    const wrong = theirs.findIndex(({ text }, i) => !(JSON.parse(text) as string).startsWith(`${i} `));
    if (wrong >= 0) faults.push({ kind: 'reordered', what: `record ${wrong} is ${theirs[wrong]!.text}` });
    return theirs.length;
  } finally {
    await log[Symbol.asyncDispose]();
  }
};
