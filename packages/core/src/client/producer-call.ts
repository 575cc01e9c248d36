/**
 * An unfinished append of a producer, and the comparison with the same records when they are sent again.
 *
 * The records that were sent are a prefix of all records: each commit takes all records until then, and no commit is accepted
 * after one that was refused. So when the append is repeated, as many records as were sent are known, in this order, and the
 * records after them are new. A checksum per partition shows whether they are the same records: acknowledged records are not
 * kept.
 */
import type { NumberedAppend } from '../port/numbered-log.ts';
import { crc32, crc32Text } from '../pure/bytes/checksum.ts';
import type { Encoded } from '../pure/schema/codec.ts';
import type { PackedBatch } from '../pure/topic/packer.ts';
import type { AnyTopic } from '../pure/topic/topic.ts';

/** A commit that was sent: its batches with their sequences. */
export interface Sent {
  readonly appends: readonly (PackedBatch & NumberedAppend)[];
  /** The log has answered. */
  done: boolean;
}
/** An append and its progress. */
export interface Call {
  readonly topic: AnyTopic;
  /** The partition at which its records without a key began. */
  readonly first: number;
  /** The number of records sent. */
  sent: number;
  readonly tally: Tally;
  /** Commits that were sent and not acknowledged, in order. */
  readonly open: Sent[];
}

interface Counted {
  count: number;
  sum: number;
}
/** Counts the records of each partition as they are packed and as they are sent. */
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
  /** Forgets the packed records, which were not sent. */
  drop(): void {
    this.#packed.clear();
  }
  of(partition: number): Readonly<Counted> {
    return this.#sent.get(partition) ?? { count: 0, sum: 0 };
  }
}

/** Compares repeated records with the records that were sent. */
export class Repeat {
  readonly #tally: Tally;
  readonly #came = new Map<number, Counted>();
  #left: number;

  constructor({ sent, tally }: Call) {
    this.#left = sent;
    this.#tally = tally;
  }
  /** True when every record that was sent has been repeated. */
  get isOver(): boolean {
    return this.#left === 0;
  }
  /** Takes the next record; false when its partition's records differ from the ones that were sent. */
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

/** Continues a checksum with one more record. Null, empty, and the end of a key are told apart. */
const summed = (sum: number, key: Encoded | null, value: Encoded | null): number => part(part(sum, key), value);
const part = (sum: number, bytes: Encoded | null): number => {
  const length = bytes === null ? -1 : bytes.length;
  const seed = Math.imul(sum ^ length, 0x9e37_79b1) >>> 0;
  if (bytes === null) return seed;
  return typeof bytes === 'string' ? crc32Text(bytes, seed) : crc32(bytes, seed);
};
