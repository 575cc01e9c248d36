/**
 * `@stoplog/core/port`: what a keeper of logs and a runtime need, and nobody else: the port itself, and the pure pieces
 * in which both sides must agree (batches, serdes, partitions, sort keys).
 */
export type {
  Append,
  Assignment,
  Cleaned,
  CleanOptions,
  Commit,
  Committed,
  Epoch,
  GroupId,
  Holding,
  Log,
  LogLink,
  LogModule,
  LogRef,
  Membership,
  OffsetAt,
  Position,
  PositionMove,
  ProducerLife,
  ProducerStamp,
  RecordBatch,
  StoreWrites,
  TopicName,
  TopicPartition,
} from './log.ts';
export type {
  Administration,
  Backup,
  CleaningFailure,
  CleaningStanding,
  GroupMember,
  GroupStanding,
  LastCleaning,
  Restored,
  Shrunk,
} from './administration.ts';
export type { Progress, Watch } from './watch.ts';
export type { PartitionUsage, TableUsage, Usage } from './usage.ts';
export type { CheckOptions, CheckReport, Inspection, InspectionProgress, RepairedPartition, RepairedStore, RepairOptions, RepairReport } from './inspection.ts';
export { isDamage, placeText, type Finding } from '../pure/log/finding.ts';
export type { StateStore, StorePart } from './state-store.ts';
export type { Arrival, ArrivalBatch, SourceReader } from './source.ts';
export {
  BatchBuilder,
  BatchView,
  checkBatchShape,
  HEADER_SIZE,
  inspectHeader,
  MAX_KEY_BYTES,
  MAX_RECORD_BYTES,
  MAX_STORE_KEY_BYTES,
  openBatch,
  stampBatch,
} from '../pure/record/batch.ts';
export { stampTime } from '../pure/record/arrival-time.ts';
export { allHeaders, lastHeader, LazyRecord, NO_HEADERS, type Header, type LogRecord } from '../pure/record/record.ts';
export { canonicalJson } from '../pure/bytes/canonical.ts';
export { compareBytes, decodeSortKey, encodeSortKey } from '../pure/bytes/sort-key.ts';
export { BATCH_BYTES, RecordPacker, type PackedBatch } from '../pure/topic/packer.ts';
export { encodeKey, encodeValue, parseKey, parseRecord, parseValue } from '../pure/topic/parse-record.ts';
export { partitionOf } from '../pure/topic/partitioner.ts';
export { shapeDifference, type TopicShape } from '../pure/topic/shape.ts';
export { cleanupOf, type Cleanup } from '../pure/retention/cleanup.ts';
export { forgettingOf, type ForgettingSpec } from '../pure/topic/forgetting.ts';
export { topicFromShape } from '../pure/topic/topic-from-shape.ts';
export { topicOf, type AnyTopic, type Origin, type Parses, type Target } from '../pure/topic/topic.ts';
export { storeOf, type AnyStore, type Store } from '../pure/store/store.ts';
export { serdeOf, type CodecName, type Encoded, type Serde } from '../pure/schema/serde.ts';
export { fingerprintOf } from '../pure/schema/fingerprint.ts';
export { asError, assert, errorFromData, errorToData, isStoplogError, StoplogError, type ErrorData, type Facts, type StoplogCode } from '../pure/errors.ts';
export { checkName } from '../pure/topic/name.ts';
export { checkSettings, type Known } from '../pure/settings.ts';
export type { GroupEffect } from '../pure/group/change.ts';
export { step as groupStep, type GroupEvent } from '../pure/group/coordinator.ts';
export { EMPTY_GROUP, standingOf, type GroupState, type Member as GroupMemberState } from '../pure/group/group-state.ts';
export { checkMembership, keepsWithout, nextAction, type Standing } from '../pure/group/member.ts';
export { isSource, placeName, sourcePlace } from '../pure/group/place.ts';
export { beatMs, SESSION_MS, step as sessionStep, type Watching } from '../pure/group/session.ts';
export { occupantText, occupiedError } from '../pure/group/occupied.ts';
export { ageOf, drainSeconds, ratesBetween, readsFrom, recordsBehind, type Behind } from '../pure/group/lag.ts';
export { parsePositions, planReset, positionsText, type FilePosition, type ResetLine, type ResetPlace, type ResetTarget } from '../pure/group/reset.ts';
export type { Sink, Source } from '../pure/topic/edges.ts';
export type { Reset } from '../pure/record/auto-offset-reset.ts';
export { fetchOrReset } from '../client/fetch-or-reset.ts';
export type { Millis } from '../pure/time/duration.ts';
export { makeClient, type LogClient } from '../client/client.ts';
export { readLag, type PartitionLag } from '../client/lag.ts';
export { loadLogModule, openPort } from '../client/open.ts';
export { failpoint, FAILPOINTS, parseFailpoints, type Failpoint } from '../failpoints/failpoint.ts';
