/**
 * F17: many threads of one process read to the end while it appends. reading-threads.child.js FOLDER HISTORY THREADS UP_TO
 *
 * Prints reading and produced. On any input, its readers read on to the end as it is then; the process ends when they have,
 * with 1 if one has failed.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { BatchBuilder, openPort } from '@stoplog/core/kit';
import { lmdb } from '@stoplog/core/lmdb';
import { produce } from '../flagship/producer.ts';
import { witness } from '../history/witness.ts';
import { recent } from './forgotten.ts';

const SLICES = 120;
const BALLAST = 2_000_000;

const [folder, history, threads, upTo] = process.argv.slice(2) as [string, string, string, string];
const reader = new URL('../flagship/reader.child.js', import.meta.url);
const readers = Array.from({ length: Number(threads) }, (_, i) => {
  const worker = new Worker(reader, { argv: [folder, history, `thread${i}`, 'numbers', 'copies'], stdin: true, stdout: true });
  return { worker, ended: once(worker, 'exit') as Promise<[code: number]> };
});
await Promise.all(readers.map(({ worker }) => once(worker.stdout, 'data')));
console.log('reading');
const log = await openPort(lmdb(folder));
// Records that make the file grow, and are never read.
await log.ensure([{ ...recent, name: 'ballast', forgetting: {} }]);
const write = witness(history);
for (let i = 1; i <= SLICES; i++) {
  const builder = new BatchBuilder();
  builder.append(null, new Uint8Array(BALLAST), 0);
  const ballast = log.commit({ group: '', epoch: 0, appends: [{ topic: 'ballast', partition: 0, batch: builder.finish() }], stores: [], positions: [] });
  await produce(log, { process: 'outside', upTo: Math.ceil((Number(upTo) * i) / SLICES), chunk: 500, write });
  await ballast;
}
console.log('produced');
await once(process.stdin, 'data');
process.stdin.destroy();
for (const { worker } of readers) worker.stdin!.write('drain\n');
const codes = (await Promise.all(readers.map(({ ended }) => ended))).map(([code]) => code);
await log[Symbol.asyncDispose]();
process.exitCode = Math.max(...codes);
