/**
 * `@stoplog/core`: topics and stores as values, and a log to append to and read from.
 */
export {
  compactedTopic,
  topic,
  type CompactedTopic,
  type CompactedTopicSpec,
  type Origin,
  type Parses,
  type Target,
  type DeclaredTopic,
  type Topic,
  type TopicSpec,
} from './pure/topic/topic.ts';
export { store, type Store } from './pure/store/store.ts';
export type { ByteSource, Sink, Source, ValueSource } from './pure/topic/edges.ts';
export { days, hours, minutes, seconds, type Millis } from './pure/time/duration.ts';
export { allHeaders, lastHeader, type Header, type LogRecord } from './pure/record/record.ts';
export type { CodecName } from './pure/schema/serde.ts';
export type { Reset } from './pure/record/auto-offset-reset.ts';
export { partitionOf } from './pure/topic/partitioner.ts';
export { isStoplogError, StoplogError, type StoplogCode } from './pure/errors.ts';
export type { Capability, LogRef } from './port/log-module.ts';
export type { QueueLoad, TopicPartition } from './port/log.ts';
export { openLog } from './client/open.ts';
export type { PartitionLag } from './client/lag.ts';
export type { Appended, AppendOptions, NewRecord, NumberedAppendOptions } from './client/appending.ts';
export type { Pressure } from './client/credit.ts';
export type { ExpectedEnd } from './client/expected-end.ts';
export type { Producer } from './client/producer.ts';
export type { LogClient, NumberedClient, ReadOptions } from './client/client.ts';
