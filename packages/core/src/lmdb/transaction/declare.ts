/**
 * Declarations inside a write transaction: topics, stores, groups and sources get their numbers, and a declaration that
 * contradicts the recorded one is refused.
 */
import { StoplogError } from '../../pure/errors.ts';
import { shapeDifference, type TopicShape } from '../../pure/topic/shape.ts';
import type { StorePart } from '../../port/state-store.ts';
import {
  groupMetaKey,
  nextIdKey,
  sourceMetaKey,
  storeMetaKey,
  topicMetaKey,
  type GroupMeta,
  type SourceMeta,
  type StoreMeta,
  type TopicMeta,
} from '../layout/meta.ts';
import type { Env } from '../tables/env.ts';
import { putMeta, readMeta } from '../tables/rows.ts';

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
    if (JSON.stringify(found[i]?.shape) !== JSON.stringify(shape)) putMeta(env, topicMetaKey(shape.name), { id, shape } satisfies TopicMeta);
  });
};

export const applyOpenStore = (env: Env, part: StorePart): number => {
  const key = storeMetaKey(part.store);
  const found = readMeta<StoreMeta>(env, key);
  if (found === undefined) {
    const id = nextId(env);
    putMeta(env, key, { id, group: part.group, version: part.version, fingerprint: part.fingerprint } satisfies StoreMeta);
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
  putMeta(env, key, { id } satisfies GroupMeta & SourceMeta);
  return id;
};

/** A number that was never given before. */
export const nextId = (env: Env): number => {
  const id = readMeta<number>(env, nextIdKey()) ?? 1;
  putMeta(env, nextIdKey(), id + 1);
  return id;
};
