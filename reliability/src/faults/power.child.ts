/** Sends a few records, and writes every acknowledgement to a file: recorded under strace for crash images. */
import { openPort } from '@stoplog/core/kit';
import { lmdb } from '@stoplog/core/lmdb';
import { produce } from '../flagship/producer.ts';
import { witness } from '../history/witness.ts';

const [folder, history, records] = process.argv.slice(2) as [string, string, string];
const log = await openPort(lmdb(folder));
await produce(log, { process: 'producer', upTo: Number(records), chunk: 20, write: witness(history) });
await log[Symbol.asyncDispose]();
