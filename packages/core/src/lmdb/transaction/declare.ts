/**
 * Declarations inside a write transaction: topics, stores, groups and sources get their numbers, and a declaration that
 * contradicts the recorded one is refused.
 */
import { StoplogError } from '../../pure/errors.ts';
import { isNotes } from '../../pure/store/notes.ts';
import { partsOfShadow } from '../../pure/store/shadow.ts';
import { canonicalJson } from '../../pure/bytes/canonical.ts';
import { heldAfter, schemaDifference, shapeDifference, type HeldSchemas, type TopicShape } from '../../pure/topic/shape.ts';
import type { TopicUse } from '../../port/log.ts';
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
import { putMeta, readEnds, readMeta, readPosition } from '../tables/rows.ts';

/** Creates the topics that are missing; refuses one that exists in another shape, and one that another group fills by itself. */
export const applyEnsure = (env: Env, topics: readonly TopicShape[], use?: TopicUse): void => {
  const found = topics.map((shape) => readMeta<TopicMeta>(env, topicMetaKey(shape.name)));
  topics.forEach((declared, i) => {
    const there = found[i];
    const difference = there && shapeDifference(declared, there.shape);
    if (difference !== undefined) throw new StoplogError('STOPLOG_TOPIC_SHAPE', { topic: declared.name, declared, found: there!.shape }, difference);
    const schemas = there && schemaDifference(declared, heldBy(env, there));
    if (schemas !== undefined) throw new StoplogError('STOPLOG_TOPIC_SHAPE', { topic: declared.name, declared, found: there!.shape }, schemas);
    if (there !== undefined && use !== undefined) checkOwner(declared.name, there.owner, use);
  });
  topics.forEach(({ parses: _, ...shape }, i) => {
    const there = found[i];
    // The settings that may change follow the latest declaration; what was never declared is made.
    const id = there?.id ?? nextId(env);
    // A topic from before owners were recorded is taken over by the first pipeline that sends records through it.
    const isOwn = use?.owns.includes(shape.name) === true;
    const owner = there?.owner ?? (isOwn ? use.group : undefined);
    const appends = isOwn || use?.appends.includes(shape.name) === true;
    const held = appends ? heldAfter(shape, there === undefined ? NOTHING_HELD : heldBy(env, there)) : there?.held;
    const meta: TopicMeta = { id, shape, ...(held === undefined ? {} : { held }), ...(owner === undefined ? {} : { owner }) };
    if (there === undefined || canonicalJson(there) !== canonicalJson(meta)) putMeta(env, topicMetaKey(shape.name), meta);
  });
};
/** The schemas by which records were appended to a topic; none while it is empty. */
const heldBy = (env: Env, { id, shape, held }: TopicMeta): HeldSchemas => {
  if (held === undefined) return NOTHING_HELD;
  for (let partition = 0; partition < shape.partitions; partition++) if (readEnds(env, id, partition).end > 0n) return held;
  return NOTHING_HELD;
};
const NOTHING_HELD: HeldSchemas = { key: [], value: [] };
const checkOwner = (topic: string, owner: string | undefined, { group, owns, appends }: TopicUse): void => {
  if (owner === undefined || owner === group || group === '' || !(owns.includes(topic) || appends.includes(topic))) return;
  throw new StoplogError(
    'STOPLOG_TOPIC_OWNER',
    { topic, owner, wanted: group },
    `pipeline '${owner}' sends records through topic '${topic}', and pipeline '${group}' would append to it too, so each would count the records of the other: ` +
      `give the topic of this pipeline a name of its own, or delete pipeline '${owner}' with 'stoplog groups delete ${owner}'`,
  );
};

export const applyOpenStore = (env: Env, part: StorePart): number => {
  const key = storeMetaKey(part.store);
  const found = readMeta<StoreMeta>(env, key);
  if (found === undefined) {
    if (isNotes(part.store)) checkRebuild(env, part.group);
    checkUnread(env, part);
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
      `store '${part.store}' serves at version ${found.version}, and this program declares ${part.version}: ` +
        (found.version > part.version
          ? `run the program of version ${found.version}; an earlier version is taken up again while it is kept ('stoplog rebuild status'), and any other program needs version: ${found.version + 1}, which is built by replay`
          : `run the program with 'stoplog run' or run(…), which builds version ${part.version} by replay`),
    );
  }
  if (found.fingerprint !== part.fingerprint) {
    throw new StoplogError(
      'STOPLOG_STORE_VERSION',
      { store: part.store, recorded: found.fingerprint, declared: part.fingerprint },
      `the schema of store '${part.store}' changed, but its version is still ${part.version}: restore the old schema, or declare version: ${part.version + 1}, which is built by replay while version ${part.version} is read`,
    );
  }
  return found.id;
};

/** Refuses a new store whose group has already read the records that would fill it: the store would be silently incomplete. */
const checkUnread = (env: Env, { store, group, filledFrom = [] }: StorePart): void => {
  const groupId = readMeta<GroupMeta>(env, groupMetaKey(group))?.id;
  if (groupId === undefined) return;
  for (const topic of filledFrom) {
    const meta = readMeta<TopicMeta>(env, topicMetaKey(topic));
    for (let partition = 0; meta !== undefined && partition < meta.shape.partitions; partition++) {
      const position = readPosition(env, groupId, meta.id, partition);
      const { start } = readEnds(env, meta.id, partition);
      if (position === undefined || position <= start) continue;
      throw new StoplogError(
        'STOPLOG_STORE_NEW',
        { store, group, topic, partition, position, start },
        `store '${store}' is new, and pipeline '${group}' has read '${topic}' up to offset ${position} of partition ${partition} already: the store would lack those records. ` +
          `Run the pipeline with 'stoplog run' or run(…), which fills the store by replay, or begin again with 'stoplog groups delete ${group}', which builds all of its stores anew and appends its outputs again`,
      );
    }
  }
};

export const applyOpenGroup = (env: Env, group: string): number => applyOpenName(env, groupMetaKey(group));
/** A rebuild is over when its group is gone: what its actors still commit does not make the group anew. */
export const checkRebuild = (env: Env, group: string): void => {
  if (partsOfShadow(group) === undefined || readMeta<GroupMeta>(env, groupMetaKey(group)) !== undefined) return;
  throw new StoplogError(
    'STOPLOG_GROUP_UNKNOWN',
    { group },
    `the rebuild '${group}' is over, adopted or cancelled: nothing of this was kept, and nothing needs to be done`,
  );
};
export const applyOpenSource = (env: Env, topic: string): number => applyOpenName(env, sourceMetaKey(topic));
const applyOpenName = (env: Env, key: Buffer): number => {
  const found = readMeta<GroupMeta | SourceMeta>(env, key);
  if (found !== undefined) return found.id;
  const id = nextId(env);
  putMeta(env, key, { id } satisfies GroupMeta & SourceMeta);
  return id;
};

/** A number that was never assigned before. */
export const nextId = (env: Env): number => {
  const id = readMeta<number>(env, nextIdKey()) ?? 1;
  putMeta(env, nextIdKey(), id + 1);
  return id;
};
