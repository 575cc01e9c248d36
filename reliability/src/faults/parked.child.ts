/**
 * F18: a consumer in the middle of the records that are being deleted. parked.child.js FOLDER
 *
 * Reads both topics from their beginnings, a few records at a time and resting in between, again and again, through the
 * deaths of the writers. Prints `wrong …` for a record that differs from the one written at its offset. On any input, it
 * prints how many it `read`, and ends.
 */
import { openPort } from '@stoplog/core/kit';
import { lmdb } from '@stoplog/core/lmdb';
import { readOn, recent, table } from './forgotten.ts';

let isOver = false;
process.stdin.once('data', () => (isOver = true));
// The parent process is dead: this one would never be asked to end.
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
  // Long enough for a cleaning to go by: its position is deleted next.
  await new Promise((resolve) => setTimeout(resolve, 20));
}
console.log(`read ${read}`);
process.stdin.destroy();
await log[Symbol.asyncDispose]();
