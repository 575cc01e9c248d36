/**
 * Changes one letter of one record in the data file, unnoticed by the log. A reader may complain, or not notice because the
 * records it reads are whole; it must not pass on a value that was never written, nor end early without an error.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPort } from '@stoplog/core/kit';
import { lmdb } from '@stoplog/core/lmdb';
import type { Fault } from '../checkers/fault.ts';
import { checkLog, type FinalTopic } from '../checkers/log-checker.ts';
import { readFinal } from '../flagship/final.ts';
import { produce } from '../flagship/producer.ts';
import { Child } from '../harness/child.ts';
import { readHistory, witness } from '../history/witness.ts';

export interface Damaged {
  readonly faults: readonly Fault[];
  readonly isReported: boolean;
}
const RECORDS = 300;
/** The mark is in the JSON of exactly one record. */
const MARK = '"key":"k123","n":0';

export const damage = async (folder: string, programs?: string): Promise<Damaged> => {
  const [data, history] = [join(folder, 'log'), join(folder, 'history')];
  await readFinal(data);
  const log = await openPort(lmdb(data));
  await produce(log, { process: 'producer', upTo: RECORDS, chunk: 50, write: witness(history) });
  await log[Symbol.asyncDispose]();
  const { topics } = await readFinal(data);
  const sent: ReadonlyMap<string, FinalTopic> = new Map([['numbers', topics.get('numbers')!]]);

  const file = join(data, 'data.mdb');
  const bytes = readFileSync(file);
  let marks = 0;
  for (let at = bytes.indexOf(MARK); at >= 0; at = bytes.indexOf(MARK, at + 1)) {
    bytes[at + MARK.length - 1] = '7'.charCodeAt(0);
    marks++;
  }
  if (marks === 0) throw new Error(`${MARK} is not in ${file}`);
  writeFileSync(file, bytes);

  const reader = new Child('flagship/reader.child.js', [data, history, 'reader', 'numbers'], {
    limitMs: 20_000,
    ...(programs === undefined ? {} : { programs }),
  });
  await reader.heard('reading');
  reader.send('drain');
  const { code, errors } = await reader.ended;
  return { faults: checkLog(readHistory(history), sent).faults, isReported: code !== 0 && errors.includes('STOPLOG_LOG_CORRUPT') };
};
