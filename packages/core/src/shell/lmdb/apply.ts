/**
 * What happens inside a write transaction: compare, stamp, put. Runs in the writer thread only.
 *
 * A commit is checked whole before its first put, so that one that is refused leaves nothing behind and its neighbours in
 * the same transaction stand. Anything that throws after that takes the whole transaction back.
 */
import { StoplogError } from '../../pure/errors.ts';
import { NOBODY, type Ownership } from '../../pure/group/ownership.ts';
import type { DecodedCommit } from '../../pure/log/commit-bytes.ts';
import {
  NO_ENDS,
  batchKey,
  decodeEnds,
  encodeSegment,
  decodeOffset,
  encodeEnds,
  encodeOffset,
  groupKey,
  partitionKey,
  positionKey,
  seal,
  timeKey,
  unseal,
  type Ends,
  type Table,
} from '../../pure/log/keyspace.ts';
import { emptySegment, grow, isFull, type Arriving } from '../../pure/log/segment.ts';
import {
  fromBytes,
  groupMetaKey,
  nextIdKey,
  storeMetaKey,
  toBytes,
  topicMetaKey,
  type GroupMeta,
  type StoreMeta,
  type TopicMeta,
} from '../../pure/log/meta.ts';
import { stampBatch } from '../../pure/record/batch.ts';
import { shapeDifference, type TopicShape } from '../../pure/topic/shape.ts';
import type { StorePart } from '../../port/state-store.ts';
import { failpoint } from '../failpoint.ts';
import type { Admission } from './admit.ts';
import { peek, type Env } from './env.ts';
import type { Cleanups } from './cleanups.ts';

/** The sealed value of a key, opened; undefined when absent. */
export const read = (env: Env, table: Table, key: Buffer): Uint8Array | undefined => {
  const sealed = peek(env.tables[table], key);
  return sealed === undefined ? undefined : unseal(table, key, sealed);
};
export const put = (env: Env, table: Table, key: Buffer, value: Uint8Array): void => {
  putRaw(env, table, key, seal(key, value));
};
export const putRaw = (env: Env, table: Table, key: Buffer, value: Buffer): void => {
  failpoint('storage.put');
  // The type says void; the library answers false for what it did not store.
  const accepted: unknown = env.tables[table].putSync(key, value);
  if (accepted !== true) throw new Error(`a put into '${table}' was not accepted`);
};

export const readEnds = (env: Env, topicId: number, partition: number): Ends => {
  const bytes = read(env, 'ends', partitionKey(topicId, partition));
  if (bytes === undefined) return NO_ENDS;
  if (bytes.length === 0)
    throw new StoplogError(
      'STOPLOG_TOPIC_UNKNOWN',
      { partition },
      'this topic was deleted after the log had been opened: nothing was read or kept. Open the log again; a topic that was made anew under the name is seen then',
    );
  return decodeEnds(bytes);
};
export const readOwnership = (env: Env, groupId: number): Ownership => {
  const bytes = read(env, 'groups', groupKey(groupId));
  if (bytes === undefined) return NOBODY;
  if (bytes.length === 0)
    throw new StoplogError(
      'STOPLOG_GROUP_UNKNOWN',
      {},
      'this group was deleted after the log had been opened: nothing of this was kept. Open the log again, or run the pipeline again, and the group begins anew',
    );
  return fromBytes<Ownership>(bytes);
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
  checkOwner(env, commit);
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

/** Refuses a commit of an owner that was, and one that would leave a gap in what was read. */
const checkOwner = (env: Env, commit: DecodedCommit): void => {
  if (commit.groupId === 0) return;
  const { epoch } = readOwnership(env, commit.groupId);
  if (epoch !== commit.epoch) {
    throw new StoplogError(
      'STOPLOG_FENCED',
      { epoch: commit.epoch, current: epoch },
      `another owner has taken this group over (epoch ${epoch}, this one has ${commit.epoch}): nothing of this commit was kept, and nothing is to be done`,
    );
  }
  for (const { topicId, partition, from } of commit.positions) {
    const stands = readPosition(env, commit.groupId, topicId, partition) ?? firstPlace(from, readEnds(env, topicId, partition).start);
    if (stands !== from) {
      throw new StoplogError(
        'STOPLOG_FENCED',
        { epoch: commit.epoch, partition, from, stands },
        `this commit goes on from offset ${from}, but the group stands at ${stands}: another owner, or an earlier life of this one, was faster. Nothing of it was kept, and nothing is to be done`,
      );
    }
  }
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

export const applyOpenGroup = (env: Env, group: string): number => {
  const key = groupMetaKey(group);
  const found = readMeta<GroupMeta>(env, key);
  if (found !== undefined) return found.id;
  const id = nextId(env);
  put(env, 'meta', key, toBytes({ id } satisfies GroupMeta));
  return id;
};

export const writeOwnership = (env: Env, groupId: number, ownership: Ownership): void => put(env, 'groups', groupKey(groupId), toBytes(ownership));

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
