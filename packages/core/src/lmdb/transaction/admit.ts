/**
 * Looks at what a commit appends, before its first put: is it sound, was it appended before, does the partition end where
 * it was expected to, and what time is it. What is refused here has left nothing behind.
 */
import type { IdAppend } from '../layout/commit-bytes.ts';
import { endMoved } from '../../pure/producer/refusals.ts';
import { stampTime } from '../../pure/record/arrival-time.ts';
import { inspectHeader, type BatchHeader } from '../../pure/record/batch.ts';
import type { EndsInTransaction } from './apply.ts';
import type { Cleanups } from '../cleaner/cleanups.ts';
import type { Env } from '../tables/env.ts';
import { ProducersInCommit } from './producers.ts';

export interface Admitted {
  readonly topicId: number;
  readonly partition: number;
  readonly batch: Uint8Array;
  readonly header: BatchHeader;
  /** The offset it has already; undefined when it is to be appended. */
  readonly repeats: bigint | undefined;
}
export interface Admission {
  readonly appends: readonly Admitted[];
  /** When: the stamp that their ages are counted from, once for all of them. */
  readonly at: number;
  readonly producers: ProducersInCommit | undefined;
}

export const admit = (env: Env, appends: readonly IdAppend[], ends: EndsInTransaction, cleanups: Cleanups): Admission => {
  const at = appends.length === 0 ? 0 : cleanups.times.stamp();
  const wall = appends.length === 0 ? 0 : cleanups.times.wall();
  const producers = appends.some(({ producer }) => producer !== undefined) ? new ProducersInCommit(env, cleanups) : undefined;
  /** How far what came before in this commit has moved the ends of its partitions. */
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
