/**
 * An append of a producer, as far as it got, and the same records when they come again.
 *
 * What was sent is a beginning of the records: each commit takes all that came until then, and none is taken after one that
 * was refused. So when they come again, as many as were sent are known, in this order, and all after them are new. Whether they
 * are the same is seen by a checksum of each partition's: those that are acknowledged are not kept.
 */
import type { Append } from '../port/log.ts';
import { crc32, crc32Text } from '../pure/bytes/checksum.ts';
import type { Encoded } from '../pure/schema/codec.ts';
import type { PackedBatch } from '../pure/topic/packer.ts';
import type { AnyTopic } from '../pure/topic/topic.ts';

/** A commit that was sent: its batches with their numbers. */
export interface Sent {
  readonly appends: readonly (PackedBatch & Append)[];
  /** The log has answered for it. */
  done: boolean;
}
/** An append, as far as it got. */
export interface Call {
  readonly topic: AnyTopic;
  /** Where records without a key began. */
  readonly first: number;
  /** How many records were sent. */
  sent: number;
  readonly tally: Tally;
  /** What is sent and not acknowledged, in its order. */
  readonly open: Sent[];
}

interface Counted {
  count: number;
  sum: number;
}
/** Counts the records of each partition as they are packed, and as they are sent. */
export class Tally {
  readonly #sent = new Map<number, Counted>();
  /** The checksums at each record that is packed and not sent. */
  readonly #packed = new Map<number, number[]>();

  pack(partition: number, key: Encoded | null, value: Encoded | null): void {
    const sums = this.#packed.get(partition) ?? [];
    this.#packed.set(partition, sums);
    sums.push(summed(sums.at(-1) ?? this.of(partition).sum, key, value));
  }
  send({ partition, records }: PackedBatch): void {
    const sums = this.#packed.get(partition)?.splice(0, records) ?? [];
    const { count, sum } = this.of(partition);
    this.#sent.set(partition, { count: count + records, sum: sums.at(-1) ?? sum });
  }
  /** What was packed went nowhere. */
  drop(): void {
    this.#packed.clear();
  }
  of(partition: number): Readonly<Counted> {
    return this.#sent.get(partition) ?? { count: 0, sum: 0 };
  }
}

/** Compares records that come again with those that were sent. */
export class Repeat {
  readonly #tally: Tally;
  readonly #came = new Map<number, Counted>();
  #left: number;

  constructor({ sent, tally }: Call) {
    this.#left = sent;
    this.#tally = tally;
  }
  /** True when everything that was sent has come again. */
  get isOver(): boolean {
    return this.#left === 0;
  }
  /** Takes the record that comes next; false when those of its partition are not the ones that were sent. */
  takes(partition: number, key: Encoded | null, value: Encoded | null): boolean {
    this.#left--;
    const sent = this.#tally.of(partition);
    const came = this.#came.get(partition) ?? { count: 0, sum: 0 };
    this.#came.set(partition, came);
    if (came.count === sent.count) return false;
    came.count++;
    came.sum = summed(came.sum, key, value);
    return came.count < sent.count || came.sum === sent.sum;
  }
}

/** Goes on with one more record. Null, empty, and where a key ends, make a difference. */
const summed = (sum: number, key: Encoded | null, value: Encoded | null): number => part(part(sum, key), value);
const part = (sum: number, bytes: Encoded | null): number => {
  const length = bytes === null ? -1 : bytes.length;
  const seed = Math.imul(sum ^ length, 0x9e37_79b1) >>> 0;
  if (bytes === null) return seed;
  return typeof bytes === 'string' ? crc32Text(bytes, seed) : crc32(bytes, seed);
};
