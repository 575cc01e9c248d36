/**
 * What happens inside a write transaction: compare, stamp, put. Runs in the writer thread only.
 *
 * A commit is checked whole before its first put, so that one that is refused leaves nothing behind and its neighbours in
 * the same transaction stand. Anything that throws after that takes the whole transaction back.
 */
import { StoplogError } from '../../pure/errors.ts';
import { checkEpoch } from '../../pure/group/fence.ts';
import type { DecodedCommit } from '../layout/commit-bytes.ts';
import {
  NO_ENDS,
  batchKey,
  decodeEnds,
  encodeSegment,
  decodeOffset,
  encodeEnds,
  encodeOffset,
  partitionKey,
  positionKey,
  prefixEnd,
  timeKey,
  unseal,
  type Ends,
} from '../layout/keyspace.ts';
import { emptySegment, grow, isFull, type Arriving } from '../../pure/retention/segment.ts';
import {
  fromBytes,
  groupMetaKey,
  nextIdKey,
  sourceMetaKey,
  SOURCE_PREFIX,
  storeMetaKey,
  toBytes,
  TOPIC_PREFIX,
  topicMetaKey,
  type GroupMeta,
  type SourceMeta,
  type StoreMeta,
  type TopicMeta,
} from '../layout/meta.ts';
import { stampBatch } from '../../pure/record/batch.ts';
import { shapeDifference, type TopicShape } from '../../pure/topic/shape.ts';
import type { StorePart } from '../../port/state-store.ts';
import { failpoint } from '../../failpoints/failpoint.ts';
import type { Admission } from './admit.ts';
import type { Env } from '../tables/env.ts';
import type { Cleanups } from '../cleaner/cleanups.ts';
import { readGroupRecord, readHeldEpoch } from './groups.ts';
import { put, putRaw, read } from '../tables/sealed.ts';

export const readEnds = (env: Env, topicId: number, partition: number): Ends => {
  const key = partitionKey(topicId, partition);
  const bytes = read(env, 'ends', key);
  if (bytes === undefined) {
    if (!hasBatches(env, key)) return NO_ENDS;
    // The first append may have come between the two looks.
    return endsIn(partition, read(env, 'ends', key) ?? failHidden(topicId, partition));
  }
  return endsIn(partition, bytes);
};
const endsIn = (partition: number, bytes: Uint8Array): Ends => {
  if (bytes.length === 0)
    throw new StoplogError(
      'STOPLOG_TOPIC_UNKNOWN',
      { partition },
      'this topic was deleted after the log had been opened: nothing was read or kept. Open the log again; a topic that was made anew under the name is seen then',
    );
  return decodeEnds(bytes);
};
const hasBatches = (env: Env, prefix: Buffer): boolean => {
  for (const _ of env.tables.log.getKeys({ start: prefix, end: prefixEnd(prefix), limit: 1, snapshot: false })) return true;
  return false;
};
/** Without its ends a partition would look empty, and give its offsets again. */
const failHidden = (topicId: number, partition: number): never => {
  throw new StoplogError(
    'STOPLOG_LOG_CORRUPT',
    { table: 'ends', partition, reason: 'missing' },
    `partition ${partition} of topic number ${topicId} has batches, and its ends cannot be found: the disk or a foreign program changed the data file. Nothing was read or kept; restore the folder from a backup, or keep the rest with 'stoplog repair'`,
  );
};
/** Where the group stands; undefined when it never committed there. */
export const readPosition = (env: Env, groupId: number, topicId: number, partition: number): bigint | undefined => {
  const bytes = read(env, 'positions', positionKey(groupId, topicId, partition));
  return bytes === undefined ? undefined : decodeOffset(bytes);
};

/** The ends that a transaction has moved so far; written once each, when all its commits are in. */
export class EndsInTransaction {
  readonly #env: Env;
  readonly #ends = new Map<string, { readonly topicId: number; readonly partition: number; ends: Ends; moved: boolean }>();
  constructor(env: Env) {
    this.#env = env;
  }
  get(topicId: number, partition: number): Ends {
    return this.#entry(topicId, partition).ends;
  }
  set(topicId: number, partition: number, ends: Ends): void {
    const entry = this.#entry(topicId, partition);
    entry.ends = ends;
    entry.moved = true;
  }
  /** Puts what moved, and tells which partitions grew. */
  write(): readonly { readonly topicId: number; readonly partition: number; readonly end: bigint }[] {
    const grown = [...this.#ends.values()].filter((entry) => entry.moved);
    for (const { topicId, partition, ends } of grown) put(this.#env, 'ends', partitionKey(topicId, partition), encodeEnds(ends));
    return grown.map(({ topicId, partition, ends }) => ({ topicId, partition, end: ends.end }));
  }
  #entry(topicId: number, partition: number): { readonly topicId: number; readonly partition: number; ends: Ends; moved: boolean } {
    const name = `${topicId}:${partition}`;
    let entry = this.#ends.get(name);
    if (entry === undefined) {
      entry = { topicId, partition, ends: readEnds(this.#env, topicId, partition), moved: false };
      this.#ends.set(name, entry);
    }
    return entry;
  }
}

/** Applies one commit, whose appends were admitted; returns the base offset of each. */
export const applyCommit = (
  env: Env,
  commit: DecodedCommit,
  { appends, at, producers }: Admission,
  ends: EndsInTransaction,
  cleanups: Cleanups,
): readonly bigint[] => {
  checkMember(env, commit);
  const offsets = appends.map(({ topicId, partition, batch, header, repeats }) => {
    if (repeats !== undefined) return repeats;
    const before = ends.get(topicId, partition);
    const baseOffset = before.end;
    stampBatch(batch, { topicId, partition, baseOffset });
    putRaw(env, 'log', batchKey(topicId, partition, baseOffset), batch as Buffer);
    if (header.maxTimestamp > before.maxTimestamp) {
      const key = timeKey(topicId, partition, header.maxTimestamp);
      put(env, 'times', key, encodeOffset(baseOffset));
    }
    const end = baseOffset + BigInt(header.lastOffsetDelta) + 1n;
    const arriving: Arriving = { next: end, bytes: batch.length, baseTimestamp: header.baseTimestamp, maxTimestamp: header.maxTimestamp, at };
    let { active } = before;
    if (isFull(active, arriving, cleanups.of(topicId))) {
      put(env, 'segments', batchKey(topicId, partition, active.base), encodeSegment(active));
      active = emptySegment(baseOffset);
    }
    ends.set(topicId, partition, {
      start: before.start,
      end,
      maxTimestamp: Math.max(before.maxTimestamp, header.maxTimestamp),
      bytes: before.bytes + batch.length,
      cleanTo: before.cleanTo,
      active: grow(active, arriving),
    });
    return baseOffset;
  });
  const stores = env.tables.stores;
  for (let i = 0; i < commit.entries.length; i += 2) {
    const key = commit.entries[i]!;
    const value = commit.entries[i + 1];
    if (value) putRaw(env, 'stores', key, value);
    else stores.removeSync(key);
  }
  for (const move of commit.positions) {
    // Compared, like every move, but not written: a group that never moved goes on from 'earliest', wherever that is then.
    if (move.from === move.to) continue;
    put(env, 'positions', positionKey(commit.groupId, move.topicId, move.partition), encodeOffset(move.to));
  }
  producers?.write();
  failpoint(commit.groupId === 0 ? 'append.written' : 'commit.written');
  return offsets;
};

/** A group that never committed goes on from wherever the log started when it began to read: that start may have grown. */
const firstPlace = (from: bigint, start: bigint): bigint => (from < start ? from : start);

/** Refuses a commit of who no longer holds what it moves, and one that would leave a gap in what was read. */
const checkMember = (env: Env, commit: DecodedCommit): void => {
  if (commit.groupId === 0) return;
  for (const { topicId, partition, from } of commit.positions) {
    const held = readHeldEpoch(env, commit.groupId, topicId, partition);
    checkEpoch(commit.epoch, held, () => ({ place: { topic: nameOf(env, topicId), partition }, groupEpoch: readGroupRecord(env, commit.groupId).epoch }));
    const stands = readPosition(env, commit.groupId, topicId, partition) ?? firstPlace(from, readEnds(env, topicId, partition).start);
    if (stands !== from) {
      throw new StoplogError(
        'STOPLOG_FENCED',
        { epoch: commit.epoch, partition, from, stands },
        `this commit goes on from offset ${from}, but the group stands at ${stands}: another member, or an earlier life of this one, was faster. Nothing of it was kept, and nothing is to be done`,
      );
    }
  }
};

/** What a topic or source is called, for an error. */
const nameOf = (env: Env, topicId: number): string => {
  for (const { key, value } of env.tables.meta.getRange({ start: SOURCE_PREFIX, end: prefixEnd(TOPIC_PREFIX), snapshot: false })) {
    const name = key.toString();
    if (fromBytes<Partial<TopicMeta>>(unseal('meta', key, value)).id === topicId) return name.startsWith('topic:') ? name.slice('topic:'.length) : name;
  }
  return `topic ${topicId}`;
};

/** Creates the topics that are missing; refuses one that exists in another shape. */
export const applyEnsure = (env: Env, topics: readonly TopicShape[]): void => {
  const found = topics.map((shape) => readMeta<TopicMeta>(env, topicMetaKey(shape.name)));
  topics.forEach((declared, i) => {
    const there = found[i];
    const difference = there && shapeDifference(declared, there.shape);
    if (difference !== undefined) throw new StoplogError('STOPLOG_TOPIC_SHAPE', { topic: declared.name, declared, found: there!.shape }, difference);
  });
  topics.forEach((shape, i) => {
    // The settings that may change follow the latest declaration; what was never declared is made.
    const id = found[i]?.id ?? nextId(env);
    if (JSON.stringify(found[i]?.shape) !== JSON.stringify(shape)) put(env, 'meta', topicMetaKey(shape.name), toBytes({ id, shape } satisfies TopicMeta));
  });
};

export const applyOpenStore = (env: Env, part: StorePart): number => {
  const key = storeMetaKey(part.store);
  const found = readMeta<StoreMeta>(env, key);
  if (found === undefined) {
    const id = nextId(env);
    put(env, 'meta', key, toBytes({ id, group: part.group, version: part.version, fingerprint: part.fingerprint } satisfies StoreMeta));
    return id;
  }
  if (found.group !== part.group) {
    throw new StoplogError(
      'STOPLOG_STORE_OWNER',
      { store: part.store, owner: found.group, wanted: part.group },
      `store '${part.store}' belongs to pipeline '${found.group}': give this pipeline's store a name of its own`,
    );
  }
  if (found.version !== part.version) {
    throw new StoplogError(
      'STOPLOG_STORE_VERSION',
      { store: part.store, recorded: found.version, declared: part.version },
      `store '${part.store}' was recorded at version ${found.version}, this pipeline declares ${part.version}: restore version: ${found.version}, or declare the store under a new name and run it under a new pipeline name, which fills it from the start`,
    );
  }
  if (found.fingerprint !== part.fingerprint) {
    throw new StoplogError(
      'STOPLOG_STORE_VERSION',
      { store: part.store, recorded: found.fingerprint, declared: part.fingerprint },
      `the schema of store '${part.store}' changed, but its version is still ${part.version}: restore the old schema, or declare the store under a new name and run it under a new pipeline name, which fills it from the start`,
    );
  }
  return found.id;
};

export const applyOpenGroup = (env: Env, group: string): number => applyOpenName(env, groupMetaKey(group));
export const applyOpenSource = (env: Env, topic: string): number => applyOpenName(env, sourceMetaKey(topic));
const applyOpenName = (env: Env, key: Buffer): number => {
  const found = readMeta<GroupMeta | SourceMeta>(env, key);
  if (found !== undefined) return found.id;
  const id = nextId(env);
  put(env, 'meta', key, toBytes({ id } satisfies GroupMeta & SourceMeta));
  return id;
};

export const readMeta = <T>(env: Env, key: Buffer): T | undefined => {
  const bytes = read(env, 'meta', key);
  return bytes === undefined ? undefined : fromBytes<T>(bytes);
};

export const putMeta = (env: Env, key: Buffer, value: unknown): void => put(env, 'meta', key, toBytes(value));

/** A number that was never given before. */
export const nextId = (env: Env): number => {
  const id = readMeta<number>(env, nextIdKey()) ?? 1;
  putMeta(env, nextIdKey(), id + 1);
  return id;
};
