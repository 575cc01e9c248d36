/** How much of a data file is in use, as LMDB counts its pages: nothing of it is read through. */
import { isStoplogError } from '../../pure/errors.ts';
import { TABLES } from '../../pure/log/keyspace.ts';
import { prefixEnd, unseal } from '../../pure/log/keyspace.ts';
import { fromBytes, TOPIC_PREFIX, type TopicMeta } from '../../pure/log/meta.ts';
import { pagesOf, usageOf, type PartitionUsage, type Usage } from '../../pure/log/usage.ts';
import { readEnds } from './apply.ts';
import { stats, statsOf, type Env } from './env.ts';

export const usageOfEnv = (env: Env): Usage => {
  env.root.resetReadTxn();
  const { lastPageNumber, pageSize, free, root } = stats(env);
  const trees = TABLES.map((table) => ({ table, ...statsOf(env.tables[table]) }));
  const tables = trees.map((tree) => ({ table: tree.table, entries: tree.entryCount, bytes: pagesOf(tree) * pageSize }));
  return { ...usageOf(lastPageNumber, pageSize, [...trees, free, root]), tables, partitions: partitionsOf(env) };
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
    // Deleted since its name was read.
    if (isStoplogError(error) && error.code === 'STOPLOG_TOPIC_UNKNOWN') return 0;
    throw error;
  }
};
