/**
 * Adopts a rebuild inside a write transaction: the stores of the rebuild, and the topics between its tasks, exchange their names with those
 * that serve. No byte of a store moves, since names lead to numbers and rows are kept under numbers.
 *
 * Both sides must have processed exactly the same records, so the positions of the group stay where they are, and what comes next is
 * processed once, by the new stores alone. Every member of the group is removed: it joins again, and its actors look up what the names
 * mean now.
 */
import type { Adopted, Adoption } from '../../port/rebuilding.ts';
import { StoplogError } from '../../pure/errors.ts';
import { partsOfShadow, shadowName } from '../../pure/store/shadow.ts';
import { encodeOffset, positionKey } from '../layout/keyspace.ts';
import {
  exchangesKey,
  goneKey,
  groupMetaKey,
  sealedKey,
  STORE_PREFIX,
  storeMetaKey,
  TOPIC_PREFIX,
  topicMetaKey,
  type GoneMeta,
  type GroupMeta,
  type SealedMeta,
  type StoreMeta,
  type TopicMeta,
} from '../layout/meta.ts';
import type { Env } from '../tables/env.ts';
import { putMeta, readEnds, readMeta, readPosition } from '../tables/rows.ts';
import { put } from '../tables/sealed.ts';
import { deleteRecordsOf, deleteWithStores, groupsIn, isIn, metas, ownedBy, partitionsOf } from './administer.ts';
import { applyOpenGroup } from './declare.ts';
import { applyGroupEvent } from './groups.ts';

export const applyAdoption = (env: Env, adoption: Adoption): Adopted => {
  const { group, tag, keptAs, keptUntil } = adoption;
  const shadow = groupsIn(env).find(({ name }) => name === shadowName(group, tag));
  if (shadow === undefined)
    throw new StoplogError(
      'STOPLOG_GROUP_UNKNOWN',
      { group, tag },
      `pipeline '${group}' has no rebuild '${tag}' in this log: 'stoplog rebuild status' lists them`,
    );
  const topics = metas<TopicMeta>(env, TOPIC_PREFIX).flatMap(({ meta }) => (meta.owner === shadow.name ? [exchangeOf(env, meta)] : []));
  for (const { served } of topics) if (served !== undefined) checkReaders(env, group, served);

  const sources = adoption.sources.map((name) => topicNamed(env, name));

  const live = applyOpenGroup(env, group);
  const progress = progressOf(env, adoption, sources, live, shadow.id, topics);
  if (progress.behind > 0n || progress.between > 0n || progress.undrained > 0n) {
    if (adoption.sealMs > 0) putMeta(env, sealedKey(live), { topics: sources.map(({ id }) => id), until: Date.now() + adoption.sealMs } satisfies SealedMeta);
    return { adopted: false, ...progress };
  }

  const keptGroup = keptAs === undefined ? undefined : shadowName(group, keptAs);
  if (keptGroup !== undefined) deleteKept(env, keptGroup);
  const kept = keptGroup === undefined ? undefined : applyOpenGroup(env, keptGroup);
  if (keptGroup !== undefined) putMeta(env, groupMetaKey(keptGroup), { id: kept!, keptUntil } satisfies GroupMeta);

  for (const { key, name, meta } of metas<StoreMeta>(env, STORE_PREFIX)) {
    const base = meta.group === shadow.name ? partsOfShadow(name)?.name : undefined;
    // Notes are about the members of the rebuild, and end with them.
    if (base === undefined || base.startsWith('notes@')) continue;
    const served = readMeta<StoreMeta>(env, storeMetaKey(base));
    env.tables.meta.removeSync(key);
    if (served !== undefined) keepStore(env, base, served, keptAs, keptGroup);
    putMeta(env, storeMetaKey(base), { ...meta, group } satisfies StoreMeta);
  }
  for (const { rebuilt, served, name } of topics) {
    env.tables.meta.removeSync(topicMetaKey(rebuilt.shape.name));
    if (served !== undefined) keepTopic(env, served, live, kept, keptAs, keptGroup);
    putMeta(env, topicMetaKey(name), { ...rebuilt, shape: { ...rebuilt.shape, name }, owner: group } satisfies TopicMeta);
    copyPositions(env, rebuilt, shadow.id, live);
  }
  if (kept !== undefined) for (const source of sources) copyPositions(env, source, live, kept);
  deleteWithStores(
    env,
    groupsIn(env).find(({ id }) => id === shadow.id)!,
  );
  env.tables.meta.removeSync(sealedKey(live));
  putMeta(env, exchangesKey(), (readMeta<number>(env, exchangesKey()) ?? 0) + 1);
  applyGroupEvent(env, live, { type: 'clear' });
  return { adopted: true, ...progress };
};

interface Exchange {
  readonly name: string;
  readonly rebuilt: TopicMeta;
  readonly served: TopicMeta | undefined;
}
const exchangeOf = (env: Env, rebuilt: TopicMeta): Exchange => {
  const name = partsOfShadow(rebuilt.shape.name)!.name;
  return { name, rebuilt, served: readMeta<TopicMeta>(env, topicMetaKey(name)) };
};
const topicNamed = (env: Env, name: string): TopicMeta => {
  const meta = readMeta<TopicMeta>(env, topicMetaKey(name));
  if (meta === undefined)
    throw new StoplogError('STOPLOG_TOPIC_UNKNOWN', { topic: name }, `there is no topic '${name}' in this log: 'stoplog topics' lists them`);
  return meta;
};

/** The positions of a reader of a replaced topic would mean other records. */
const checkReaders = (env: Env, group: string, topic: TopicMeta): void => {
  const readers = groupsIn(env).filter((other) => other.name !== group && partsOfShadow(other.name)?.name !== group && isIn(env, other, topic));
  if (readers.length === 0) return;
  throw new StoplogError(
    'STOPLOG_TOPIC_OWNER',
    { topic: topic.shape.name, owner: group, readers: readers.map(({ name }) => name) },
    `topic '${topic.shape.name}' would be replaced with the stores of '${group}', and is read by ${readers.map(({ name }) => `'${name}'`).join(', ')}, which would read all of it again: ` +
      `delete ${readers.length === 1 ? 'that group' : 'those groups'} first ('stoplog groups delete'), or let it read another topic. Nothing was changed`,
  );
};

const progressOf = (
  env: Env,
  { drained }: Adoption,
  sources: readonly TopicMeta[],
  live: number,
  shadow: number,
  topics: readonly Exchange[],
): Omit<Adopted, 'adopted'> => {
  const at = (group: number, topic: TopicMeta, partition: number): bigint =>
    readPosition(env, group, topic.id, partition) ?? readEnds(env, topic.id, partition).start;
  const unread = (group: number, topic: TopicMeta): bigint =>
    partitionsOf(topic).reduce((sum, partition) => sum + readEnds(env, topic.id, partition).end - at(group, topic, partition), 0n);
  let behind = 0n;
  for (const topic of sources) {
    for (const partition of partitionsOf(topic)) {
      const ahead = at(live, topic, partition) - at(shadow, topic, partition);
      behind += ahead < 0n ? -ahead : ahead;
    }
  }
  const between = topics.reduce((sum, { rebuilt }) => sum + unread(shadow, rebuilt), 0n);
  const undrained = topics.reduce((sum, { name, served }) => sum + (served !== undefined && drained.includes(name) ? unread(live, served) : 0n), 0n);
  return { behind, between, undrained };
};

const keepStore = (env: Env, name: string, served: StoreMeta, keptAs: string | undefined, group: string | undefined): void => {
  if (keptAs === undefined || group === undefined) putMeta(env, goneKey(served.id), { id: served.id, kind: 'store' } satisfies GoneMeta);
  else putMeta(env, storeMetaKey(shadowName(name, keptAs)), { ...served, group } satisfies StoreMeta);
};
const keepTopic = (env: Env, served: TopicMeta, live: number, kept: number | undefined, keptAs: string | undefined, owner: string | undefined): void => {
  if (kept === undefined || keptAs === undefined || owner === undefined) return deleteRecordsOf(env, served, groupsIn(env));
  copyPositions(env, served, live, kept);
  for (const partition of partitionsOf(served)) env.tables.positions.removeSync(positionKey(live, served.id, partition));
  const name = shadowName(served.shape.name, keptAs);
  putMeta(env, topicMetaKey(name), { ...served, shape: { ...served.shape, name }, owner } satisfies TopicMeta);
};
const copyPositions = (env: Env, topic: TopicMeta, from: number, to: number): void => {
  for (const partition of partitionsOf(topic)) {
    const offset = readPosition(env, from, topic.id, partition);
    if (offset !== undefined) put(env, 'positions', positionKey(to, topic.id, partition), encodeOffset(offset));
  }
};
/** Deletes what was kept under this name before. */
const deleteKept = (env: Env, name: string): void => {
  const groups = groupsIn(env);
  const found = groups.find((group) => group.name === name);
  if (found === undefined) return;
  for (const topic of ownedBy(env, [found])) deleteRecordsOf(env, topic, groups);
  deleteWithStores(env, found);
};
