/**
 * The operations of tools on groups and topics, inside a write transaction: in the writer thread only.
 *
 * A name is gone at once, with one commit; the bytes behind its number are freed afterwards, some at a time, by any process that
 * has the log open, so that deleting a large topic blocks no writer. The number is never assigned again, and the ends of a
 * deleted topic stay as an empty mark: a log that was opened before still uses the number, and is refused because of the mark.
 */
import { StoplogError } from '../../pure/errors.ts';
import { isNotes } from '../../pure/store/notes.ts';
import { partsOfShadow } from '../../pure/store/shadow.ts';
import { occupiedError } from '../../pure/group/occupied.ts';
import type { ResetLine } from '../../pure/group/reset.ts';
import { heldKey } from '../layout/group-record.ts';
import { encodeOffset, groupKey, partitionKey, positionKey, prefixEnd, TABLES, unseal, type Table } from '../layout/keyspace.ts';
import {
  cleaningKey,
  fromBytes,
  GONE_PREFIX,
  goneKey,
  GROUP_PREFIX,
  groupMetaKey,
  STORE_PREFIX,
  TOPIC_PREFIX,
  topicMetaKey,
  type GoneMeta,
  type GroupMeta,
  type StoreMeta,
  type TopicMeta,
} from '../layout/meta.ts';
import { applyOpenGroup } from './declare.ts';
import { putMeta, readEnds, readMeta, readPosition } from '../tables/rows.ts';
import type { Env } from '../tables/env.ts';
import { applyGroupEvent, isPresent, readBeats, readGroupRecord, readHeldEpoch, removeGroup } from './groups.ts';
import { put } from '../tables/sealed.ts';

/** The number of entries that one transaction frees. */
const SWEEP_ENTRIES = 500;

export const applySetPositions = (env: Env, group: string, lines: readonly ResetLine[]): void => {
  const found = readMeta<GroupMeta>(env, groupMetaKey(group));
  if (found !== undefined) checkIdle(env, group, found.id);
  const places = lines.map((line) => ({ ...line, topicId: topicIdOf(env, line) }));
  for (const { topic, topicId, partition, from, to } of places) {
    const stands = found && readPosition(env, found.id, topicId, partition);
    if (stands !== from)
      throw moved(
        { topic, partition, from, stands },
        `group '${group}' is at ${said(stands)} in ${topic}[${partition}], and the plan was made when it was at ${said(from)}`,
      );
    const { start, end } = readEnds(env, topicId, partition);
    if (to < start || to > end)
      throw moved({ topic, partition, to, start, end }, `${topic}[${partition}] now holds the offsets ${start} to ${end}, and the plan goes to ${to}`);
  }
  const groupId = found?.id ?? applyOpenGroup(env, group);
  for (const { topicId, partition, from, to, moves } of places) {
    // A group that never moved starts from 'earliest', as of that time.
    if (from === undefined && moves === 0n) continue;
    put(env, 'positions', positionKey(groupId, topicId, partition), encodeOffset(to));
  }
  // A member that was thought dead, and is alive, no longer holds anything.
  applyGroupEvent(env, groupId, { type: 'clear' });
};
const said = (offset: bigint | undefined): string => (offset === undefined ? 'no offset yet' : `offset ${offset}`);
const moved = (facts: Readonly<Record<string, unknown>>, why: string): StoplogError =>
  new StoplogError('STOPLOG_FENCED', facts, `${why}. Nothing was changed; make a new plan`);

export const applyDeleteGroup = (env: Env, group: string): void => {
  const groups = groupsIn(env);
  const found = groups.find(({ name }) => name === group);
  if (found === undefined) throw new StoplogError('STOPLOG_GROUP_UNKNOWN', { group }, `there is no group '${group}' in this log: 'stoplog groups' lists them`);
  const along = [found, ...rebuildsOf(groups, [found])];
  const owned = ownedBy(env, along);
  checkDeletion(env, groups, along, owned);
  deleteAll(env, groups, along, owned);
};

export const applyDeleteTopic = (env: Env, topic: string): void => {
  const meta = readMeta<TopicMeta>(env, topicMetaKey(topic));
  if (meta === undefined) throw unknownTopic(topic);
  const groups = groupsIn(env);
  const readers = groups.filter((group) => isIn(env, group, meta));
  // The stores of such a group would have no positions, and the records that its owner has sent through the topic would not be sent again.
  const whole = groups.filter((group) => group.name === meta.owner || (group.stores.some(({ isState }) => isState) && readers.includes(group)));
  const along = [...whole, ...rebuildsOf(groups, whole)];
  const owned = ownedBy(env, along).filter(({ id }) => id !== meta.id);
  for (const { name, id } of readers) checkIdle(env, name, id);
  checkDeletion(env, groups, along, owned);
  deleteAll(env, groups, along, [...owned, meta]);
};

/** The rebuilds of groups, and what their rebuilds have replaced: neither is of use without the group. */
const rebuildsOf = (all: readonly FoundGroup[], groups: readonly FoundGroup[]): readonly FoundGroup[] => {
  const names = new Set(groups.map(({ name }) => name));
  return all.filter(({ name }) => !names.has(name) && names.has(partsOfShadow(name)?.name ?? ''));
};

export interface FoundGroup {
  readonly name: string;
  readonly id: number;
  /** `isState`: folded from records, in contrast to notes. */
  readonly stores: readonly { readonly key: Buffer; readonly id: number; readonly isState: boolean }[];
}
export const groupsIn = (env: Env): readonly FoundGroup[] => {
  const stores = metas<StoreMeta>(env, STORE_PREFIX);
  return metas<GroupMeta>(env, GROUP_PREFIX).map(({ name, meta: { id } }) => ({
    name,
    id,
    stores: stores.filter(({ meta }) => meta.group === name).map(({ key, name: store, meta }) => ({ key, id: meta.id, isState: !isNotes(store) })),
  }));
};
export const ownedBy = (env: Env, groups: readonly FoundGroup[]): readonly TopicMeta[] =>
  metas<TopicMeta>(env, TOPIC_PREFIX).flatMap(({ meta }) => (groups.some(({ name }) => name === meta.owner) ? [meta] : []));
export const partitionsOf = ({ shape }: TopicMeta): readonly number[] => Array.from({ length: shape.partitions }, (_, partition) => partition);
/** True when the group has a position in the topic, or a member that holds a partition of it. */
export const isIn = (env: Env, { id }: FoundGroup, topic: TopicMeta): boolean =>
  partitionsOf(topic).some((partition) => (readPosition(env, id, topic.id, partition) ?? readHeldEpoch(env, id, topic.id, partition)) !== undefined);

/** Refuses to delete groups with active members, and the topics they own where other groups read those. */
const checkDeletion = (env: Env, all: readonly FoundGroup[], groups: readonly FoundGroup[], owned: readonly TopicMeta[]): void => {
  for (const { name, id } of groups) checkIdle(env, name, id);
  for (const topic of owned) {
    const others = all.filter((group) => !groups.includes(group) && isIn(env, group, topic)).map(({ name }) => name);
    if (others.length === 0) continue;
    throw new StoplogError(
      'STOPLOG_TOPIC_OWNER',
      { topic: topic.shape.name, owner: topic.owner, readers: others },
      `topic '${topic.shape.name}' would be deleted with group '${topic.owner}', which fills it, and is read by ${others.map((name) => `'${name}'`).join(', ')}: ` +
        `delete ${others.length === 1 ? 'that group' : 'those groups'} first ('stoplog groups delete'). Nothing was changed`,
    );
  }
};

const deleteAll = (env: Env, all: readonly FoundGroup[], groups: readonly FoundGroup[], topics: readonly TopicMeta[]): void => {
  for (const group of groups) deleteWithStores(env, group);
  const others = all.filter((group) => !groups.includes(group));
  for (const topic of topics) deleteRecordsOf(env, topic, others);
};
/** Deletes a group, its positions, and its stores. */
export const deleteWithStores = (env: Env, { name, id, stores }: FoundGroup): void => {
  for (const store of stores) {
    env.tables.meta.removeSync(store.key);
    putMeta(env, goneKey(store.id), { id: store.id, kind: 'store' } satisfies GoneMeta);
  }
  for (const { key } of entries(env, 'positions', groupKey(id))) env.tables.positions.removeSync(key);
  env.tables.meta.removeSync(groupMetaKey(name));
  removeGroup(env, id);
};
/** Deletes a topic with the positions of these groups in it. */
export const deleteRecordsOf = (env: Env, { id, shape }: TopicMeta, groups: readonly FoundGroup[]): void => {
  for (let partition = 0; partition < shape.partitions; partition++) {
    for (const group of groups) {
      env.tables.positions.removeSync(positionKey(group.id, id, partition));
      // Only dead members can hold it.
      env.tables.groups.removeSync(heldKey(group.id, id, partition));
    }
    put(env, 'ends', partitionKey(id, partition), new Uint8Array(0));
    env.tables.meta.removeSync(cleaningKey(id, partition));
  }
  env.tables.meta.removeSync(topicMetaKey(shape.name));
  putMeta(env, goneKey(id), { id, kind: 'topic' } satisfies GoneMeta);
};

/** The tables that are not swept for a deleted topic; its ends stay, as its mark. */
const OTHERS: readonly Table[] = ['meta', 'ends', 'positions', 'stores', 'groups', 'producers'];
const SWEPT: Readonly<Record<GoneMeta['kind'], readonly Table[]>> = {
  topic: TABLES.filter((table) => !OTHERS.includes(table)),
  store: ['stores'],
  producer: ['producers'],
};

export const isLeftToSweep = (env: Env): boolean => entries(env, 'meta', GONE_PREFIX, 1).length > 0;

/** Frees some of the remaining bytes of deleted topics and stores; true when there are more. */
export const sweep = (env: Env): boolean => {
  for (const { key, value } of entries(env, 'meta', GONE_PREFIX, 1)) {
    const { id, kind } = fromBytes<GoneMeta>(unseal('meta', key, value));
    for (const table of SWEPT[kind]) {
      const prefix = groupKey(id);
      const keys = [...env.tables[table].getKeys({ start: prefix, end: prefixEnd(prefix), limit: SWEEP_ENTRIES })];
      for (const swept of keys) env.tables[table].removeSync(swept);
      if (keys.length > 0) return true;
    }
    if (kind === 'topic' && sweepProduced(env, id)) return true;
    env.tables.meta.removeSync(key);
  }
  return isLeftToSweep(env);
};

/** Frees some of the producers' states in a topic: the producers' numbers come first in those keys. True when there are more. */
const sweepProduced = ({ tables: { producers } }: Env, topicId: number): boolean => {
  let swept = 0;
  let from = groupKey(0);
  for (;;) {
    const [next] = [...producers.getKeys({ start: from, limit: 1 })];
    if (next === undefined) return false;
    const id = Buffer.from(next).readUInt32BE();
    const prefix = partitionKey(id, topicId);
    for (const key of [...producers.getKeys({ start: prefix, end: prefixEnd(prefix), limit: SWEEP_ENTRIES })]) {
      producers.removeSync(key);
      swept++;
    }
    if (swept >= SWEEP_ENTRIES) return true;
    from = prefixEnd(groupKey(id));
  }
};

const entries = (
  env: Env,
  table: Table,
  prefix: Buffer,
  limit: number = Number.MAX_SAFE_INTEGER,
): readonly { readonly key: Buffer; readonly value: Buffer }[] => [...env.tables[table].getRange({ start: prefix, end: prefixEnd(prefix), limit })];

/** The named rows of a kind, with their keys. */
export const metas = <T>(env: Env, prefix: Buffer): readonly { readonly key: Buffer; readonly name: string; readonly meta: T }[] =>
  entries(env, 'meta', prefix).map(({ key, value }) => ({
    key: Buffer.from(key),
    name: key.toString().slice(prefix.length),
    meta: fromBytes<T>(unseal('meta', key, value)),
  }));

const checkIdle = (env: Env, group: string, groupId: number): void => {
  const now = Date.now();
  const present = readBeats(env, groupId).filter((member) => isPresent(env, member, now));
  if (present.length > 0) throw occupiedError(group, present, readGroupRecord(env, groupId).epoch, now);
};

const topicIdOf = (env: Env, { topic, partition }: { readonly topic: string; readonly partition: number }): number => {
  const meta = readMeta<TopicMeta>(env, topicMetaKey(topic));
  if (meta === undefined) throw unknownTopic(topic);
  if (partition < meta.shape.partitions) return meta.id;
  throw new StoplogError(
    'STOPLOG_USAGE',
    { topic, partition, partitions: meta.shape.partitions },
    `topic '${topic}' has no partition ${partition}: it has ${meta.shape.partitions}, counted from 0`,
  );
};
const unknownTopic = (topic: string): StoplogError =>
  new StoplogError('STOPLOG_TOPIC_UNKNOWN', { topic }, `there is no topic '${topic}' in this log: 'stoplog topics' lists them`);
