/**
 * A topic's settings as Kafka's configuration: cleanup, retention and timestamps of a declaration.
 *
 * The finer settings of retention and compaction (`forgetting`) are not mapped yet; the broker's own count.
 */
import type { TopicShape } from '@stoplog/core/port';

interface Config {
  readonly name: string;
  readonly value: string;
}

/** A batch may hold a record of 16 MiB and its key; the broker's own limit is 1 MiB. */
const MAX_BATCH: Config = { name: 'max.message.bytes', value: String(32 * 1024 * 1024) };
const FOREVER = '-1';
/** The broker would refuse a record that is an hour ahead of its clock. */
const ANY_TIME: Config = { name: 'message.timestamp.after.max.ms', value: String(2n ** 63n - 1n) };

export const configsOf = ({ cleanup, retentionMs, timestamps }: TopicShape): readonly Config[] => [
  { name: 'cleanup.policy', value: cleanup === 'delete' ? 'delete' : retentionMs === undefined ? 'compact' : 'compact,delete' },
  { name: 'retention.ms', value: retentionMs === undefined ? FOREVER : String(retentionMs) },
  { name: 'message.timestamp.type', value: timestamps === 'arrival' ? 'LogAppendTime' : 'CreateTime' },
  ANY_TIME,
  MAX_BATCH,
];
export const changelogConfigs = (): readonly Config[] => [{ name: 'cleanup.policy', value: 'compact' }, MAX_BATCH];
