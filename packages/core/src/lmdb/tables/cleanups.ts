/**
 * The writer's knowledge of each topic: its name, its number, its cleanup policy, and the origin of its timestamps. Each append looks
 * it up, so it is kept in a map, which is read again at each round of maintenance: another process may have declared a topic again.
 */
import { cleanupOf, type Cleanup } from '../../pure/retention/cleanup.ts';
import { prefixEnd, unseal } from '../layout/keyspace.ts';
import { fromBytes, TOPIC_PREFIX, topicMetaKey, type TopicMeta } from '../layout/meta.ts';
import type { Env } from './env.ts';
import type { Times } from './log-time.ts';
import { readMeta } from './rows.ts';

export interface KnownTopic {
  readonly id: number;
  readonly name: string;
  readonly partitions: number;
  readonly cleanup: Cleanup;
  readonly stampsArrival: boolean;
}

export class Cleanups {
  readonly #env: Env;
  readonly times: Times;
  #byId = new Map<number, KnownTopic>();
  /** The reason why the entry of a topic could not be read. */
  #damage: Error | undefined;

  constructor(env: Env, times: Times) {
    this.#env = env;
    this.times = times;
  }
  of(topicId: number): Cleanup {
    return this.#find(topicId)?.cleanup ?? UNKNOWN;
  }
  /** True for a topic with LogAppendTime: the writer stamps its records. */
  stampsArrival(topicId: number): boolean {
    return this.#find(topicId)?.stampsArrival ?? false;
  }
  nameOf(topicId: number): string | undefined {
    return this.#find(topicId)?.name;
  }
  /** True when a topic has retention or compaction. */
  someForget(): boolean {
    for (const { cleanup } of this.#byId.values()) if (forgets(cleanup)) return true;
    return false;
  }
  #find(topicId: number): KnownTopic | undefined {
    const known = this.#byId.get(topicId);
    if (known !== undefined) return known;
    this.refresh();
    const found = this.#byId.get(topicId);
    if (found === undefined && this.#damage !== undefined) throw this.#damage;
    return found;
  }
  /** Reads these topics again: creating one topic costs the same for any number of topics. */
  learn(names: readonly string[]): void {
    for (const name of names) {
      try {
        const meta = readMeta<TopicMeta>(this.#env, topicMetaKey(name));
        if (meta !== undefined) this.#byId.set(meta.id, knownTopic(meta));
      } catch {
        // Damaged: an append to the topic reports it, as when all are read.
      }
    }
  }
  /** Reads all topics again, and returns them. A topic whose entry is damaged is left out, and appends to it report that. */
  refresh(): readonly KnownTopic[] {
    this.#byId = new Map();
    this.#damage = undefined;
    for (const { key, value } of this.#env.tables.meta.getRange({ start: TOPIC_PREFIX, end: prefixEnd(TOPIC_PREFIX), snapshot: false })) {
      try {
        const topic = knownTopic(fromBytes<TopicMeta>(unseal('meta', key, value)));
        this.#byId.set(topic.id, topic);
      } catch (error) {
        this.#damage ??= error instanceof Error ? error : new Error(String(error));
      }
    }
    return [...this.#byId.values()];
  }
}
const knownTopic = ({ id, shape }: TopicMeta): KnownTopic => ({
  id,
  name: shape.name,
  partitions: shape.partitions,
  cleanup: cleanupOf(shape),
  stampsArrival: shape.timestamps === 'arrival',
});
/** True when a cleanup policy deletes any record. */
export const forgets = ({ compacts, retentionMs, retentionBytes }: Cleanup): boolean => compacts || retentionMs !== Infinity || retentionBytes !== Infinity;
const UNKNOWN: Cleanup = cleanupOf({ cleanup: 'delete', retentionMs: undefined });
