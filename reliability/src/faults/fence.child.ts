/**
 * Commits of a former owner, and commits from another position than the group's.
 *
 *   fence.child.js FOLDER HISTORY
 */
import type { Commit } from '@stoplog/core/port';
import { encodeKey, encodeValue, openPort, RecordPacker, topicOf } from '@stoplog/core/kit';
import { lmdb } from '@stoplog/core/lmdb';
import { numbers } from '../flagship/flagship.pipeline.ts';
import { witness } from '../history/witness.ts';

const [folder, history] = process.argv.slice(2) as [string, string];
const write = witness(history);
const log = await openPort(lmdb(folder));
const topic = topicOf(numbers);
await log.ensure([topic.shape]);
const packer = new RecordPacker(topic.name, 1);
for (let n = 0; n < 10; n++) packer.add(encodeKey(topic, 'k'), encodeValue(topic, { key: 'k', n }), n);
await log.commit({ group: '', epoch: 0, appends: packer.take(), stores: [], positions: [] });

const partition = { topic: topic.name, partition: 0 };
/** Joins the group, commits, and leaves; returns the epoch it had. */
const owning = async (work: (epoch: number) => Promise<void>): Promise<number> => {
  const leave = new AbortController();
  for await (const { partitions } of log.join('fenced', { units: [[partition]] }, leave.signal)) {
    const [holding] = partitions;
    if (holding === undefined) continue;
    await work(holding.epoch);
    leave.abort();
    return holding.epoch;
  }
  throw new Error('the group was assigned to no member');
};
const commit = async (what: string, stale: boolean, parts: Pick<Commit, 'epoch' | 'positions'>): Promise<void> => {
  try {
    await log.commit({ group: 'fenced', appends: [], stores: [], ...parts });
    write({ type: 'ok', op: 'commit', process: 'member', what, stale });
  } catch (error) {
    write({ type: 'fail', op: 'commit', process: 'member', what, stale, reason: (error as { readonly code: string }).code });
  }
};
const move = (from: bigint, to: bigint): Commit['positions'] => [{ ...partition, from, to }];
const first = await owning(async (epoch) => {
  await commit('from the start', false, { epoch, positions: move(0n, 3n) });
  await commit('from the start again', true, { epoch, positions: move(0n, 5n) });
});
await owning(async (epoch) => {
  await commit('in the epoch of an owner that was', true, { epoch: first, positions: move(3n, 4n) });
  await commit('in the epoch of today', false, { epoch, positions: move(3n, 4n) });
});
await log[Symbol.asyncDispose]();
