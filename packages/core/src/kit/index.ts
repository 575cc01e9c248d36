/**
 * `@stoplog/core/kit`: the common parts of a runtime, a log and a connector: batches, serdes, packing, parsing, the machine of
 * groups, and the client over any log. Both sides must agree in these, so there is one of each. Not for programs.
 */
export { asError, assert, errorFromData, errorToData, type ErrorData } from '../pure/errors.ts';
export { checkSettings, type Known } from '../pure/settings.ts';
export { onAbort } from '../pure/on-abort.ts';
export { checkName } from '../pure/topic/name.ts';
export { BatchBuilder, checkBatchShape, MAX_RECORD_BYTES, MAX_STORE_KEY_BYTES, openBatch, stampBatch } from '../pure/record/batch.ts';
export { LazyRecord, NO_HEADERS } from '../pure/record/record.ts';
export { RecordsView, type ViewedRecord } from '../pure/record/records-view.ts';
export { canonicalJson } from '../pure/bytes/canonical.ts';
export { compareBytes, decodeSortKey, encodeSortKey } from '../pure/bytes/sort-key.ts';
export { RecordPacker, type PackedBatch } from '../pure/topic/packer.ts';
export { encodeKey, encodeValue, parseKey, parseValue } from '../pure/topic/parse-record.ts';
export { shapeDifference } from '../pure/topic/shape.ts';
export { checkWrites, type Writes } from '../pure/topic/writes.ts';
export { topicOf, type AnyTopic } from '../pure/topic/topic.ts';
export { notesPart } from '../pure/store/notes.ts';
export { partsOfShadow, rebuildTag, shadowName, storesOfTag, type StoreVersion } from '../pure/store/shadow.ts';
export { storeOf, type AnyStore } from '../pure/store/store.ts';
export { checkWritten, takesItsOutput } from '../pure/schema/written.ts';
export { serdeOf, type Encoded, type Serde } from '../pure/schema/serde.ts';
export type { GroupEffect } from '../pure/group/change.ts';
export { step as groupStep, type GroupEvent } from '../pure/group/coordinator.ts';
export { checkEpoch, checkMoves } from '../pure/group/fence.ts';
export { EMPTY_GROUP, assignmentsOf, type GroupState, type Member as GroupMemberState } from '../pure/group/group-state.ts';
export { checkMembership, keepsWithout, nextAction, replacedError, type MemberStatus } from '../pure/group/member.ts';
export { isSource, partitionName, sourcePartition } from '../pure/group/group-partition.ts';
export { heartbeatMs, SESSION_MS } from '../pure/group/session.ts';
export { drainSeconds, ratesBetween } from '../pure/group/lag.ts';
export { besideModule } from '../client/bundled.ts';
export { fetchOrReset } from '../client/fetch-or-reset.ts';
export { makeClient } from '../client/client.ts';
export { readLag } from '../client/lag.ts';
export { shadowRef } from '../client/shadow/index.ts';
export { checkLogRef, loadLogModule, openPort } from '../client/open.ts';
