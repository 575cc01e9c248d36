/**
 * Checks whether the committing member may move its positions: it must hold each partition in the epoch of the commit, and its read
 * must continue from the group's position, so that no record is skipped or processed twice.
 */
import { StoplogError } from '../../pure/errors.ts';
import { checkEpoch } from '../../pure/group/fence.ts';
import type { DecodedCommit } from '../layout/commit-bytes.ts';
import type { Env } from '../tables/env.ts';
import { sealedKey, type SealedMeta } from '../layout/meta.ts';
import { readEnds, readMeta, readName, readPosition } from '../tables/rows.ts';
import { readGroupRecord, readHeldEpoch } from './groups.ts';

export const checkMember = (env: Env, commit: DecodedCommit): void => {
  if (commit.groupId === 0) return;
  checkSeal(env, commit);
  for (const { topicId, partition, from } of commit.positions) {
    const held = readHeldEpoch(env, commit.groupId, topicId, partition);
    checkEpoch(commit.epoch, held, () => ({ place: { topic: readName(env, topicId), partition }, groupEpoch: readGroupRecord(env, commit.groupId).epoch }));
    const stands = readPosition(env, commit.groupId, topicId, partition) ?? firstPosition(from, readEnds(env, topicId, partition).start);
    if (stands !== from) {
      throw new StoplogError(
        'STOPLOG_FENCED',
        { epoch: commit.epoch, partition, from, stands },
        `this commit continues from offset ${from}, but the group is at ${stands}: another member, or an earlier incarnation of this one, was faster. Nothing of it was kept, and nothing needs to be done`,
      );
    }
  }
};

const checkSeal = (env: Env, { groupId, positions }: DecodedCommit): void => {
  const sealed = readMeta<SealedMeta>(env, sealedKey(groupId));
  if (sealed === undefined || Date.now() >= sealed.until) return;
  const place = positions.find(({ topicId }) => sealed.topics.includes(topicId));
  if (place === undefined) return;
  throw new StoplogError(
    'STOPLOG_FENCED',
    { topic: readName(env, place.topicId), partition: place.partition, until: sealed.until },
    `records of '${readName(env, place.topicId)}' are not processed for a moment, because rebuilt stores of this pipeline take over. Nothing was kept, and nothing needs to be done`,
  );
};

/** A group without a position begins at the start that it read; retention may have moved the start since. */
const firstPosition = (from: bigint, start: bigint): bigint => (from < start ? from : start);
