/**
 * Flipped bits: copies of a log that was written whole, with one to ten bits flipped, each read to its end by a process of
 * its own. A value that was never written is a fault, and so is a record that is missing without an error, or a reader that
 * crashed: the files are small, so the log verifies LMDB's own pages, which have no checksum, when it opens them.
 */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPort } from '@stoplog/core/kit';
import { lmdb } from '@stoplog/core/lmdb';
import { checkLog, type FinalTopic } from '../checkers/log-checker.ts';
import type { Fault } from '../checkers/fault.ts';
import { readFinal } from '../flagship/final.ts';
import { produce } from '../flagship/producer.ts';
import { Child } from '../harness/child.ts';
import { readHistory, witness } from '../history/witness.ts';
import type { UnitOutcome, UnitSetting } from '../long/stage.ts';

const COPIES = 30;
const RECORDS = 2_000;
const PAGE = 8_192;

export const flips = async ({ folder, random, send }: UnitSetting): Promise<UnitOutcome> => {
  const [data, history] = [join(folder, 'log'), join(folder, 'history')];
  await readFinal(data);
  const log = await openPort(lmdb(data));
  await produce(log, { process: 'producer', upTo: RECORDS, chunk: 100, write: witness(history) });
  await log[Symbol.asyncDispose]();
  const sent: ReadonlyMap<string, FinalTopic> = new Map([['numbers', (await readFinal(data)).topics.get('numbers')!]]);
  const whole = readFileSync(join(data, 'data.mdb'));
  let used = whole.length;
  while (used > 0 && whole[used - 1] === 0) used--;
  used = Math.ceil(used / PAGE) * PAGE;

  const figures = { copies: COPIES, 'bits flipped': 0, unharmed: 0, reported: 0 };
  const faults: Fault[] = [];
  for (let i = 0; i < COPIES; i++) {
    const copy = join(folder, `copy${i}`);
    mkdirSync(copy);
    cpSync(join(data, 'stoplog.json'), join(copy, 'stoplog.json'));
    const bytes = Buffer.from(whole.subarray(0, used));
    const bits = i % 3 < 2 ? 1 : 1 + Math.floor(random() * 10);
    for (let bit = 0; bit < bits; bit++) {
      const at = Math.floor(random() * used);
      bytes[at] = bytes[at]! ^ (1 << Math.floor(random() * 8));
    }
    figures['bits flipped'] += bits;
    writeFileSync(join(copy, 'data.mdb'), bytes);
    const seen = join(folder, `seen${i}`);
    const reader = new Child('flagship/reader.child.js', [copy, seen, 'reader', 'numbers'], { limitMs: 15_000 });
    await reader.heard('reading');
    reader.send('drain');
    const { signal, errors } = await reader.ended;
    const verdict = checkLog([...readHistory(history), ...readHistory(seen)], sent);
    const isReported = /STOPLOG_/.test(errors);
    // A record that a reader did not reach is missing silently, unless the reader said why.
    const wrong = verdict.faults.filter(({ kind }) => !isReported || (kind !== 'unseen tail' && kind !== 'skipped'));
    faults.push(...wrong);
    if (isReported) figures.reported++;
    else if (signal !== null) faults.push({ kind: 'stuck', what: `copy ${i}: the reader ended by ${signal} ${errors}` });
    else if (verdict.polled < RECORDS && wrong.length === 0)
      faults.push({ kind: 'lost', what: `copy ${i}: ${verdict.polled} of ${RECORDS} records were read` });
    else figures.unharmed++;
    if (errors !== '' && signal === null && !/STOPLOG_/.test(errors)) faults.push({ kind: 'stuck', what: `an error without a name: ${errors.slice(0, 300)}` });
  }
  send(JSON.stringify(figures));
  return { faults, figures };
};
