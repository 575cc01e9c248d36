/**
 * F18: a consumer that stands in the middle of what is being forgotten.   parked.child.js FOLDER
 *
 * Reads both topics from their beginnings, a few records at a time and resting in between, over and over, through the deaths of whoever
 * writes. Says `wrong …` of a record that is not what was written at its offset. Told anything, it says how many it `read`, and ends.
 */
import { openPort } from '@stoplog/core/kit';
import { lmdb } from '@stoplog/core/lmdb';
import { readOn, recent, table } from './forgotten.ts';

let isOver = false;
process.stdin.once('data', () => (isOver = true));
// Whoever started it is dead: nobody will tell it to end.
process.stdin.once('end', () => process.exit(1));
const log = await openPort(lmdb(process.argv[2]!));
await log.ensure([table, recent]);
console.log('reading');
let read = 0;
for (let from = [0n, 0n]; !isOver;) {
  for (const [i, { name }] of [table, recent].entries()) {
    const { next, seen, wrong } = await readOn(log, name, from[i]!);
    for (const what of wrong) console.log(`wrong ${what}`);
    read += seen.length;
    from = from.with(i, next === from[i] ? 0n : next);
  }
  // Long enough for a cleaning to go by: where it stands is what is forgotten next.
  await new Promise((resolve) => setTimeout(resolve, 20));
}
console.log(`read ${read}`);
process.stdin.destroy();
await log[Symbol.asyncDispose]();
