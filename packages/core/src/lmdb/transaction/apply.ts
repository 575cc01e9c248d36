/**
 * Puts an admitted commit, inside a write transaction, in the writer thread. `admit` has checked the whole commit before;
 * an error here rolls the whole transaction back.
 */
import { failpoint } from '../../failpoints/failpoint.ts';
import { stampBatch } from '../../pure/record/batch.ts';
import { emptySegment, grow, isFull, type Arriving } from '../../pure/retention/segment.ts';
import type { DecodedCommit } from '../layout/commit-bytes.ts';
import { batchKey, encodeOffset, encodeSegment, positionKey, timeKey } from '../layout/keyspace.ts';
import type { Cleanups } from '../tables/cleanups.ts';
import type { Env } from '../tables/env.ts';
import { put, putRaw } from '../tables/sealed.ts';
import type { Admission } from './admit.ts';
import type { EndsInTransaction } from './ends.ts';

const changesNothing = ({ appends, entries, positions }: DecodedCommit): boolean =>
  appends.length === 0 && entries.length === 0 && positions.every(({ from, to }) => from === to);

/** Applies one commit, whose appends were admitted; returns the base offset of each. */
export const applyCommit = (
  env: Env,
  commit: DecodedCommit,
  { appends, at, producers }: Admission,
  ends: EndsInTransaction,
  cleanups: Cleanups,
): readonly bigint[] => {
  const offsets = appends.map(({ topicId, partition, batch, header, repeats }) => {
    if (repeats !== undefined) return repeats;
    const before = ends.get(topicId, partition);
    const baseOffset = before.end;
    stampBatch(batch, { topicId, partition, baseOffset });
    putRaw(env, 'log', batchKey(topicId, partition, baseOffset), batch as Buffer);
    if (header.maxTimestamp > before.maxTimestamp) {
      const key = timeKey(topicId, partition, header.maxTimestamp);
      put(env, 'times', key, encodeOffset(baseOffset));
    }
    const end = baseOffset + BigInt(header.lastOffsetDelta) + 1n;
    const arriving: Arriving = { next: end, bytes: batch.length, baseTimestamp: header.baseTimestamp, maxTimestamp: header.maxTimestamp, at };
    let { active } = before;
    if (isFull(active, arriving, cleanups.of(topicId))) {
      put(env, 'segments', batchKey(topicId, partition, active.base), encodeSegment(active));
      active = emptySegment(baseOffset);
    }
    ends.set(topicId, partition, {
      start: before.start,
      end,
      maxTimestamp: Math.max(before.maxTimestamp, header.maxTimestamp),
      bytes: before.bytes + batch.length,
      cleanTo: before.cleanTo,
      active: grow(active, arriving),
    });
    return baseOffset;
  });
  const stores = env.tables.stores;
  for (let i = 0; i < commit.entries.length; i += 2) {
    const key = commit.entries[i]!;
    const value = commit.entries[i + 1];
    if (value) putRaw(env, 'stores', key, value);
    else stores.removeSync(key);
  }
  for (const move of commit.positions) {
    // Compared, like every move, but not written: a group that never moved starts from 'earliest', as of that time. A commit
    // that changes nothing else writes it, so that its flush makes all earlier visible commits durable, including other processes'.
    if (move.from === move.to && !changesNothing(commit)) continue;
    put(env, 'positions', positionKey(commit.groupId, move.topicId, move.partition), encodeOffset(move.to));
  }
  producers?.write();
  failpoint(commit.groupId === 0 ? 'append.written' : 'commit.written');
  return offsets;
};
