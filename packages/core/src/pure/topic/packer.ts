/**
 * A RecordPacker sorts the records of one topic into batches, one under construction per partition.
 *
 * A key's bytes decide its partition. Records without a key share a partition until the packed batches are taken; the next
 * ones go to the next partition. So batches stay large, and every partition gets its share. With `spread`, the partition
 * changes after that number of records, so that equal records, packed again, go to the same partitions.
 */
import { utf8, writeUtf8 } from '../bytes/text.ts';
import { BatchBuilder } from '../record/batch.ts';
import type { Header } from '../record/record.ts';
import type { Encoded } from '../schema/codec.ts';
import { partitionOf } from './partitioner.ts';

export interface PackedBatch {
  readonly topic: string;
  readonly partition: number;
  readonly batch: Uint8Array;
  readonly records: number;
}

export interface PackingOptions {
  /** The first partition for records without a key: packers that live for one append begin at a different one each time. 0 when left out. */
  readonly first?: number;
  readonly spread?: number | undefined;
  /** True for a record that is to be left out; called with the partition it would go to. */
  readonly leavesOut?: ((partition: number, key: Encoded | null, value: Encoded | null) => boolean) | undefined;
}

/** The size at which a batch is closed and the next one begun: scans reach four fifths of the speed of 1 MB batches, and latency stays low. */
export const BATCH_BYTES: number = 64 * 1024;
/** A thousand actors that each write to a thousand partitions must not take 64 MB before their first record, nor for every partition they never write to. */
const FIRST_BYTES = 1024;

export class RecordPacker {
  readonly topic: string;
  readonly #partitions: number;
  readonly #spread: number | undefined;
  readonly #leavesOut: PackingOptions['leavesOut'];
  readonly #builders = new Map<number, BatchBuilder>();
  readonly #full: PackedBatch[] = [];
  #fullBytes = 0;
  #openBytes = 0;
  #sticky: number;
  #keyless = 0;

  constructor(topic: string, partitions: number, { first = 0, spread, leavesOut }: PackingOptions = {}) {
    this.topic = topic;
    this.#partitions = partitions;
    this.#sticky = first % partitions;
    this.#spread = spread;
    this.#leavesOut = leavesOut;
  }

  /** Bytes that are packed and not yet taken. */
  get bytes(): number {
    return this.#fullBytes + this.#openBytes;
  }

  add(key: Encoded | null, value: Encoded | null, timestamp: number, headers?: readonly Header[]): void {
    const keyed = this.#partitions > 1 && typeof key === 'string' ? toBytes(key) : key;
    const partition = this.#partitionFor(keyed);
    if (this.#leavesOut?.(partition, keyed, value) === true) return;
    const builder = this.#builderOf(partition);
    const before = builder.size;
    builder.append(keyed, value, timestamp, headers);
    this.#openBytes += builder.size - before;
    if (builder.size >= BATCH_BYTES) this.#close(partition, builder);
  }

  /** Takes all batches, including the ones under construction, in the order of their partitions: equal records make equal commits. */
  take(): readonly PackedBatch[] {
    const open = [...this.#builders].filter(([, { count }]) => count > 0);
    for (const [partition, builder] of open.sort(([a], [b]) => a - b)) this.#close(partition, builder);
    if (this.#spread === undefined) this.#sticky = (this.#sticky + 1) % this.#partitions;
    this.#fullBytes = 0;
    return this.#full.splice(0);
  }

  /** Discards all packed records. */
  reset(): void {
    for (const builder of this.#builders.values()) builder.reset();
    this.#full.length = 0;
    this.#fullBytes = this.#openBytes = 0;
  }

  /** Gives up the buffers that hold nothing: the next record makes new ones. */
  release(): void {
    for (const [partition, { count }] of this.#builders) if (count === 0) this.#builders.delete(partition);
  }

  #builderOf(partition: number): BatchBuilder {
    let builder = this.#builders.get(partition);
    if (builder === undefined) this.#builders.set(partition, (builder = new BatchBuilder(FIRST_BYTES)));
    return builder;
  }
  #close(partition: number, builder: BatchBuilder): void {
    const records = builder.count;
    const batch = builder.finish();
    this.#full.push({ topic: this.topic, partition, batch, records });
    this.#fullBytes += batch.length;
    this.#openBytes = Math.max(0, this.#openBytes - batch.length);
  }
  #partitionFor(key: Encoded | null): number {
    if (this.#partitions === 1) return 0;
    if (key !== null && typeof key !== 'string') return partitionOf(key, this.#partitions);
    if (this.#spread !== undefined && this.#keyless++ === this.#spread) {
      this.#keyless = 1;
      this.#sticky = (this.#sticky + 1) % this.#partitions;
    }
    return this.#sticky;
  }
}

/** Writes the key's bytes into a buffer that the next call overwrites: the batch copies them at once. */
const toBytes = (key: string): Uint8Array => {
  if (key.length * 3 > scratch.length) return utf8(key);
  return scratch.subarray(0, writeUtf8(scratch, 0, key));
};
/** Shared by all packers: an append of one record makes a packer, which need not allocate and zero 4 KB each time. */
const scratch: Uint8Array = new Uint8Array(8 * 1024);
