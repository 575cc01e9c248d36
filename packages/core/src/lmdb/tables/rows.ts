/**
 * Rows of the log as values, read by their numbers: the ends of a partition, the position of a group, an entry of the meta table.
 */
import { StoplogError } from '../../pure/errors.ts';
import { NO_ENDS, decodeEnds, decodeOffset, partitionKey, positionKey, prefixEnd, unseal, type Ends } from '../layout/keyspace.ts';
import { fromBytes, SOURCE_PREFIX, toBytes, TOPIC_PREFIX, type TopicMeta } from '../layout/meta.ts';
import type { Env } from './env.ts';
import { put, read } from './sealed.ts';

export const readEnds = (env: Env, topicId: number, partition: number): Ends => {
  const key = partitionKey(topicId, partition);
  const bytes = read(env, 'ends', key);
  if (bytes === undefined) {
    if (!hasBatches(env, key)) return NO_ENDS;
    // The first append may have come between the two looks.
    return endsIn(partition, read(env, 'ends', key) ?? failHidden(topicId, partition));
  }
  return endsIn(partition, bytes);
};
const endsIn = (partition: number, bytes: Uint8Array): Ends => {
  if (bytes.length === 0)
    throw new StoplogError(
      'STOPLOG_TOPIC_UNKNOWN',
      { partition },
      'this topic was deleted after the log had been opened: nothing was read or kept. Open the log again; a topic that was made anew under the name is seen then',
    );
  return decodeEnds(bytes);
};
const hasBatches = (env: Env, prefix: Buffer): boolean => {
  for (const _ of env.tables.log.getKeys({ start: prefix, end: prefixEnd(prefix), limit: 1, snapshot: false })) return true;
  return false;
};
/** Without its ends a partition would look empty, and assign its offsets again. */
const failHidden = (topicId: number, partition: number): never => {
  throw new StoplogError(
    'STOPLOG_LOG_CORRUPT',
    { table: 'ends', partition, reason: 'missing' },
    `partition ${partition} of topic number ${topicId} has batches, and its ends cannot be found: the disk or a foreign program changed the data file. Nothing was read or kept; restore the folder from a backup, or keep the rest with 'stoplog repair'`,
  );
};
/** The group's position; undefined when the group never committed there. */
export const readPosition = (env: Env, groupId: number, topicId: number, partition: number): bigint | undefined => {
  const bytes = read(env, 'positions', positionKey(groupId, topicId, partition));
  return bytes === undefined ? undefined : decodeOffset(bytes);
};

export const readMeta = <T>(env: Env, key: Buffer): T | undefined => {
  const bytes = read(env, 'meta', key);
  return bytes === undefined ? undefined : fromBytes<T>(bytes);
};

export const putMeta = (env: Env, key: Buffer, value: unknown): void => put(env, 'meta', key, toBytes(value));

/** The name of a topic or source, for an error: a scan of the meta table. */
export const readName = (env: Env, topicId: number): string => {
  for (const { key, value } of env.tables.meta.getRange({ start: SOURCE_PREFIX, end: prefixEnd(TOPIC_PREFIX), snapshot: false })) {
    const name = key.toString();
    if (fromBytes<Partial<TopicMeta>>(unseal('meta', key, value)).id === topicId) return name.startsWith('topic:') ? name.slice('topic:'.length) : name;
  }
  return `topic ${topicId}`;
};
