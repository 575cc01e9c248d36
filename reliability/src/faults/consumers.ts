/**
 * F24: slow consumers, and ones that never acknowledge, behind a fast producer. The watchdog kills a handler that never
 * returns, again and again, until its partition is stopped; the slow one continues; memory stays flat.
 */
import { join } from 'node:path';
import { openPort } from '@stoplog/core/kit';
import { lmdb } from '@stoplog/core/lmdb';
import type { Fault } from '../checkers/fault.ts';
import { recordsOf } from '../flagship/final.ts';
import { Child } from '../harness/child.ts';
import type { UnitOutcome, UnitSetting } from '../long/stage.ts';

/** Heaps grow for a minute before they reach their size. */
const SECONDS = 150;
/** How far every part of the last third of the time may be from its median. */
const FLAT = 0.1;
/** The delay of a main thread that only passes commits on. */
const MOST_DELAY_MS = 200;

interface Report {
  readonly sent: number;
  readonly medians: readonly number[];
  readonly restarts: number;
  readonly givenUp: number;
  readonly utilization: number;
  readonly delayMs: number;
}

export const consumers = async ({ folder, send }: UnitSetting): Promise<UnitOutcome> => {
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
  send(
    `${copied} of ${sent} records handled; memory ${medians[0]} MB, at last ${middle} MB ± ${(100 * off).toFixed(1)} %; ${restarts} restarts, ${givenUp} partitions stopped; main ${(100 * utilization).toFixed(1)} % busy, p99 ${delayMs.toFixed(1)} ms late`,
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

/** The handled records are a prefix of the sent ones, in order, up to the group's position. */
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
