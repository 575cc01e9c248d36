/**
 * The Log over LMDB as any thread sees it: reads by the memory map, commits by message to the writer.
 */
import { randomUUID } from 'node:crypto';
import type {
  Assignment,
  Cleaned,
  CleanOptions,
  Commit,
  Committed,
  Log,
  OffsetAt,
  Position,
  ProducerLife,
  RecordBatch,
  TopicPartition,
} from '../../port/log.ts';
import type { StateStore, StorePart } from '../../port/state-store.ts';
import { StoplogError } from '../../pure/errors.ts';
import { checkName } from '../../pure/topic/name.ts';
import { step, type Watching } from '../../pure/group/ownership.ts';
import { encodeCommit } from '../../pure/log/commit-bytes.ts';
import { storePrefix, unseal } from '../../pure/log/keyspace.ts';
import { fromBytes, groupMetaKey, storeMetaKey, TOPIC_PREFIX, topicMetaKey, type GroupMeta, type StoreMeta, type TopicMeta } from '../../pure/log/meta.ts';
import { prefixEnd } from '../../pure/log/keyspace.ts';
import type { TopicShape } from '../../pure/topic/shape.ts';
import { readEnds, readMeta, readOwnership, readPosition } from './apply.ts';
import { failpoint } from '../failpoint.ts';
import { told, type Env } from './env.ts';
import { isAlive } from './process.ts';
import { offsetForTime, readBatches, type Found, type PartitionId } from './reader.ts';
import { lyingWrites } from './long-keys.ts';
import { openStateStore } from './store.ts';
import type { WriterLink } from './link.ts';

/** How often a member that waits looks whether the owner is still there. */
const LOOK_MS = 500;
/** Looks after a commit that is being written: a few hundred microseconds of them. */
const LOOKS = 30;
/** A commit is durable before it is answered: see decision 0006. */
const DURABLE: Promise<void> = Promise.resolve();

export class LmdbLog implements Log {
  readonly #env: Env;
  readonly #link: WriterLink;
  readonly #close: () => Promise<void>;
  readonly #topics = new Map<string, { readonly id: number; readonly partitions: number }>();
  readonly #groups = new Map<string, number>();
  readonly #stores = new Map<string, number>();
  #naming: Promise<void> | undefined;
  #closed: Promise<void> | undefined;

  constructor(env: Env, link: WriterLink, close: () => Promise<void>) {
    this.#env = env;
    this.#link = link;
    this.#close = close;
  }

  async ensure(topics: readonly TopicShape[]): Promise<void> {
    await this.#link.call({ type: 'ensure', topics });
  }

  async *join(group: string, partitions: readonly TopicPartition[], signal: AbortSignal): AsyncIterable<Assignment> {
    const groupId = await this.#openGroup(group);
    const instance = randomUUID();
    try {
      while (!signal.aborted) {
        const epoch = await this.#acquire(groupId, instance, signal);
        if (epoch === undefined) return;
        yield { group, epoch, partitions };
        await this.#link.wait({ type: 'wait-lost', groupId, epoch }, Infinity, signal);
        if (!signal.aborted) yield { group, epoch, partitions: [] };
      }
    } finally {
      failpoint('release');
      if (this.#closed === undefined) await this.#link.call({ type: 'leave', groupId, instance });
    }
  }

  async fetch(from: Position, limit: { readonly bytes: number; readonly waitMs: number }, signal: AbortSignal): Promise<RecordBatch> {
    this.#checkOpen();
    const place = this.#place(from);
    const look = (): Found => readBatches(this.#env, place, from.offset, limit.bytes);
    let found = look();
    const until = performance.now() + limit.waitMs;
    for (let left = limit.waitMs; isNothing(found, from) && left > 0 && !signal.aborted; left = until - performance.now()) {
      await this.#link.wait({ type: 'wait', topicId: place.topicId, partition: place.partition, offset: from.offset }, left, signal);
      // Who waits is told while the commit is being written: it shows within a few looks, or else the next wait ends with it.
      for (let n = 0; n < LOOKS && this.#closed === undefined; n++) {
        found = look();
        if (!isNothing(found, from) || signal.aborted) break;
        await new Promise((resolve) => setImmediate(resolve));
      }
      if (this.#closed !== undefined) break;
    }
    return { topic: from.topic, partition: from.partition, from: from.offset, next: found.next, batches: found.batches };
  }

  offsets(partitions: readonly TopicPartition[], at: OffsetAt): Promise<readonly Position[]> {
    return this.#read(() =>
      partitions.map((partition) => {
        const place = this.#place(partition);
        if (typeof at === 'object') return { ...named(partition), offset: offsetForTime(this.#env, place, at.time) };
        const ends = readEnds(this.#env, place.topicId, place.partition);
        return { ...named(partition), offset: at === 'earliest' ? ends.start : ends.end };
      }),
    );
  }

  committed(group: string, partitions: readonly TopicPartition[]): Promise<readonly Position[]> {
    return this.#read(() => {
      const groupId = this.#groups.get(group) ?? readMeta<GroupMeta>(this.#env, groupMetaKey(group))?.id;
      return partitions.map((partition) => {
        const place = this.#place(partition);
        const stands = groupId === undefined ? undefined : readPosition(this.#env, groupId, place.topicId, place.partition);
        return { ...named(partition), offset: stands ?? readEnds(this.#env, place.topicId, place.partition).start };
      });
    });
  }

  async store(part: StorePart): Promise<StateStore> {
    const recorded = this.#readNow(() => readMeta<StoreMeta>(this.#env, storeMetaKey(part.store)));
    const same = recorded !== undefined && recorded.group === part.group && recorded.version === part.version && recorded.fingerprint === part.fingerprint;
    const storeId = same ? recorded.id : (await this.#link.call({ type: 'open-store', part })).storeId;
    this.#stores.set(part.store, storeId);
    return openStateStore(this.#env, storeId, part);
  }

  async producer(name: string, held?: ProducerLife): Promise<ProducerLife> {
    checkName('producer', name);
    return (await this.#link.call({ type: 'open-producer', name, held })).producer;
  }

  async commit(commit: Commit): Promise<Committed> {
    if (this.#naming !== undefined || (commit.group !== '' && !this.#groups.has(commit.group))) await this.#name(commit.group);
    const bytes = encodeCommit({
      groupId: commit.group === '' ? 0 : this.#groups.get(commit.group)!,
      epoch: commit.epoch,
      positions: commit.positions.map(({ topic, partition, from, to }) => ({ topicId: this.#topicId(topic, partition), partition, from, to })),
      appends: commit.appends.map(({ topic, partition, batch, producer, expectedEnd }) => ({
        topicId: this.#topicId(topic, partition),
        partition,
        batch,
        producer,
        expectedEnd,
      })),
      stores: commit.stores.map(({ store, partition, keys, values }) => lyingWrites({ prefix: storePrefix(this.#storeId(store), partition), keys, values })),
    });
    failpoint(commit.group === '' ? 'append.before' : 'commit.before');
    const { offsets } = await this.#link.call({ type: 'commit', bytes, life: commit.life }, [bytes]);
    failpoint(commit.group === '' ? 'append.acked' : 'commit.applied');
    // What this log has committed, it sees from here on: the snapshot of this turn may be older.
    this.#env.root.resetReadTxn();
    return { offsets, durable: DURABLE };
  }

  async deleteRecords(before: readonly Position[]): Promise<readonly Position[]> {
    const { starts } = await this.#link.call({
      type: 'delete-records',
      before: before.map((position) => ({ ...this.#place(position), offset: position.offset })),
    });
    this.#env.root.resetReadTxn();
    return before.map((position, i) => ({ ...named(position), offset: starts[i]! }));
  }

  /** Applies retention and compacts, now. */
  async clean(options: CleanOptions): Promise<readonly Cleaned[]> {
    const there = new Set((await this.topics()).map(({ name }) => name));
    for (const topic of options.topics ?? []) if (!there.has(topic)) this.#findTopic(topic);
    const { cleaned } = await this.#link.call({ type: 'clean', options });
    this.#env.root.resetReadTxn();
    return cleaned;
  }

  /** Every topic there is, by name. */
  topics(): Promise<readonly TopicShape[]> {
    return this.#read(() => {
      const range = this.#env.tables.meta.getRange({ start: TOPIC_PREFIX, end: prefixEnd(TOPIC_PREFIX), snapshot: false });
      return [...range].map(({ key, value }) => fromBytes<TopicMeta>(unseal('meta', key, value)).shape);
    });
  }

  /** Names may have gone, or stand for other numbers by now. */
  forget(): void {
    for (const known of [this.#topics, this.#groups, this.#stores]) known.clear();
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  /** Waits until the group is free, and takes it; undefined when the signal ended the wait. */
  async #acquire(groupId: number, instance: string, signal: AbortSignal): Promise<number | undefined> {
    let watching: Watching | undefined;
    while (!signal.aborted) {
      const found = this.#readNow(() => readOwnership(this.#env, groupId));
      const ownerAlive = found.owner !== null && isAlive(found.owner.pid, found.owner.started);
      const [next, effect] = step(watching, { type: 'looked', found, ownerAlive, at: performance.now() });
      watching = next;
      if (effect.type === 'take') {
        const { taken, now } = await this.#link.call({ type: 'take', groupId, instance, seen: effect.epoch });
        if (taken) failpoint('acquire');
        if (taken) return now.epoch;
      } else {
        await this.#link.wait({ type: 'wait-lost', groupId, epoch: found.epoch }, LOOK_MS, signal);
      }
    }
    return undefined;
  }

  /** Finds the number of a group before its first commit. What is committed meanwhile goes behind it: commits keep their order. */
  async #name(group: string): Promise<void> {
    const turn = (this.#naming ?? Promise.resolve()).then(async () => {
      if (group !== '' && !this.#groups.has(group)) await this.#openGroup(group);
    });
    const naming = turn.catch(() => {});
    this.#naming = naming;
    try {
      await turn;
    } finally {
      if (this.#naming === naming) this.#naming = undefined;
    }
  }
  async #openGroup(group: string): Promise<number> {
    const { groupId } = await this.#link.call({ type: 'open-group', group });
    this.#groups.set(group, groupId);
    return groupId;
  }
  async #read<T>(read: () => T): Promise<T> {
    return this.#readNow(read);
  }
  #readNow<T>(read: () => T): T {
    this.#checkOpen();
    try {
      this.#env.root.resetReadTxn();
      return read();
    } catch (error) {
      throw told(this.#env, error);
    }
  }
  #place({ topic, partition }: TopicPartition): PartitionId {
    return { topic, topicId: this.#topicId(topic, partition), partition };
  }
  /** The number of a topic that has this partition. */
  #topicId(name: string, partition: number): number {
    const { id, partitions } = this.#topics.get(name) ?? this.#findTopic(name);
    if (partition >= 0 && partition < partitions) return id;
    throw new StoplogError(
      'STOPLOG_USAGE',
      { topic: name, partition, partitions },
      `topic '${name}' has no partition ${partition}: it has ${partitions}, counted from 0`,
    );
  }
  #findTopic(name: string): { readonly id: number; readonly partitions: number } {
    const meta = this.#readNow(() => readMeta<TopicMeta>(this.#env, topicMetaKey(name)));
    if (meta === undefined)
      throw new StoplogError(
        'STOPLOG_TOPIC_UNKNOWN',
        { topic: name },
        `there is no topic '${name}' in this log: append to it, run a pipeline that declares it, or look at 'stoplog topics' for what is there`,
      );
    const found = { id: meta.id, partitions: meta.shape.partitions };
    this.#topics.set(name, found);
    return found;
  }
  #storeId(name: string): number {
    const id = this.#stores.get(name);
    if (id === undefined)
      throw new StoplogError('STOPLOG_USAGE', { store: name }, `store '${name}' was not opened in this thread: call store(part) before committing to it`);
    return id;
  }
  #checkOpen(): void {
    if (this.#closed !== undefined) throw new StoplogError('STOPLOG_LOG_UNAVAILABLE', {}, 'the log is closed: open it again');
  }
}

const named = ({ topic, partition }: TopicPartition): TopicPartition => ({ topic, partition });

const isNothing = (found: Found, from: Position): boolean => found.batches.length === 0 && found.next === from.offset;
