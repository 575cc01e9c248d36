/**
 * L6: writes records of few keys, tombstones among them, compacts in between, and ends. survivors.child.js FOLDER
 *
 * Prints `cleaned` after each cleaning.
 */
import { BatchBuilder, openPort } from '@stoplog/core/kit';
import { loadTools } from '@stoplog/core/tools';
import { lmdb } from '@stoplog/core/lmdb';
import { writtenAt } from './forgotten.ts';
import { kept } from './survivors.ts';

const COMMITS = 200;
const CLEANINGS = 4;

const ref = lmdb(process.argv[2]!, { maintenance: { everyMs: Infinity, bytesPerSecond: 1e12 } });
const log = await openPort(ref);
const module = await loadTools(ref);
await log.ensure([kept]);
for (let [n, end] = [1, 0]; n <= COMMITS; n++) {
  const builder = new BatchBuilder();
  for (const until = end + 1 + (n % 5); end < until; end++) {
    const { key, value } = writtenAt(end);
    builder.append(key, value, 1_000);
  }
  await log.commit({ group: '', epoch: 0, appends: [{ topic: kept.name, partition: 0, batch: builder.finish() }], stores: [], positions: [] });
  if (n % (COMMITS / CLEANINGS) !== 0) continue;
  await module.clean(log, { roll: true });
  console.log('cleaned');
}
await log[Symbol.asyncDispose]();
