/**
 * F23: ten thousand partitions, and a thousand consumers of ten of them each. many.child.js FOLDER
 *
 * Each partition gets its records one after the other, so that a step whose cost grew with the open partitions would show in
 * the time of the last ones. Prints `report {…}`: ms for each quarter of the partitions, and the records that the consumers
 * got.
 */
import { openLog, topic } from '@stoplog/core';
import type { Commit } from '@stoplog/core/port';
import { openPort, RecordPacker, topicOf } from '@stoplog/core/kit';
import { lmdb } from '@stoplog/core/lmdb';
import { z } from 'zod';

const PARTITIONS = 10_000;
const CONSUMERS = 1_000;
const EACH = PARTITIONS / CONSUMERS;
/** Partitions of one commit. */
const AT_ONCE = 100;
const ROUNDS = 2;

const ref = lmdb(process.argv[2]!);
const wide = topic('wide', { key: z.string(), value: z.string(), partitions: PARTITIONS });
await using port = await openPort(ref);
await using log = await openLog(ref);
await port.ensure([topicOf(wide).shape]);

const oneIn = (partition: number, round: number): Commit['appends'][number] => {
  const packer = new RecordPacker('wide', 1);
  packer.add(Buffer.from(`"${partition}"`), Buffer.from(`"${round}"`), 0);
  return { ...packer.take()[0]!, partition };
};
const append = async (round: number): Promise<readonly number[]> => {
  const quarters: number[] = [];
  for (let at = 0; at < PARTITIONS; at += AT_ONCE) {
    const since = performance.now();
    const appends = Array.from({ length: AT_ONCE }, (_, i) => oneIn(at + i, round));
    await port.commit({ group: '', epoch: 0, appends, stores: [], positions: [] });
    const quarter = Math.floor((4 * at) / PARTITIONS);
    quarters[quarter] = (quarters[quarter] ?? 0) + performance.now() - since;
  }
  return quarters.map(Math.round);
};
/** Reads its partitions until all of them have their records; returns the number of unexpected ones. */
const consume = async (consumer: number): Promise<number> => {
  const due = new Map(Array.from({ length: EACH }, (_, i) => [consumer * EACH + i, 0]));
  let [left, wrong] = [EACH * ROUNDS, 0];
  for await (const batch of log.read(wide, { from: 'earliest', partitions: [...due.keys()] })) {
    for (const { key, value, partition } of batch) {
      if (key !== `${partition}` || value !== `${due.get(partition)}`) wrong++;
      due.set(partition, due.get(partition)! + 1);
      left--;
    }
    if (left <= 0) break;
  }
  return wrong;
};
const first = await append(0);
const since = performance.now();
const consumers = Promise.all(Array.from({ length: CONSUMERS }, (_, i) => consume(i)));
const second = await append(1);
const wrong = (await consumers).reduce((sum, n) => sum + n, 0);
const consumedMs = Math.round(performance.now() - since);
console.log(`report ${JSON.stringify({ records: PARTITIONS * ROUNDS, consumers: CONSUMERS, first, second, consumedMs, wrong })}`);
