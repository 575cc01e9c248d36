/**
 * The rows of a group in the `groups` table: several pieces, so that a frequent change rewrites a small one.
 *
 *   key                                        value
 *   group u32                                  JSON: epoch, version, the number for the next member, the members
 *   group u32 · 1 · member u32                 heartbeats u64, wall clock of the last f64: all that a heartbeat writes
 *   group u32 · 2 · member u32                 JSON: the units that it declared, [topic, partition] in each
 *   group u32 · 3 · topic u32 · partition u32  epoch f64, member u32, revoking u8: all that a commit reads
 *
 * `version` grows with every change but a heartbeat: a waiter for the group compares one number.
 */
import type { GroupState, Member } from '../../pure/group/group-state.ts';
import { partitionName, type Unit } from '../../pure/group/group-partition.ts';
import { fromBytes, toBytes } from './meta.ts';

/** A member in the row of the group's own key. */
export interface Listed {
  /** The member's number in keys; assigned once in a group. */
  readonly number: number;
  readonly id: string;
  readonly instanceId?: string;
  readonly pid: number;
  /** When the process started, as the system counts, and the namespace of its pid: tells a reused pid from the old one. */
  readonly started: string;
  /** By the member's wall clock: shown to people, and compared with nothing. */
  readonly since: number;
  readonly sessionMs: number;
  readonly away: boolean;
}
export interface GroupRecord {
  readonly epoch: number;
  readonly version: number;
  readonly next: number;
  readonly members: readonly Listed[];
}
export interface KeptMember extends Member, Listed {
  readonly instanceId?: string;
  readonly beatAt: number;
}
export interface KeptGroup {
  readonly record: GroupRecord;
  readonly state: GroupState<KeptMember>;
}
export const NO_GROUP: GroupRecord = { epoch: 0, version: 0, next: 1, members: [] };

export const encodeGroup = (record: GroupRecord): Buffer => toBytes(record);
export const decodeGroup = (bytes: Uint8Array): GroupRecord => fromBytes(bytes);

export const listed = ({ number, id, instanceId, pid, started, since, sessionMs, away }: KeptMember): Listed => ({
  number,
  id,
  ...(instanceId === undefined ? {} : { instanceId }),
  pid,
  started,
  since,
  sessionMs,
  away,
});

const BEAT = 1;
const UNITS = 2;
const HELD = 3;
const memberKey = (groupId: number, kind: number, member: number): Buffer => {
  const key = Buffer.allocUnsafe(9);
  key.writeUInt32BE(groupId, 0);
  key.writeUInt8(kind, 4);
  key.writeUInt32BE(member, 5);
  return key;
};
export const heartbeatKey = (groupId: number, member: number): Buffer => memberKey(groupId, BEAT, member);
export const unitsKey = (groupId: number, member: number): Buffer => memberKey(groupId, UNITS, member);
export const heldKey = (groupId: number, topicId: number, partition: number): Buffer => {
  const key = Buffer.allocUnsafe(13);
  key.writeUInt32BE(groupId, 0);
  key.writeUInt8(HELD, 4);
  key.writeUInt32BE(topicId, 5);
  key.writeUInt32BE(partition, 9);
  return key;
};
/** The prefix of the keys of all assigned places of a group. */
export const heldPrefix = (groupId: number): Buffer => heldKey(groupId, 0, 0).subarray(0, 5);
export const placeOfHeldKey = (key: Buffer): { readonly topicId: number; readonly partition: number } => ({
  topicId: key.readUInt32BE(5),
  partition: key.readUInt32BE(9),
});

export interface Beat {
  readonly count: number;
  readonly at: number;
}
export const encodeBeat = ({ count, at }: Beat): Buffer => {
  const bytes = Buffer.allocUnsafe(16);
  bytes.writeBigUInt64LE(BigInt(count));
  bytes.writeDoubleLE(at, 8);
  return bytes;
};
export const decodeBeat = (bytes: Uint8Array): Beat => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { count: Number(view.getBigUint64(0, true)), at: view.getFloat64(8, true) };
};

export interface HeldValue {
  readonly epoch: number;
  readonly member: number;
  readonly revoking: boolean;
}
export const encodeHeld = ({ epoch, member, revoking }: HeldValue): Buffer => {
  const bytes = Buffer.allocUnsafe(13);
  bytes.writeDoubleLE(epoch);
  bytes.writeUInt32LE(member, 8);
  bytes.writeUInt8(revoking ? 1 : 0, 12);
  return bytes;
};
export const decodeHeld = (bytes: Uint8Array): HeldValue => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { epoch: view.getFloat64(0, true), member: view.getUint32(8, true), revoking: view.getUint8(12) === 1 };
};

/** Places with the log's numbers for their topics: the coordinator does not use the names. */
export const numbered = (topicId: number, partition: number): { readonly topic: string; readonly partition: number } => ({ topic: String(topicId), partition });
export const topicIdOf = ({ topic }: { readonly topic: string }): number => Number(topic);

export const encodeUnits = (units: readonly Unit[]): Buffer => toBytes(units.map((unit) => unit.map((place) => [topicIdOf(place), place.partition])));
export const decodeUnits = (bytes: Uint8Array): readonly Unit[] =>
  fromBytes<readonly (readonly (readonly [number, number])[])[]>(bytes).map((unit) => unit.map(([topicId, partition]) => numbered(topicId, partition)));

/** The coordinator's state from the pieces. */
export const assemble = (
  record: GroupRecord,
  pieces: {
    readonly beat: (member: number) => Beat | undefined;
    readonly units: (member: number) => readonly Unit[];
    readonly held: readonly (HeldValue & { readonly topicId: number; readonly partition: number })[];
  },
): GroupState<KeptMember> => {
  const members = record.members.map((member): KeptMember => {
    const beat = pieces.beat(member.number);
    return { ...member, units: pieces.units(member.number), heartbeats: beat?.count ?? 0, beatAt: beat?.at ?? member.since };
  });
  const ids = new Map(members.map(({ number, id }) => [number, id]));
  const held = pieces.held.map(({ topicId, partition, epoch, member, revoking }) => {
    const place = numbered(topicId, partition);
    return [partitionName(place), { ...place, epoch, member: ids.get(member) ?? '', revoking }] as const;
  });
  return { epoch: record.epoch, members, held: new Map(held) };
};
