/**
 * The log of a repair: every batch that can be proved goes to its partition, with the known ends. A partition of which only
 * the name is left is created too, if any entry says how far it reached.
 */
import type { RepairedPartition } from '../../port/inspection.ts';
import type { Names } from './entries/names.ts';
import { decodeEnds, decodeSegment, ENDS_BYTES, partitionKey, SEGMENT_BYTES, type Ends } from '../layout/keyspace.ts';
import type { Segment } from '../../pure/retention/segment.ts';
import type { TopicShape } from '../../pure/topic/shape.ts';
import { PartitionRepair } from './repair-partition.ts';
import type { RepairSource } from './repair-source.ts';
import type { RepairTarget } from './repair-target.ts';

export interface RepairedTopic {
  readonly id: number;
  readonly shape: TopicShape;
  /** The topic's name was lost. */
  readonly isRenamed: boolean;
  readonly partitions: readonly RepairedPartition[];
}
interface NumberedPartition {
  readonly topicId: number;
  readonly partition: number;
}

export class LogRepair {
  readonly #source: RepairSource;
  readonly #target: RepairTarget;
  #names: Names;
  readonly #namesLost: boolean;
  readonly #readTo: (NumberedPartition & { readonly offset: bigint })[] = [];
  /** By the first eight bytes of their keys, in hexadecimal digits, which sort. */
  readonly #ends = new Map<string, Ends>();
  readonly #segments = new Map<string, Segment[]>();
  readonly #partitions = new Map<string, NumberedPartition & { readonly repair: PartitionRepair }>();

  constructor(source: RepairSource, target: RepairTarget, names: Names, namesLost: boolean) {
    this.#source = source;
    this.#target = target;
    this.#names = names;
    this.#namesLost = namesLost;
  }

  /** Reads the ends and segments. Calls `marked` with the numbers of topics that were deleted. */
  async readEnds(marked: (id: number) => void): Promise<void> {
    const isEnds = (key: Buffer, { length }: Buffer): boolean => key.length === 8 && length === ENDS_BYTES && this.#names.topics.has(key.readUInt32BE(0));
    for (const { key, value } of await this.#source.all('ends', isEnds)) {
      // A deleted topic leaves this mark.
      if (value.length === 0) {
        marked(key.readUInt32BE(0));
        this.#target.put('ends', key, value);
      } else if (isEnds(key, value) || value.length === ENDS_BYTES) this.#ends.set(key.toString('hex'), decodeEnds(value));
    }
    for (const { key, value } of await this.#source.all('segments', () => false)) {
      const name = key.toString('hex', 0, 8);
      if (value.length === SEGMENT_BYTES) this.#segments.set(name, [...(this.#segments.get(name) ?? []), decodeSegment(key, value)]);
    }
  }

  /** A group has read a partition up to this offset, so its batches reached it, whatever is left of them. */
  read(topicId: number, partition: number, offset: bigint): void {
    this.#readTo.push({ topicId, partition, offset });
  }
  /** Leaves topics out: what is found of them later is not put. */
  leaveOut(ids: ReadonlySet<number>): void {
    const topics = new Map([...this.#names.topics].filter(([id]) => !ids.has(id)));
    this.#names = { ...this.#names, topics, gone: new Set([...this.#names.gone, ...ids]) };
  }

  async putBatches(): Promise<readonly RepairedTopic[]> {
    const { salvage, orphans } = this.#source;
    for (const [topicId, { partitions }] of this.#names.topics)
      for (let partition = 0; partition < partitions; partition++) if (this.#ends.has(nameOf({ topicId, partition }))) this.#at({ topicId, partition });
    for (const name of this.#ends.keys()) if (this.#isOf(placeOf(name))) this.#at(placeOf(name));
    this.#reach();
    for (const { offset, ...place } of this.#readTo) if (this.#isOf(place)) this.#at(place).reach(offset);
    for await (const view of this.#source.inTurns(salvage.batches())) {
      if (this.#isOf(view)) this.#at(view).take(view, this.#target);
      this.#source.records += view.count;
    }
    for (const view of orphans.batches) if (this.#isOf(view)) this.#at(view).offer(view);
    return this.#topics().map((topic) => ({
      ...topic,
      partitions: [...this.#partitions]
        .filter(([, { topicId }]) => topicId === topic.id)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, { repair }]) => repair.finish(topic.shape.name, this.#segments.get(name) ?? [], orphans.hidden, this.#target)),
    }));
  }

  /**
   * How far each partition reached, where the ends do not say: from copies of ends on any page. For partitions without
   * batches, too.
   */
  #reach(): void {
    const { salvage } = this.#source;
    if (this.#isIncomplete)
      for (const [topicId, { partitions }] of this.#names.topics) for (let partition = 0; partition < partitions; partition++) this.#at({ topicId, partition });
    if (!this.#isIncomplete && salvage.isLatest) return;
    for (const { key, value } of salvage.endsAfter(this.#isIncomplete ? 0 : salvage.snapshot.txn)) {
      const place = { topicId: key.readUInt32BE(0), partition: key.readUInt32BE(4) };
      if (value.length !== ENDS_BYTES || !this.#isOf(place)) continue;
      const there = decodeEnds(value);
      this.#at(place).reach(there.end, there);
    }
  }
  get #isIncomplete(): boolean {
    return this.#source.salvage.missing('ends') !== 0;
  }
  /** The topics that have names, and the ones of which only batches are left. */
  #topics(): readonly Omit<RepairedTopic, 'partitions'>[] {
    const topics = [...this.#names.topics].map(([id, shape]) => ({ id, shape, isRenamed: false }));
    for (const id of new Set([...this.#partitions.values()].map(({ topicId }) => topicId))) {
      if (this.#names.topics.has(id)) continue;
      const own = [...this.#partitions.values()].filter(({ topicId }) => topicId === id);
      const shape = unnamed(id, own.reduce((most, { partition }) => Math.max(most, partition), 0) + 1);
      if (this.#isIncomplete) for (let partition = 0; partition < shape.partitions; partition++) this.#at({ topicId: id, partition });
      topics.push({ id, shape, isRenamed: true });
    }
    return topics;
  }
  #isOf({ topicId, partition }: NumberedPartition): boolean {
    const shape = this.#names.topics.get(topicId);
    return shape === undefined ? this.#namesLost && !this.#names.gone.has(topicId) : partition < shape.partitions;
  }
  #at({ topicId, partition }: NumberedPartition): PartitionRepair {
    const name = nameOf({ topicId, partition });
    let found = this.#partitions.get(name);
    if (found === undefined) {
      found = { topicId, partition, repair: new PartitionRepair(topicId, partition, this.#ends.get(name), this.#source.salvage.isLatest) };
      this.#partitions.set(name, found);
    }
    return found.repair;
  }
}

const nameOf = ({ topicId, partition }: NumberedPartition): string => partitionKey(topicId, partition).toString('hex');
const placeOf = (name: string): NumberedPartition => ({ topicId: Number.parseInt(name.slice(0, 8), 16), partition: Number.parseInt(name.slice(8), 16) });

/** A topic of which only batches are left: the codec of its bytes is unknown. */
const unnamed = (id: number, partitions: number): TopicShape => ({
  name: `recovered.${id}`,
  partitions,
  cleanup: 'delete',
  retentionMs: undefined,
  keyCodec: 'bytes',
  valueCodec: 'bytes',
  keySchema: {},
  valueSchema: {},
});
