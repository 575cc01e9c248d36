/**
 * All checks that may refuse a commit, in order. Nothing has been put when one of these throws, so the other commits of the
 * same transaction are kept.
 *
 *   1  the moves are well formed: a commit of a group names a position, a source stays at 0      STOPLOG_USAGE
 *   2  the actor's incarnation has had no commit refused                                         STOPLOG_FENCED
 *   3  the commit fits under the limit of the data file                                          STOPLOG_LOG_FULL
 *   4  each batch has a sound header                                                             STOPLOG_LOG_CORRUPT
 *   5  its producer is in its current epoch, and the batch's sequence is next                    STOPLOG_FENCED, STOPLOG_SEQUENCE
 *   6  its partition ends where the append expects                                               STOPLOG_END_MOVED
 *   7  the member has each partition assigned, in the epoch of the commit                        STOPLOG_FENCED
 *   8  each position continues from where the group is                                           STOPLOG_FENCED
 *
 * The first needs names and is called by the thread that makes the commit (`checkMoves` in `log.ts`); the writer knows numbers.
 * The sequence comes before the end: an append that is sent again is answered with its offset though the end has moved since.
 */
import { endMoved } from '../../pure/producer/refusals.ts';
import { stampTime } from '../../pure/record/arrival-time.ts';
import { inspectHeader, type BatchHeader } from '../../pure/record/batch.ts';
import type { DecodedCommit, IdAppend } from '../layout/commit-bytes.ts';
import type { Cleanups } from '../tables/cleanups.ts';
import type { Env } from '../tables/env.ts';
import type { EndsInTransaction } from './ends.ts';
import { checkMapLimit } from './map-limit.ts';
import { checkMember } from './membership.ts';
import { ProducersInCommit } from './producers.ts';
import type { RefusedIncarnations } from './refused-incarnations.ts';

export interface Admitted {
  readonly topicId: number;
  readonly partition: number;
  readonly batch: Uint8Array;
  readonly header: BatchHeader;
  /** The offset of a batch that was appended before; undefined for one to append. */
  readonly repeats: bigint | undefined;
}
export interface Admission {
  readonly appends: readonly Admitted[];
  /** The stamp that the ages of the appends are counted from, one for all of them. */
  readonly at: number;
  readonly producers: ProducersInCommit | undefined;
}
export interface Claimed {
  readonly commit: DecodedCommit;
  /** The incarnation of the actor that made the commit; undefined for an append from outside. */
  readonly incarnation: string | undefined;
}

export const admit = (env: Env, { commit, incarnation }: Claimed, refused: RefusedIncarnations, ends: EndsInTransaction, cleanups: Cleanups): Admission => {
  refused.check(incarnation);
  checkMapLimit(env, commit, ends);
  const admission = admitAppends(env, commit.appends, ends, cleanups);
  checkMember(env, commit);
  return admission;
};

const admitAppends = (env: Env, appends: readonly IdAppend[], ends: EndsInTransaction, cleanups: Cleanups): Admission => {
  const at = appends.length === 0 ? 0 : cleanups.times.stamp();
  const wall = appends.length === 0 ? 0 : cleanups.times.wall();
  const producers = appends.some(({ producer }) => producer !== undefined) ? new ProducersInCommit(env, cleanups) : undefined;
  /** The ends of partitions after the earlier appends of this commit. */
  const moved = new Map<string, bigint>();
  return {
    at,
    producers,
    appends: appends.map((append) => {
      const { topicId, partition, expectedEnd } = append;
      let { batch } = append;
      let header = inspectHeader(batch);
      const count = header.lastOffsetDelta + 1;
      const { end } = ends.get(topicId, partition);
      if (producers !== undefined) {
        const name = `${topicId}:${partition}`;
        const base = moved.get(name) ?? end;
        const repeats = producers.arrive(append, count, base);
        if (repeats !== undefined) return { topicId, partition, batch, header, repeats };
        moved.set(name, base + BigInt(count));
      }
      if (expectedEnd !== undefined && end !== expectedEnd)
        throw endMoved({ topic: cleanups.nameOf(topicId) ?? `topic ${topicId}`, partition }, expectedEnd, end);
      if (cleanups.stampsArrival(topicId)) {
        batch = stampTime(batch, wall);
        header = inspectHeader(batch);
      }
      return { topicId, partition, batch, header, repeats: undefined };
    }),
  };
};
