/**
 * What a memory log keeps: plain maps, and one function that changes them.
 *
 * What it forgets, it forgets by the same pure rules as every log, all at once. Several memory logs over one disk are what several processes over one folder are. A commit is checked whole, then
 * applied whole, in one synchronous call: atomicity and the prefix promise need nothing else.
 */
import type { Cleaned, CleanOptions, Commit, Position } from '../port/log.ts';
import type { StorePart } from '../port/state-store.ts';
import { StoplogError } from '../pure/errors.ts';
import { step, type GroupEvent } from '../pure/group/coordinator.ts';
import { checkEpoch, checkMoves } from '../pure/group/fence.ts';
import { EMPTY_GROUP, type GroupState, type Member } from '../pure/group/group-state.ts';
import { isSource, placeName } from '../pure/group/place.ts';
import { cleanupOf } from '../pure/retention/cleanup.ts';
import { cleanable, cleanBatch, mapKeys } from '../pure/retention/compaction.ts';
import { Folding } from '../pure/retention/merging.ts';
import { KeyOffsets } from '../pure/retention/key-offsets.ts';
import { segmentsToForget, startAfter } from '../pure/retention/retention.ts';
import type { ProducerLife } from '../pure/producer/producer.ts';
import { endMoved } from '../pure/producer/refusals.ts';
import { stampTime } from '../pure/record/arrival-time.ts';
import { emptySegment, grow, isEmptySegment, isFull, isOverdue, mergesOf, type Arriving, type Segment } from '../pure/retention/segment.ts';
import { inspectHeader, openBatch, stampBatch } from '../pure/record/batch.ts';
import { MemoryProducers } from './memory-producers.ts';
import { shapeDifference, type TopicShape } from '../pure/topic/shape.ts';

export interface KeptBatch {
  readonly base: bigint;
  readonly next: bigint;
  readonly bytes: Uint8Array;
}
export interface MemoryPartition {
  readonly batches: KeptBatch[];
  start: bigint;
  end: bigint;
  cleanTo: bigint;
  readonly closed: Segment[];
  active: Segment;
}
export interface MemoryTopic {
  readonly id: number;
  shape: TopicShape;
  readonly partitions: readonly MemoryPartition[];
}
/** Keys as latin-1 text, which sorts as their bytes do. */
export type MemoryPart = Map<string, Uint8Array>;
interface MemoryStore {
  readonly made: StorePart;
  readonly parts: Map<number, MemoryPart>;
}
export interface MemoryMember extends Member {
  readonly pid: number;
}
export interface MemoryGroup {
  state: GroupState<MemoryMember>;
  readonly positions: Map<string, bigint>;
}

export class MemoryDisk {
  readonly topics: Map<string, MemoryTopic> = new Map();
  readonly groups: Map<string, MemoryGroup> = new Map();
  readonly producers: MemoryProducers = new MemoryProducers();
  readonly #stores = new Map<string, MemoryStore>();
  readonly #watchers = new Set<() => void>();
  readonly #holes: boolean;
  /** Lives of actors that a commit was refused to. */
  readonly #refused = new Set<string>();

  readonly #now: () => number;

  /** With `holes`, every commit leaves an offset unused behind each of its batches, as Kafka's transactions do. `now` says when records arrive. */
  constructor(holes: boolean = true, now: () => number = Date.now) {
    this.#holes = holes;
    this.#now = now;
  }

  topic(name: string): MemoryTopic {
    const topic = this.topics.get(name);
    if (topic === undefined)
      throw new StoplogError(
        'STOPLOG_TOPIC_UNKNOWN',
        { topic: name },
        `there is no topic '${name}' in this log: append to it, or run a pipeline that declares it`,
      );
    return topic;
  }
  partition(name: string, number: number): MemoryPartition {
    const topic = this.topic(name);
    const partition = topic.partitions[number];
    if (partition !== undefined) return partition;
    const { length } = topic.partitions;
    throw new StoplogError(
      'STOPLOG_USAGE',
      { topic: name, partition: number, partitions: length },
      `topic '${name}' has no partition ${number}: it has ${length}, counted from 0`,
    );
  }
  group(name: string): MemoryGroup {
    let group = this.groups.get(name);
    if (group === undefined) this.groups.set(name, (group = { state: EMPTY_GROUP, positions: new Map() }));
    return group;
  }
  position(group: string, topic: string, partition: number): bigint {
    const committed = this.groups.get(group)?.positions.get(placeName({ topic, partition }));
    return committed ?? (isSource(topic) ? 0n : this.partition(topic, partition).start);
  }
  /** One step of a group's coordinator. */
  step(name: string, event: GroupEvent<MemoryMember>): void {
    const group = this.group(name);
    const before = group.state;
    [group.state] = step(before, event);
    if (group.state !== before) this.changed();
  }
  /** Expels members, as if their processes had stood still for too long: those of one `pid`, or all. What they commit is refused; they join anew. */
  evict(name: string, pid?: number): void {
    for (const member of this.group(name).state.members)
      if (pid === undefined || member.pid === pid) this.step(name, { type: 'expire', id: member.id, beat: member.beat, why: 'silent' });
  }

  producer(name: string, held?: ProducerLife): ProducerLife {
    return this.producers.open(name, held, this.#now());
  }

  ensure(shapes: readonly TopicShape[]): void {
    for (const declared of shapes) {
      const found = this.topics.get(declared.name)?.shape;
      const difference = found && shapeDifference(declared, found);
      if (difference !== undefined) throw new StoplogError('STOPLOG_TOPIC_SHAPE', { topic: declared.name, declared, found }, difference);
    }
    for (const shape of shapes) {
      const found = this.topics.get(shape.name);
      if (found !== undefined) found.shape = shape;
      else
        this.topics.set(shape.name, {
          id: this.topics.size + 1,
          shape,
          partitions: Array.from({ length: shape.partitions }, () => ({ batches: [], start: 0n, end: 0n, cleanTo: 0n, closed: [], active: emptySegment(0n) })),
        });
    }
  }

  openStore(part: StorePart): MemoryPart {
    let store = this.#stores.get(part.store);
    if (store === undefined) this.#stores.set(part.store, (store = { made: part, parts: new Map() }));
    const { made } = store;
    if (made.group !== part.group)
      throw new StoplogError(
        'STOPLOG_STORE_OWNER',
        { store: part.store, owner: made.group, wanted: part.group },
        `store '${part.store}' belongs to pipeline '${made.group}': give this pipeline's store a name of its own`,
      );
    if (made.version !== part.version || made.fingerprint !== part.fingerprint) {
      throw new StoplogError(
        'STOPLOG_STORE_VERSION',
        { store: part.store, recorded: made.version, declared: part.version },
        `store '${part.store}' was recorded in another version or schema: restore it, or declare the store under a new name`,
      );
    }
    return this.#part(store, part.partition);
  }

  /** The base offset of each append. */
  commit(commit: Commit): readonly bigint[] {
    try {
      this.#check(commit);
    } catch (error) {
      if (commit.life !== undefined) this.#refused.add(commit.life);
      throw error;
    }
    const now = this.#now();
    const producers = this.producers.inCommit(now);
    const offsets = commit.appends.map((append) => {
      const { topic, partition: number, batch } = append;
      const partition = this.partition(topic, number);
      const base = partition.end;
      const repeats = producers.arrive(append, countOf(batch), base);
      if (repeats !== undefined) return repeats;
      const bytes = this.topic(topic).shape.timestamps === 'arrival' ? stampTime(copyOf(batch), now) : copyOf(batch);
      stampBatch(bytes, { topicId: this.topic(topic).id, partition: number, baseOffset: base });
      const header = inspectHeader(bytes);
      const next = base + BigInt(header.lastOffsetDelta) + 1n;
      const arriving: Arriving = { next, bytes: bytes.length, baseTimestamp: header.baseTimestamp, maxTimestamp: header.maxTimestamp, at: now };
      if (isFull(partition.active, arriving, cleanupOf(this.topic(topic).shape))) roll(partition);
      partition.active = grow(partition.active, arriving);
      partition.batches.push({ base, next, bytes });
      partition.end = this.#holes ? next + 1n : next;
      return base;
    });
    producers.keep();
    for (const { store, partition, keys, values } of commit.stores) {
      const part = this.#part(this.#store(store), partition);
      keys.forEach((key, i) => {
        const value = values[i] ?? null;
        if (value === null) part.delete(keyName(key));
        else part.set(keyName(key), copyOf(value));
      });
    }
    const { positions } = this.group(commit.group);
    for (const { topic, partition, from, to } of commit.positions) if (from !== to) positions.set(placeName({ topic, partition }), to);
    this.changed();
    return offsets;
  }
  #check(commit: Commit): void {
    const fenced = (facts: Readonly<Record<string, unknown>>, why: string): StoplogError =>
      new StoplogError('STOPLOG_FENCED', facts, `${why}: nothing of this commit was kept, and nothing is to be done`);
    for (const { topic, partition, batch } of commit.appends) {
      this.partition(topic, partition);
      inspectHeader(batch);
    }
    for (const { store } of commit.stores) this.#store(store);
    checkMoves(commit.group, commit.positions);
    for (const { topic, partition } of commit.positions) if (!isSource(topic)) this.partition(topic, partition);
    if (commit.life !== undefined && this.#refused.has(commit.life))
      throw fenced({ life: commit.life }, 'an earlier commit of this actor was refused, and this one was made from it');
    const producers = this.producers.inCommit(0);
    for (const append of commit.appends) {
      const { end } = this.partition(append.topic, append.partition);
      const repeats = producers.arrive(append, countOf(append.batch), end);
      if (repeats === undefined && append.expectedEnd !== undefined && append.expectedEnd !== end) throw endMoved(append, append.expectedEnd, end);
      if (repeats === undefined && this.topic(append.topic).shape.timestamps === 'arrival') openBatch(append.batch);
    }
    if (commit.group === '') return;
    const { state } = this.group(commit.group);
    for (const { topic, partition, from } of commit.positions) {
      checkEpoch(commit.epoch, state.held.get(placeName({ topic, partition }))?.epoch, () => ({ place: { topic, partition }, groupEpoch: state.epoch }));
      const stands = this.#stands(commit.group, topic, partition, from);
      if (stands !== from)
        throw fenced({ epoch: commit.epoch, partition, from, stands }, `this commit goes on from offset ${from}, but the group stands at ${stands}`);
    }
  }
  /** A group that never committed goes on from wherever the log started when it began to read. */
  #stands(group: string, topic: string, partition: number, from: bigint): bigint {
    const committed = this.groups.get(group)?.positions.get(placeName({ topic, partition }));
    const start = isSource(topic) ? 0n : this.partition(topic, partition).start;
    return committed ?? (from < start ? from : start);
  }
  #store(name: string): MemoryStore {
    const store = this.#stores.get(name);
    if (store === undefined)
      throw new StoplogError('STOPLOG_USAGE', { store: name }, `store '${name}' was not opened: call store(part) before committing to it`);
    return store;
  }
  #part(store: MemoryStore, number: number): MemoryPart {
    let part = store.parts.get(number);
    if (part === undefined) store.parts.set(number, (part = new Map()));
    return part;
  }

  deleteRecords(before: readonly Position[]): readonly Position[] {
    const partitions = before.map(({ topic, partition }) => this.partition(topic, partition));
    before.forEach(({ topic, partition, offset }, i) => {
      const { start, end } = partitions[i]!;
      if (offset < 0n || offset > end)
        throw new StoplogError(
          'STOPLOG_OFFSET_OUT_OF_RANGE',
          { topic, partition, offset, start, end },
          `${topic}[${partition}] ends at ${end}, and ${offset} lies ${offset < 0n ? 'before its beginning' : 'after it'}: give an offset up to the end`,
        );
    });
    before.forEach(({ offset }, i) => moveStart(partitions[i]!, offset));
    this.changed();
    return before.map((position, i) => ({ ...position, offset: partitions[i]!.start }));
  }

  /** Retention and compaction by the rules that every log has, in one step. */
  clean({ topics, roll: rolls = false, now = this.#now() }: CleanOptions = {}): readonly Cleaned[] {
    this.producers.forget(now);
    const cleaned: Cleaned[] = [];
    for (const topic of topics ?? this.topics.keys()) {
      const { shape, partitions } = this.topic(topic);
      partitions.forEach((partition, number) => {
        const before = { startBefore: partition.start, bytesBefore: bytesOf(partition) };
        if (rolls || isOverdue(partition.active, cleanupOf(shape), now)) roll(partition);
        forget(partition, shape, now);
        const counts = shape.cleanup === 'compact' ? compact(partition, shape, now) : { dropped: 0, kept: 0 };
        cleaned.push({ topic, partition: number, ...before, ...counts, start: partition.start, bytes: bytesOf(partition) });
      });
    }
    this.changed();
    return cleaned;
  }

  /** Resolves when anything has changed, or `giveUp` is resolved. */
  async nextChange(giveUp: Promise<void>): Promise<void> {
    let wake = (): void => {};
    const change = new Promise<void>((resolve) => {
      wake = resolve;
    });
    this.#watchers.add(wake);
    await Promise.race([change, giveUp]);
    this.#watchers.delete(wake);
  }
  changed(): void {
    for (const wake of this.#watchers) wake();
    this.#watchers.clear();
  }
}

const countOf = (batch: Uint8Array): number => inspectHeader(batch).lastOffsetDelta + 1;
const bytesOf = ({ batches }: MemoryPartition): number => batches.reduce((sum, { bytes }) => sum + bytes.length, 0);
const roll = (partition: MemoryPartition): void => {
  if (!isEmptySegment(partition.active)) partition.closed.push(partition.active);
  partition.active = emptySegment(partition.end);
};
const moveStart = (partition: MemoryPartition, start: bigint): void => {
  if (start <= partition.start) return;
  partition.start = start;
  partition.batches.splice(0, partition.batches.findLastIndex(({ next }) => next <= start) + 1);
  partition.closed.splice(0, partition.closed.findLastIndex(({ next }) => next <= start) + 1);
  if (partition.active.next <= start) partition.active = emptySegment(partition.end);
};
const forget = (partition: MemoryPartition, shape: TopicShape, now: number): void => {
  const segments = [...partition.closed, partition.active];
  const count = segmentsToForget(segments, cleanupOf(shape), now);
  moveStart(partition, count === segments.length ? partition.end : startAfter(segments, count, partition.start));
};
const compact = (partition: MemoryPartition, shape: TopicShape, now: number): { readonly dropped: number; readonly kept: number } => {
  const { start } = partition;
  const cleanup = cleanupOf(shape);
  const { from, to } = cleanable([...partition.closed, partition.active], partition, cleanup, now);
  if (to <= start) return { dropped: 0, kept: 0 };
  const keys = new KeyOffsets([1, 2]);
  for (const { next, bytes } of partition.batches) if (next > from) mapKeys(openBatch(bytes), keys, 0n, from, to);
  const pass = { keys, origin: 0n, start, to, now, deleteRetentionMs: cleanup.deleteRetentionMs };
  const below = partition.batches.filter(({ base }) => base < to);
  let dropped = 0;
  let kept = 0;
  const stamp = (bytes: Uint8Array, baseOffset: bigint): void => stampBatch(bytes, { ...inspectHeader(below[0]!.bytes), baseOffset });
  const bases = new Set(partition.closed.map(({ base }) => base));
  const folding = new Folding((base) => bases.has(base), stamp);
  for (const { base, next, bytes } of below) {
    const cleaned = cleanBatch(openBatch(bytes), pass);
    dropped += cleaned.dropped;
    kept += cleaned.kept;
    if (cleaned.bytes !== undefined) stamp(cleaned.bytes, base);
    folding.add({ base, next, was: bytes, bytes: cleaned.bytes, kept: cleaned.kept });
  }
  for (const { replaced, bytes } of folding.take()) {
    const first = partition.batches.findIndex(({ base }) => base === replaced[0]!.base);
    const { next } = partition.batches[first + replaced.length - 1]!;
    partition.batches.splice(first, replaced.length, { base: replaced[0]!.base, next, bytes });
  }
  partition.cleanTo = to;
  for (const { into, of } of mergesOf([...partition.closed, partition.active], to, cleanup))
    partition.closed.splice(partition.closed.indexOf(of[0]!), of.length, into);
  return { dropped, kept };
};

export const keyName = (key: Uint8Array): string => Buffer.from(key).toString('latin1');
/** Not `slice()`, which copies a Uint8Array and does not copy a Buffer. */
export const copyOf = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes);
