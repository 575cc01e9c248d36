/**
 * A group in the `groups` table: read as the coordinator's state, and changed by its steps. Only the writer
 * thread changes it, inside a transaction; no process runs a coordinator of its own, and none has to be asked.
 */
import { StoplogError } from '../../pure/errors.ts';
import type { GroupEffect } from '../../pure/group/change.ts';
import { step, type GroupEvent } from '../../pure/group/coordinator.ts';
import {
  assemble,
  heartbeatKey,
  decodeBeat,
  decodeGroup,
  decodeHeld,
  decodeUnits,
  encodeBeat,
  encodeGroup,
  encodeHeld,
  encodeUnits,
  heldKey,
  heldPrefix,
  listed,
  NO_GROUP,
  placeOfHeldKey,
  topicIdOf,
  unitsKey,
  type GroupRecord,
  type KeptGroup,
  type KeptMember,
  type Listed,
} from '../layout/group-record.ts';
import { groupKey, prefixEnd, unseal } from '../layout/keyspace.ts';
import { failpoint } from '../../failpoints/failpoint.ts';
import { readers, type Env } from '../tables/env.ts';
import { isAlive } from '../folder/process.ts';
import { put, read } from '../tables/sealed.ts';

export const readGroupRecord = (env: Env, groupId: number): GroupRecord => {
  const bytes = read(env, 'groups', groupKey(groupId));
  if (bytes === undefined) return NO_GROUP;
  if (bytes.length === 0)
    throw new StoplogError(
      'STOPLOG_GROUP_UNKNOWN',
      {},
      'this group was deleted after the log had been opened: nothing of this was kept. Open the log again, or run the pipeline again, and the group begins from nothing',
    );
  return decodeGroup(bytes);
};

/** The epoch in which a place is held; undefined when it is not. */
export const readHeldEpoch = (env: Env, groupId: number, topicId: number, partition: number): number | undefined => {
  const bytes = read(env, 'groups', heldKey(groupId, topicId, partition));
  return bytes === undefined ? undefined : decodeHeld(bytes).epoch;
};

export const readGroup = (env: Env, groupId: number): KeptGroup => {
  const record = readGroupRecord(env, groupId);
  const prefix = heldPrefix(groupId);
  const state = assemble(record, {
    beat: (member) => readBeat(env, groupId, member),
    units: (member) => {
      const bytes = read(env, 'groups', unitsKey(groupId, member));
      return bytes === undefined ? [] : decodeUnits(bytes);
    },
    held: [...env.tables.groups.getRange({ start: prefix, end: prefixEnd(prefix), snapshot: false })].map(({ key, value }) => ({
      ...placeOfHeldKey(key),
      ...decodeHeld(unseal('groups', key, value)),
    })),
  });
  return { record, state };
};

const readBeat = (env: Env, groupId: number, member: number): ReturnType<typeof decodeBeat> | undefined => {
  const bytes = read(env, 'groups', heartbeatKey(groupId, member));
  return bytes === undefined ? undefined : decodeBeat(bytes);
};
/** The members of a group with their heartbeats, without their partitions: all that watching needs. */
export const readBeats = (env: Env, groupId: number): readonly (Listed & { readonly beat: number; readonly beatAt: number })[] =>
  readGroupRecord(env, groupId).members.map((member) => {
    const beat = readBeat(env, groupId, member.number);
    return { ...member, beat: beat?.count ?? 0, beatAt: beat?.at ?? member.since };
  });

/** Applies one step of the coordinator; false when it changed nothing. */
export const applyGroupEvent = (env: Env, groupId: number, event: GroupEvent<KeptMember>): boolean => {
  const { record, state } = readGroup(env, groupId);
  const [after, effects] = step(state, event);
  if (after === state) return false;
  const numbers = new Map([...state.members, ...after.members].map(({ id, number }) => [id, number]));
  for (const effect of effects) keep(env, groupId, effect, numbers);
  const next = Math.max(record.next, ...after.members.map(({ number }) => number + 1));
  put(env, 'groups', groupKey(groupId), encodeGroup({ epoch: after.epoch, version: record.version + 1, next, members: after.members.map(listed) }));
  failpoint('rebalance.written');
  return true;
};

const keep = (env: Env, groupId: number, effect: GroupEffect<KeptMember>, numbers: ReadonlyMap<string, number>): void => {
  switch (effect.type) {
    case 'joined':
      put(env, 'groups', unitsKey(groupId, effect.member.number), encodeUnits(effect.member.units));
      return put(env, 'groups', heartbeatKey(groupId, effect.member.number), encodeBeat({ count: 0, at: effect.member.beatAt }));
    case 'left':
      for (const key of [unitsKey, heartbeatKey]) env.tables.groups.removeSync(key(groupId, effect.member.number));
      return;
    case 'given':
    case 'asked': {
      const { epoch, member, revoking, partition } = effect.held;
      return put(env, 'groups', heldKey(groupId, topicIdOf(effect.held), partition), encodeHeld({ epoch, member: numbers.get(member) ?? 0, revoking }));
    }
    case 'freed':
      env.tables.groups.removeSync(heldKey(groupId, topicIdOf(effect.held), effect.held.partition));
      return;
    case 'away':
    case 'beaten':
      return;
  }
};

/** Removes all members in the copy of a log: if they live, they belong to the original. */
export const clearGroups = (env: Env): void => {
  const groupIds = [...env.tables.groups.getRange({})].flatMap(({ key, value }) =>
    key.length === groupKey(0).length && unseal('groups', key, value).length > 0 ? [key.readUInt32BE(0)] : [],
  );
  for (const groupId of groupIds) if (readGroupRecord(env, groupId).members.length > 0) applyGroupEvent(env, groupId, { type: 'clear' });
};

/**
 * Checks whether the process of a member lives. For a process of another container LMDB knows: it holds a lock under its number as
 * long as it has the folder open, and LMDB lets no other process with that number open it.
 */
export const memberIsAlive = (env: Env, { pid, started }: Pick<Listed, 'pid' | 'started'>): boolean =>
  isAlive(pid, started) ?? (pid !== process.pid && readers(env).some((reader) => reader.pid === pid));

/** Records a heartbeat; false when the member was removed. */
export const applyBeat = (env: Env, groupId: number, id: string, at: number): boolean => {
  const member = readGroupRecord(env, groupId).members.find((one) => one.id === id);
  if (member === undefined) return false;
  put(env, 'groups', heartbeatKey(groupId, member.number), encodeBeat({ count: (readBeat(env, groupId, member.number)?.count ?? 0) + 1, at }));
  return true;
};

/** Joins a member of this process. Members whose process is gone are removed first: a process that was killed and restarts finds all free. */
export const applyJoin = (
  env: Env,
  groupId: number,
  join: Pick<KeptMember, 'id' | 'instanceId' | 'sessionMs' | 'units' | 'pid' | 'started'> & { readonly now: number },
): void => {
  const { now, ...rest } = join;
  for (const { id, beat, instanceId, pid, started } of readBeats(env, groupId)) {
    if (instanceId === undefined && !memberIsAlive(env, { pid, started })) applyGroupEvent(env, groupId, { type: 'expire', id, beat, why: 'gone' });
  }
  applyGroupEvent(env, groupId, {
    type: 'join',
    member: { ...rest, number: readGroupRecord(env, groupId).next, since: now, heartbeats: 0, beatAt: now, away: false },
  });
};

/** Deletes all rows of a group, and leaves an empty mark, by which former and waiting members are refused. */
export const removeGroup = (env: Env, groupId: number): void => {
  const prefix = groupKey(groupId);
  for (const key of [...env.tables.groups.getKeys({ start: prefix, end: prefixEnd(prefix) })]) env.tables.groups.removeSync(key);
  put(env, 'groups', prefix, new Uint8Array(0));
};

/**
 * Checks whether a member counts as present for an operation that changes its group. A member that hangs does, one whose process is
 * gone does not, and a static one does until its session is over. Only that last check uses the wall clock, because no process has
 * watched the member: a wrong answer costs a wait or a needless refusal, and the epochs stay in order.
 */
export const isPresent = (
  env: Env,
  member: Pick<Listed, 'pid' | 'started' | 'instanceId' | 'sessionMs' | 'away'> & { readonly beatAt: number },
  now: number,
): boolean => (!member.away && memberIsAlive(env, member)) || (member.instanceId !== undefined && Math.abs(now - member.beatAt) < member.sessionMs);
