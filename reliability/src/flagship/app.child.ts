/**
 * Runs the flagship once: runs the pipeline and sends records until the log holds UP_TO of them, then settles.
 *
 *   app.child.js FOLDER HISTORY NAME UP_TO CHUNK STAY
 *
 * Prints running, produced, settled, ended. With STAY=stay it waits to be killed, with asked for a line on standard input,
 * otherwise it closes and ends; with closing it does not settle before. A refused record is reported (refused CODE); a line on standard input lets the program continue.
 * With CAREFUL=yes there is one commit in flight at a time, so that the records after a refused one have not been sent yet.
 */
import { once } from 'node:events';
import { seconds } from '@stoplog/core';
import { openPort } from '@stoplog/core/kit';
import { lmdb } from '@stoplog/core/lmdb';
import { run } from '@stoplog/runtime';
import { moment, witness } from '../history/witness.ts';
import { produce } from './producer.ts';

const [folder, history, name, upTo, chunk, stay] = process.argv.slice(2) as [string, string, string, string, string, string | undefined];
const write = witness(history);
const mark = (op: 'start' | 'settled', what: string): void => write({ type: 'info', op, process: name, what, at: moment() });

mark('start', `${name} begins`);
const { HANG_AFTER_MS, HEAP_MB } = process.env;
const app = await run(new URL('./flagship.pipeline.js', import.meta.url), {
  log: lmdb(folder),
  threads: 2,
  logger: 'none',
  ...(HANG_AFTER_MS === undefined ? {} : { hangAfter: seconds(Number(HANG_AFTER_MS) / 1_000) }),
  ...(HEAP_MB === undefined ? {} : { heapMb: Number(HEAP_MB) }),
});
console.log('running');
const log = await openPort(lmdb(folder));
const most = process.env['CAREFUL'] === 'yes' ? { most: 1 } : {};
for (let isDone = false; !isDone;) {
  try {
    await produce(log, { process: name, upTo: Number(upTo), chunk: Number(chunk), write, ...most });
    isDone = true;
  } catch (error) {
    console.log(`refused ${(error as { readonly code?: string }).code ?? String(error)}`);
    await once(process.stdin, 'data');
    write({ type: 'info', op: 'fault', process: name, what: 'goes on after a refusal', at: moment() });
    console.log('going on');
  }
}
console.log('produced');
if (stay !== 'closing') {
  await app.settled();
  mark('settled', `${name} has settled`);
  console.log('settled');
}
if (stay === 'asked') await once(process.stdin, 'data');
process.stdin.destroy();
if (stay === 'stay') setInterval(() => {}, 60_000);
else {
  await log[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
  console.log('ended');
}
