/**
 * F18: writes, and cleans all the while, until it is killed. cleaning.child.js FOLDER
 *
 * Prints `acknowledged TABLE RECENT`, the two ends, after each commit, and `cleaned` after each cleaning.
 */
import { BatchBuilder, openPort } from '@stoplog/core/kit';
import { loadTools } from '@stoplog/core/tools';
import { lmdb } from '@stoplog/core/lmdb';
import { recent, table, writtenAt } from './forgotten.ts';

const ref = lmdb(process.argv[2]!, { maintenance: { everyMs: Infinity, bytesPerSecond: 1e12 } });
const log = await openPort(ref);
const module = await loadTools(ref);
await log.ensure([table, recent]);
const ends = (
  await log.offsets(
    [table, recent].map(({ name: topic }) => ({ topic, partition: 0 })),
    'latest',
  )
).map(({ offset }) => Number(offset));

const write = async (): Promise<void> => {
  for (let n = 0; ; n++) {
    const count = 1 + (n % 5);
    const appends = [table, recent].map(({ name: topic }, i) => {
      const builder = new BatchBuilder();
      for (let at = ends[i]!; at < ends[i]! + count; at++) {
        const { key, value } = writtenAt(at);
        builder.append(key, value, 1_000);
      }
      return { topic, partition: 0, batch: builder.finish() };
    });
    await log.commit({ group: '', epoch: 0, appends, stores: [], positions: [] });
    for (const i of [0, 1]) ends[i]! += count;
    console.log(`acknowledged ${ends.join(' ')}`);
  }
};
void write();
for (;;) {
  await module.clean(log, { roll: true });
  console.log('cleaned');
}
