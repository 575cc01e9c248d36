/**
 * S3: reads a store and its group's position from another process, while the flagship runs. watcher.child.js FOLDER
 *
 * The count of all records that a partition has processed equals, at any moment, the group's position there: a count between
 * two reads of the position is between the two. Prints `watching`; on any input `looked {…}`, and each `wrong …` before that.
 */
import { openPort, storeOf, topicOf } from '@stoplog/core/kit';
import { lmdb } from '@stoplog/core/lmdb';
import { numbers, PARTITIONS, perKey } from './flagship.pipeline.ts';

let isOver = false;
process.stdin.once('data', () => (isOver = true));
// The parent process is dead: this one would never be asked to end.
process.stdin.once('end', () => process.exit(1));
const never = new AbortController().signal;
const log = await openPort(lmdb(process.argv[2]!));
await log.ensure([topicOf(numbers).shape]);
const { name, version, fingerprint } = storeOf(perKey);
const parts = await Promise.all(
  Array.from({ length: PARTITIONS }, (_, partition) => log.store({ store: name, partition, group: 'flagship', version, fingerprint }, never)),
);
const isAt = async (partition: number): Promise<number> => {
  const [place] = await log.committed('flagship', [{ topic: 'numbers', partition }]);
  return Number(place!.offset);
};
const counted = (partition: number): number =>
  parts[partition]!.range({}, 1_000_000).reduce((sum, [, value]) => sum + Number(Buffer.from(value).toString()), 0);

const looked = { times: 0, moved: 0 };
const last = new Map<number, number>();
console.log('watching');
for (let partition = 0; !isOver; partition = (partition + 1) % PARTITIONS) {
  const before = await isAt(partition);
  const count = counted(partition);
  const after = await isAt(partition);
  if (count < before || count > after)
    console.log(`wrong: partition ${partition} was at ${before}, then its store had counted ${count}, then it was at ${after}`);
  looked.times++;
  if (count !== last.get(partition)) looked.moved++;
  last.set(partition, count);
  // Standard input is read between two looks.
  await new Promise((resolve) => setImmediate(resolve));
}
console.log(`looked ${JSON.stringify(looked)}`);
process.stdin.destroy();
await log[Symbol.asyncDispose]();
