/**
 * A topic of a driven pipeline: what a Log keeps of one, in memory.
 *
 * Records lie here as encoded batches and are decoded by whoever reads them, as they are in any log: a value that a
 * codec cannot carry is found out by the test, not in production.
 */
import { type AnyTopic, LazyRecord, openBatch, type PackedBatch, stampBatch } from '@stoplog/core/kit';
import { stampTime } from '@stoplog/core/testing';

export class DrivenTopic {
  readonly topic: AnyTopic;
  /** Batches in the order in which they were appended, and where each partition's lie among them. */
  readonly batches: Uint8Array[] = [];
  readonly partitions: readonly Uint8Array[][];
  readonly #id: number;
  readonly #ends: bigint[];

  constructor(topic: AnyTopic, id: number) {
    this.topic = topic;
    this.#id = id;
    this.partitions = Array.from({ length: topic.partitions }, () => []);
    this.#ends = Array.from({ length: topic.partitions }, () => 0n);
  }

  /** `now` is the time of its records, where the topic has arrival times. */
  append(packed: PackedBatch, now: number): void {
    const { partition } = packed;
    const batch = this.topic.shape.timestamps === 'arrival' ? stampTime(packed.batch, now) : packed.batch;
    const baseOffset = this.#ends[partition] ?? 0n;
    stampBatch(batch, { topicId: this.#id, partition, baseOffset });
    this.#ends[partition] = openBatch(batch).nextOffset;
    this.batches.push(batch);
    this.partitions[partition]?.push(batch);
  }
  /** The records of one batch. Every call has a cursor of its own. */
  *recordsOf(batch: Uint8Array): Generator<LazyRecord, undefined> {
    const view = openBatch(batch);
    while (view.next()) yield new LazyRecord(view, this.topic.keySerde, this.topic.valueSerde, this.topic.name);
  }
}
