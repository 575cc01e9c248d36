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
  type Topic,
  type TopicSpec,
} from './pure/topic/topic.ts';
export { store, type Store } from './pure/store/store.ts';
export type { Sink, Source } from './pure/topic/edges.ts';
export { days, hours, minutes, seconds, type Millis } from './pure/time/duration.ts';
export { allHeaders, lastHeader, type Header, type LogRecord } from './pure/record/record.ts';
export type { CodecName } from './pure/schema/serde.ts';
export type { Reset } from './pure/log/reset.ts';
export { partitionOf } from './pure/topic/partitioner.ts';
export { isStoplogError, StoplogError, type StoplogCode } from './pure/errors.ts';
export type { LogRef, TopicPartition } from './port/log.ts';
export { openLog } from './shell/open.ts';
export type { PartitionLag } from './shell/lag.ts';
export type { Appended, AppendOptions, NewRecord } from './shell/appending.ts';
export type { ExpectedEnd } from './shell/expected-end.ts';
export type { Producer } from './shell/producer.ts';
export type { LogClient, ReadOptions } from './shell/client.ts';
