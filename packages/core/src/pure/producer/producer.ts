/**
 * A producer numbers its records, so that a batch that is sent again is recognised. Kafka's rules of the idempotent producer.
 *
 * Each incarnation of a producer has an epoch, and counts its records in each partition from 0: the sequence of a batch is
 * that of its first record. A log remembers the next number and the last five batches, for each producer and partition. One
 * of those five, sent again, is answered with its offset. A batch that skips a number, or is older than the five, is refused.
 * So the answer to an append may get lost: the producer repeats the append, and the log has the record once.
 *
 * Sequences are whole numbers up to 2^53 and never restart within an epoch (Kafka's wrap at 2^31).
 */
export interface ProducerIncarnation {
  readonly id: number;
  readonly epoch: number;
}
export interface ProducerStamp extends ProducerIncarnation {
  /** The sequence of the first record. */
  readonly sequence: number;
}

/** A batch that the log remembers. */
export interface Produced {
  readonly sequence: number;
  /** The number of records of the batch, so of its sequences and offsets. */
  readonly count: number;
  readonly base: bigint;
}
/** The state of a producer in a partition, as the log remembers it. */
export interface ProducerState {
  readonly epoch: number;
  /** The next sequence. */
  readonly next: number;
  /** The last batches, oldest first. */
  readonly last: readonly Produced[];
}
export const REMEMBERED_BATCHES = 5;
/** The log forgets a producer that has appended nothing for this long. Kafka: transactional.id.expiration.ms, 7 days. */
export const FORGET_PRODUCER_MS: number = 7 * 24 * 3_600_000;

export interface ArrivingBatch {
  readonly epoch: number;
  readonly sequence: number;
  readonly count: number;
  /** The offset that the batch gets if it is accepted. */
  readonly base: bigint;
}
export type ProducerEffect =
  | { readonly type: 'append' }
  | { readonly type: 'repeated'; readonly base: bigint }
  /** `expected` is the next sequence. */
  | { readonly type: 'refused'; readonly expected: number };

/** Decides about a batch of the producer's current epoch. */
export const step = (state: ProducerState | undefined, batch: ArrivingBatch): readonly [ProducerState | undefined, ProducerEffect] => {
  const { epoch, sequence, count, base } = batch;
  const known = state?.epoch === epoch ? state : { epoch, next: 0, last: [] };
  const repeated = known.last.find((one) => one.sequence === sequence && one.count === count);
  if (repeated !== undefined) return [state, { type: 'repeated', base: repeated.base }];
  if (sequence !== known.next) return [state, { type: 'refused', expected: known.next }];
  const last = [...known.last.slice(1 - REMEMBERED_BATCHES), { sequence, count, base }];
  return [{ epoch, next: sequence + count, last }, { type: 'append' }];
};

const HEAD_BYTES = 16;
const BATCH_BYTES = 20;

/** f64 epoch · f64 next · for each batch f64 sequence, u32 count - 1, u64 base offset. */
export const encodeProducer = ({ epoch, next, last }: ProducerState): Buffer => {
  const bytes = Buffer.allocUnsafe(HEAD_BYTES + BATCH_BYTES * last.length);
  bytes.writeDoubleLE(epoch);
  bytes.writeDoubleLE(next, 8);
  last.forEach(({ sequence, count, base }, i) => {
    const at = HEAD_BYTES + BATCH_BYTES * i;
    bytes.writeDoubleLE(sequence, at);
    bytes.writeUInt32LE(count - 1, at + 8);
    bytes.writeBigUInt64LE(base, at + 12);
  });
  return bytes;
};
export const decodeProducer = (bytes: Uint8Array): ProducerState => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const last = Array.from({ length: (bytes.length - HEAD_BYTES) / BATCH_BYTES }, (_, i) => {
    const at = HEAD_BYTES + BATCH_BYTES * i;
    return { sequence: view.getFloat64(at, true), count: view.getUint32(at + 8, true) + 1, base: view.getBigUint64(at + 12, true) };
  });
  return { epoch: view.getFloat64(0, true), next: view.getFloat64(8, true), last };
};
