/**
 * `@stoplog/core/port`: the contract between a runtime and a log, a source or a sink. Types only.
 */
export type {
  Append,
  Assignment,
  Commit,
  Committed,
  Epoch,
  GroupId,
  AssignedPartition,
  Log,
  Membership,
  OffsetAt,
  Position,
  PositionMove,
  RecordBatch,
  StoreWrites,
  TopicName,
  TopicPartition,
  TopicUse,
} from './log.ts';
export type { Capability, LogLink, LogModule, LogRef } from './log-module.ts';
export type { NumberedAppend, NumberedCommit, NumberedLog, ProducerIncarnation, ProducerStamp } from './numbered-log.ts';
export type { StateStore, StorePart } from './state-store.ts';
export type { Arrival, ArrivalBatch, PullLimit, RawArrival, SourceReader, SourceStart } from './source.ts';
export type { SinkBatch, SinkRecord, SinkStart, SinkWriter } from './sink.ts';
export type { ByteSource, Sink, Source, ValueSource } from '../pure/topic/edges.ts';
export type { TopicShape } from '../pure/topic/shape.ts';
export type { RecordCursor } from '../pure/record/record-cursor.ts';
