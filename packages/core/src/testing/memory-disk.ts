/**
 * The data of a memory log: topics, stores, groups and positions in plain maps, and one function that commits.
 *
 * A commit is checked whole, then applied whole, in one synchronous call: atomicity and the prefix promise need nothing else.
 * Several memory logs over one disk are like several processes over one folder. Options add what happens in real logs: holes
 * between offsets, and power cuts that roll back changes that were not flushed.
 */
import type { OffsetAt, Position } from '../port/log.ts';
import type { NumberedCommit } from '../port/numbered-log.ts';
import type { Cleaned, CleanOptions } from '../port/tools.ts';
import type { StorePart } from '../port/state-store.ts';
import { StoplogError } from '../pure/errors.ts';
import { step, type GroupEvent } from '../pure/group/coordinator.ts';
import type { GroupEffect } from '../pure/group/change.ts';
import { checkEpoch, checkMoves } from '../pure/group/fence.ts';
import { EMPTY_GROUP, type GroupState, type Member } from '../pure/group/group-state.ts';
import { isSource, partitionName } from '../pure/group/group-partition.ts';
import type { ProducerIncarnation } from '../pure/producer/producer.ts';
import { endMoved } from '../pure/producer/refusals.ts';
import { inspectHeader, openBatch, type BatchView } from '../pure/record/batch.ts';
import { shapeDifference, type TopicShape } from '../pure/topic/shape.ts';
import { cleanTopic, moveStart } from './memory-cleaning.ts';
import { MemoryJournal, type Change, type Receipt } from './memory-journal.ts';
import { MemoryPart } from './memory-part.ts';
import { appendTo, emptyPartition, firstAt, readFrom, type MemoryPartition, type MemoryTopic } from './memory-partition.ts';
import { MemoryProducers } from './memory-producers.ts';

export interface MemoryDiskOptions {
  /**
   * Offsets left unused after each batch, as Kafka's transactions leave them: one by default, none with `false`; a function
   * returns the number for each batch.
   */
  readonly holes?: boolean | (() => number);
  /** The clock of LogAppendTime, retention and producers: the machine's by default. */
  readonly now?: () => number;
  /** With `'later'`, changes become durable at the next `flush()`, and `powerCut()` rolls back the others. */
  readonly flush?: 'at once' | 'later';
}
interface MemoryStore {
  readonly made: StorePart;
  readonly parts: Map<number, MemoryPart>;
}
export interface MemoryMember extends Member {
  readonly pid: number;
  readonly sessionMs: number;
}
export type MemoryGroupState = GroupState<MemoryMember>;
export interface MemoryGroup {
  state: MemoryGroupState;
  readonly positions: Map<string, bigint>;
}
/** A change, in the order in which changes became visible: a commit, or a step of a group. */
export interface MemoryChange extends Change {
  readonly group?: MemoryGroupState | undefined;
}

export class MemoryDisk {
  readonly topics: Map<string, MemoryTopic> = new Map();
  readonly groups: Map<string, MemoryGroup> = new Map();
  readonly producers: MemoryProducers = new MemoryProducers();
  readonly #stores = new Map<string, MemoryStore>();
  readonly #watchers = new Set<() => void>();
  readonly #journal: MemoryJournal<MemoryChange>;
  readonly #hole: () => number;
  readonly #now: () => number;
  /** Incarnations of actors with a refused commit. */
  readonly #refused = new Set<string>();
  #appends = 0;

  constructor({ holes = true, now = Date.now, flush = 'at once' }: MemoryDiskOptions = {}) {
    this.#hole = typeof holes === 'function' ? holes : (): number => (holes ? 1 : 0);
    this.#now = now;
    this.#journal = new MemoryJournal(flush === 'at once');
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
    const committed = this.groups.get(group)?.positions.get(partitionName({ topic, partition }));
    return committed ?? (isSource(topic) ? 0n : this.partition(topic, partition).start);
  }
  /** Runs a step of a group's coordinator, and returns its effects. */
  step(name: string, event: GroupEvent<MemoryMember>): readonly GroupEffect[] {
    const group = this.group(name);
    const before = group.state;
    const [after, effects] = this.coordinate(before, event);
    if (after === before) return [];
    group.state = after;
    const undo = (): void => {
      group.state = before;
    };
    this.#journal.add({ group: after, receipt: { offsets: [], durable: false, lost: false }, undo });
    this.changed();
    return effects;
  }
  /** Removes members as if their sessions had timed out: those of one `pid`, or all. Their commits are refused; they join again. */
  evict(name: string, pid?: number): void {
    for (const member of this.group(name).state.members)
      if (pid === undefined || member.pid === pid) this.step(name, { type: 'expire', id: member.id, beat: member.heartbeats, why: 'silent' });
  }

  producer(name: string, held?: ProducerIncarnation): ProducerIncarnation {
    const incarnation = this.producers.open(name, held, this.#now());
    this.flush();
    return incarnation;
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
      else this.topics.set(shape.name, { id: this.topics.size + 1, shape, partitions: Array.from({ length: shape.partitions }, emptyPartition) });
    }
    this.flush();
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
    return this.part(part.store, part.partition);
  }
  /** The opened part of a store. */
  part(store: string, partition: number): MemoryPart {
    const { parts } = this.#store(store);
    let part = parts.get(partition);
    if (part === undefined) parts.set(partition, (part = new MemoryPart()));
    return part;
  }

  /** The batches from a position on, up to a limit of bytes, and the offset of the next read. */
  fetch({ topic, partition: number, offset }: Position, bytes: number): { readonly next: bigint; readonly batches: readonly BatchView[] } {
    const partition = this.partition(topic, number);
    if (offset < partition.start || offset > partition.end) {
      throw new StoplogError(
        'STOPLOG_OFFSET_OUT_OF_RANGE',
        { topic, partition: number, offset, start: partition.start, end: partition.end },
        `${topic}[${number}] holds the offsets ${partition.start} to ${partition.end}, and ${offset} is outside: read from 'earliest', 'latest' or an offset between`,
      );
    }
    return readFrom(partition, offset, bytes);
  }
  offset(topic: string, number: number, at: OffsetAt): bigint {
    const partition = this.partition(topic, number);
    return at === 'earliest' ? partition.start : at === 'latest' ? partition.end : firstAt(partition, at.time);
  }

  /** Applies all of the commit or nothing. Visible when it returns. */
  commit(commit: NumberedCommit): Receipt {
    try {
      this.#check(commit);
    } catch (error) {
      this.refuse(commit);
      throw error;
    }
    const { offsets, undo } = this.apply(commit);
    const receipt: Receipt = { offsets, durable: false, lost: false };
    this.#journal.add({ commit, receipt, undo });
    this.changed();
    return receipt;
  }
  /** Records that a commit was refused: no later commit of the same incarnation is accepted. */
  refuse({ incarnation }: NumberedCommit): void {
    if (incarnation !== undefined) this.#refused.add(incarnation);
  }

  /** Changes that are visible and not durable, oldest first. */
  get unflushed(): readonly MemoryChange[] {
    return this.#journal.unflushed;
  }
  /** Makes every change durable, and returns the changes that were not. */
  flush(): readonly MemoryChange[] {
    return this.#journal.flush();
  }
  /** The machine stops: the first `survivors` changes that were not durable survive, the others are undone and returned. */
  powerCut(survivors: number): readonly MemoryChange[] {
    const lost = this.#journal.powerCut(survivors);
    this.changed();
    return lost;
  }
  /** Resolves when a commit is durable; never when a power cut rolls it back. */
  durable(receipt: Receipt): Promise<void> {
    return this.#journal.durable(receipt);
  }

  deleteRecords(before: readonly Position[]): readonly Position[] {
    const partitions = before.map(({ topic, partition }) => this.partition(topic, partition));
    before.forEach(({ topic, partition, offset }, i) => {
      const { start, end } = partitions[i]!;
      if (offset < 0n || offset > end)
        throw new StoplogError(
          'STOPLOG_OFFSET_OUT_OF_RANGE',
          { topic, partition, offset, start, end },
          `${topic}[${partition}] ends at ${end}, and ${offset} is ${offset < 0n ? 'before its beginning' : 'after it'}: give an offset up to the end`,
        );
    });
    // Deleted records cannot be restored, so the changes before the deletion are made durable first.
    this.flush();
    before.forEach(({ offset }, i) => moveStart(partitions[i]!, offset));
    this.changed();
    return before.map((position, i) => ({ ...position, offset: partitions[i]!.start }));
  }
  /** Retention and compaction by the rules of every log, in one step. */
  clean({ topics, roll: rolls = false, now = this.#now() }: CleanOptions = {}): readonly Cleaned[] {
    this.flush();
    this.producers.forget(now);
    const cleaned = [...(topics ?? this.topics.keys())].flatMap((topic) => cleanTopic(this.topic(topic), rolls, now));
    this.changed();
    return cleaned;
  }

  /** Resolves at the next change, or when `giveUp` resolves. */
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

  // Each rule is a method of its own, so that a test can break one and see that a check fails.
  protected coordinate(state: MemoryGroupState, event: GroupEvent<MemoryMember>): readonly [MemoryGroupState, readonly GroupEffect[]] {
    return step(state, event);
  }
  protected checkLife({ incarnation }: NumberedCommit): void {
    if (incarnation !== undefined && this.#refused.has(incarnation))
      throw fenced({ incarnation }, 'an earlier commit of this actor was refused, and this one was made from it');
  }
  protected checkEpochs({ group, epoch, positions }: NumberedCommit): void {
    const { state } = this.group(group);
    for (const { topic, partition } of positions)
      checkEpoch(epoch, state.held.get(partitionName({ topic, partition }))?.epoch, () => ({ place: { topic, partition }, groupEpoch: state.epoch }));
  }
  protected checkPositions({ group, epoch, positions }: NumberedCommit): void {
    for (const { topic, partition, from } of positions) {
      const stands = this.#stands(group, topic, partition, from);
      if (stands !== from) throw fenced({ epoch, partition, from, stands }, `this commit continues from offset ${from}, but the group is at ${stands}`);
    }
  }
  protected apply(commit: NumberedCommit): { readonly offsets: readonly bigint[]; readonly undo: () => void } {
    const now = this.#now();
    const undos: (() => void)[] = [];
    const producers = this.producers.inCommit(now);
    const offsets = commit.appends.map((append) => {
      const { topic, partition, batch } = append;
      const base = this.partition(topic, partition).end;
      const repeats = producers.arrive(append, countOf(batch), base);
      if (repeats !== undefined) return repeats;
      undos.push(appendTo(this.topic(topic), { partition, batch, hole: this.#hole(), order: this.#appends++, now }));
      return base;
    });
    undos.push(producers.keep());
    for (const { store, partition, keys, values } of commit.stores) {
      const part = this.part(store, partition);
      const before = part.exchange({ keys, values });
      undos.push(() => part.write(before));
    }
    const { positions } = this.group(commit.group);
    for (const { topic, partition, from, to } of commit.positions) {
      if (from === to) continue;
      const place = partitionName({ topic, partition });
      const before = positions.get(place);
      positions.set(place, to);
      undos.push(() => (before === undefined ? positions.delete(place) : positions.set(place, before)));
    }
    return {
      offsets,
      undo: () => {
        for (const undo of undos.toReversed()) undo();
      },
    };
  }

  #check(commit: NumberedCommit): void {
    for (const { topic, partition, batch } of commit.appends) {
      this.partition(topic, partition);
      inspectHeader(batch);
    }
    for (const { store } of commit.stores) this.#store(store);
    checkMoves(commit.group, commit.positions);
    for (const { topic, partition } of commit.positions) if (!isSource(topic)) this.partition(topic, partition);
    this.checkLife(commit);
    const producers = this.producers.inCommit(0);
    for (const append of commit.appends) {
      const { end } = this.partition(append.topic, append.partition);
      const repeats = producers.arrive(append, countOf(append.batch), end);
      if (repeats === undefined && append.expectedEnd !== undefined && append.expectedEnd !== end) throw endMoved(append, append.expectedEnd, end);
      if (repeats === undefined && this.topic(append.topic).shape.timestamps === 'arrival') openBatch(append.batch);
    }
    if (commit.group === '') return;
    this.checkEpochs(commit);
    this.checkPositions(commit);
  }
  /** A group that never committed continues from the start of the log at the time when it began to read. */
  #stands(group: string, topic: string, partition: number, from: bigint): bigint {
    const committed = this.groups.get(group)?.positions.get(partitionName({ topic, partition }));
    const start = isSource(topic) ? 0n : this.partition(topic, partition).start;
    return committed ?? (from < start ? from : start);
  }
  #store(name: string): MemoryStore {
    const store = this.#stores.get(name);
    if (store === undefined)
      throw new StoplogError('STOPLOG_USAGE', { store: name }, `store '${name}' was not opened: call store(part) before committing to it`);
    return store;
  }
}

const fenced = (facts: Readonly<Record<string, unknown>>, why: string): StoplogError =>
  new StoplogError('STOPLOG_FENCED', facts, `${why}: nothing of this commit was kept, and nothing is to be done`);
const countOf = (batch: Uint8Array): number => inspectHeader(batch).lastOffsetDelta + 1;
