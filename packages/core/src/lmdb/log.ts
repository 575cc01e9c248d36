/**
 * The Log over LMDB in any thread: reads through the memory map, commits by message to the writer.
 */
import type { Assignment, Committed, Membership, OffsetAt, Position, QueueLoad, RecordBatch, TopicPartition, TopicUse } from '../port/log.ts';
import type { NumberedCommit, NumberedLog, ProducerIncarnation } from '../port/numbered-log.ts';
import type { Cleaned, CleanOptions } from '../port/tools.ts';
import type { StateStore, StorePart } from '../port/state-store.ts';
import { StoplogError } from '../pure/errors.ts';
import { checkMoves } from '../pure/group/fence.ts';
import { checkMembership } from '../pure/group/member.ts';
import { isSource, type Unit } from '../pure/group/group-partition.ts';
import { checkName } from '../pure/topic/name.ts';
import { commitSize, encodeCommit, type IdCommit } from './layout/commit-bytes.ts';
import { numbered } from './layout/group-record.ts';
import { prefixEnd, storePrefix, unseal } from './layout/keyspace.ts';
import {
  exchangesKey,
  fromBytes,
  groupMetaKey,
  sourceMetaKey,
  storeMetaKey,
  TOPIC_PREFIX,
  topicMetaKey,
  type GroupMeta,
  type SourceMeta,
  type StoreMeta,
  type TopicMeta,
} from './layout/meta.ts';
import type { TopicShape } from '../pure/topic/shape.ts';
import { readEnds, readMeta, readPosition } from './tables/rows.ts';
import { failpoint } from '../failpoints/failpoint.ts';
import { asLogError, type Env } from './tables/env.ts';
import { refresh } from './tables/seen.ts';
import { readGroup } from './transaction/groups.ts';
import { joinGroup } from './joining.ts';
import { offsetForTime, readBatches, type Found, type PartitionId } from './tables/reader.ts';
import { storedWrites } from './tables/long-keys.ts';
import { openStateStore } from './tables/store.ts';
import type { WriterLink } from './writer/link.ts';

/** Looks after a commit that is being written: a few hundred microseconds of them. */
const LOOKS = 30;
/** A commit is durable before it is answered: see decision 0006. */
const DURABLE: Promise<void> = Promise.resolve();

export class LmdbLog implements NumberedLog {
  readonly #env: Env;
  readonly #link: WriterLink;
  readonly #close: () => Promise<void>;
  readonly #topics = new Map<string, { readonly id: number; readonly partitions: number }>();
  readonly #groups = new Map<string, number>();
  readonly #sources = new Map<string, number>();
  readonly #stores = new Map<string, number>();
  /** The exchanges of names that this log has followed. */
  #exchanges = 0;
  #naming: Promise<void> | undefined;
  #closed: Promise<void> | undefined;

  constructor(env: Env, link: WriterLink, close: () => Promise<void>) {
    this.#env = env;
    this.#link = link;
    this.#close = close;
  }

  get queue(): QueueLoad {
    return this.#link.load;
  }

  async ensure(topics: readonly TopicShape[], use?: TopicUse): Promise<void> {
    await this.#link.call({ type: 'ensure', topics, use });
  }

  async *join(group: string, membership: Membership, signal: AbortSignal): AsyncIterable<Assignment> {
    checkMembership(membership);
    this.#readNow(() => this.#follow());
    const sources = membership.units.flat().flatMap(({ topic }) => (isSource(topic) ? [topic] : []));
    const groupId = await this.#openGroup(group, sources, true);
    yield* joinGroup(membership, {
      group,
      groupId,
      units: this.#units(membership.units),
      read: () => this.#readNow(() => readGroup(this.#env, groupId)),
      link: this.#link,
      isOpen: () => this.#closed === undefined,
      signal,
    });
  }

  async fetch(from: Position, limit: { readonly bytes: number; readonly waitMs: number }, signal: AbortSignal): Promise<RecordBatch> {
    this.#checkOpen();
    let place = this.#place(from);
    const look = (): Found => readBatches(this.#env, place, from.offset, limit.bytes);
    let found = look();
    const until = performance.now() + limit.waitMs;
    for (let left = limit.waitMs; isNothing(found, from) && left > 0 && !signal.aborted; left = until - performance.now()) {
      await this.#link.wait({ type: 'wait', topicId: place.topicId, partition: place.partition, offset: from.offset }, left, signal);
      // Waiters are notified while the commit is being written: it becomes visible within a few looks, or the next wait ends
      // with it.
      for (let n = 0; n < LOOKS && this.#closed === undefined; n++) {
        found = look();
        if (!isNothing(found, from) || signal.aborted) break;
        await new Promise((resolve) => setImmediate(resolve));
      }
      if (this.#closed !== undefined) break;
      this.#follow();
      place = this.#place(from);
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
      this.#follow();
      const groupId = this.#groups.get(group) ?? readMeta<GroupMeta>(this.#env, groupMetaKey(group))?.id;
      return partitions.map((partition) => {
        if (isSource(partition.topic)) return { ...named(partition), offset: this.#sourcePosition(groupId, partition) };
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

  async producer(name: string, held?: ProducerIncarnation): Promise<ProducerIncarnation> {
    checkName('producer', name);
    return (await this.#link.call({ type: 'open-producer', name, held })).producer;
  }

  async commit(commit: NumberedCommit): Promise<Committed> {
    checkMoves(commit.group, commit.positions);
    if (this.#naming !== undefined || this.#isNew(commit)) await this.#name(commit);
    const toSend: IdCommit = {
      groupId: commit.group === '' ? 0 : this.#groups.get(commit.group)!,
      epoch: commit.epoch,
      positions: commit.positions.map(({ topic, partition, from, to }) => ({ topicId: this.#placeId(topic, partition), partition, from, to })),
      appends: commit.appends.map(({ topic, partition, batch, producer, expectedEnd }) => ({
        topicId: this.#topicId(topic, partition),
        partition,
        batch,
        producer,
        expectedEnd,
      })),
      stores: commit.stores.map(({ store, partition, keys, values }) => storedWrites({ prefix: storePrefix(this.#storeId(store), partition), keys, values })),
    };
    failpoint(commit.group === '' ? 'append.before' : 'commit.before');
    const { offsets } = await this.#link.commit(commitSize(toSend), commit.incarnation, () => encodeCommit(toSend));
    failpoint(commit.group === '' ? 'append.acked' : 'commit.applied');
    // This log sees its own commit from here on: the snapshot of this turn may be older.
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

  /** Applies retention and compaction now. */
  async clean(options: CleanOptions): Promise<readonly Cleaned[]> {
    const there = new Set((await this.topics()).map(({ name }) => name));
    for (const topic of options.topics ?? []) if (!there.has(topic)) this.#findTopic(topic);
    const { cleaned } = await this.#link.call({ type: 'clean', options });
    this.#env.root.resetReadTxn();
    return cleaned;
  }

  /** Every topic, by name. */
  topics(): Promise<readonly TopicShape[]> {
    return this.#read(() => {
      const range = this.#env.tables.meta.getRange({ start: TOPIC_PREFIX, end: prefixEnd(TOPIC_PREFIX), snapshot: false });
      return [...range].map(({ key, value }) => fromBytes<TopicMeta>(unseal('meta', key, value)).shape);
    });
  }

  /** Names may have been deleted, or may have other numbers now. */
  forget(): void {
    for (const known of [this.#topics, this.#groups, this.#sources, this.#stores]) known.clear();
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  /** Looks topics up again after their names have changed. Actors ask for positions when they start, so they begin with the present numbers. */
  #follow(): void {
    const exchanges = readMeta<number>(this.#env, exchangesKey()) ?? 0;
    if (exchanges === this.#exchanges) return;
    this.#exchanges = exchanges;
    this.#topics.clear();
  }
  #isNew({ group, positions }: NumberedCommit): boolean {
    return group !== '' && (!this.#groups.has(group) || positions.some(({ topic }) => isSource(topic) && !this.#sources.has(topic)));
  }
  /**
   * Finds the numbers of a group and its sources before its first commit. Later commits queue behind it, so commits keep
   * their order.
   */
  async #name(commit: NumberedCommit): Promise<void> {
    const turn = (this.#naming ?? Promise.resolve()).then(async () => {
      if (this.#isNew(commit))
        await this.#openGroup(
          commit.group,
          commit.positions.flatMap(({ topic }) => (isSource(topic) ? [topic] : [])),
          false,
        );
    });
    const naming = turn.catch(() => {});
    this.#naming = naming;
    try {
      await turn;
    } finally {
      if (this.#naming === naming) this.#naming = undefined;
    }
  }
  async #openGroup(group: string, sources: readonly string[], joins: boolean): Promise<number> {
    const { groupId, sourceIds } = await this.#link.call({ type: 'open-group', group, sources, joins });
    this.#groups.set(group, groupId);
    sources.forEach((source, i) => this.#sources.set(source, sourceIds[i]!));
    return groupId;
  }
  /** Units with the numbers of topics in place of their names. */
  #units(units: readonly Unit[]): readonly Unit[] {
    return units.map((unit) => unit.map(({ topic, partition }) => numbered(this.#placeId(topic, partition), partition)));
  }
  async #read<T>(read: () => T): Promise<T> {
    return this.#readNow(read);
  }
  #readNow<T>(read: () => T): T {
    this.#checkOpen();
    try {
      refresh(this.#env);
      return read();
    } catch (error) {
      throw asLogError(this.#env, error);
    }
  }
  #place({ topic, partition }: TopicPartition): PartitionId {
    return { topic, topicId: this.#topicId(topic, partition), partition };
  }
  #sourcePosition(groupId: number | undefined, { topic, partition }: TopicPartition): bigint {
    const id = this.#sources.get(topic) ?? readMeta<SourceMeta>(this.#env, sourceMetaKey(topic))?.id;
    return (groupId !== undefined && id !== undefined ? readPosition(this.#env, groupId, id, partition) : undefined) ?? 0n;
  }
  /** The number of a place's topic, or of its source. */
  #placeId(topic: string, partition: number): number {
    return (isSource(topic) ? this.#sources.get(topic) : undefined) ?? this.#topicId(topic, partition);
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
