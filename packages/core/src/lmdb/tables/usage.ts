/** The part of a data file that is in use, from LMDB's counts of its pages: no page is read. */
import { isStoplogError } from '../../pure/errors.ts';
import { prefixEnd, unseal } from '../layout/keyspace.ts';
import { fromBytes, TOPIC_PREFIX, type TopicMeta } from '../layout/meta.ts';
import type { PartitionUsage, Usage } from '../../port/usage.ts';
import { readEnds } from './rows.ts';
import { stats, statsOf, treesOf, type Env } from './env.ts';
import { pagesOf, usageOf } from './pages.ts';

export const usageOfEnv = (env: Env): Usage => {
  env.root.resetReadTxn();
  const { lastPageNumber, pageSize, free, root } = stats(env);
  const trees = treesOf(env).map((tree) => ({ name: tree.name, ...statsOf(tree) }));
  const tables = trees.map((tree) => ({ table: tree.name, entries: tree.entryCount, bytes: pagesOf(tree) * pageSize }));
  return { ...usageOf(lastPageNumber, pageSize, [...trees, free, root]), tables, partitions: partitionsOf(env) };
};

/** The bytes in use. */
export const liveBytes = (env: Env): number => {
  const { lastPageNumber, pageSize, free, root } = stats(env);
  return usageOf(lastPageNumber, pageSize, [...treesOf(env).map(statsOf), free, root]).liveBytes;
};

const partitionsOf = (env: Env): readonly PartitionUsage[] => {
  const topics = [...env.tables.meta.getRange({ start: TOPIC_PREFIX, end: prefixEnd(TOPIC_PREFIX) })].map(({ key, value }) =>
    fromBytes<TopicMeta>(unseal('meta', key, value)),
  );
  return topics.flatMap(({ id, shape }) =>
    Array.from({ length: shape.partitions }, (_, partition) => ({ topic: shape.name, partition, bytes: bytesIn(env, id, partition) })),
  );
};

const bytesIn = (env: Env, topicId: number, partition: number): number => {
  try {
    return readEnds(env, topicId, partition).bytes;
  } catch (error) {
    // The topic was deleted after its name was read.
    if (isStoplogError(error) && error.code === 'STOPLOG_TOPIC_UNKNOWN') return 0;
    throw error;
  }
};
