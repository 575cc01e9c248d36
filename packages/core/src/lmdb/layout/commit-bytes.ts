/**
 * A Commit as one transferable buffer: the form in which an actor sends it to the writer.
 *
 * Names are replaced by ids, and store entries already are the keys and sealed values of LMDB, so that the writer, which
 * serves every actor, only compares, stamps and puts.
 *
 *   u32 group id (0: none)   f64 epoch   u32 positions   u32 appends   u32 store entries
 *   position   u32 topic id · u32 partition · u64 from · u64 to
 *   append     u32 topic id · u32 partition · u32 size · u32 flags · [producer] · [u64 expected end] · bytes
 *              flags: 1 a producer, u32 id · f64 epoch · f64 sequence; 2 an expected end
 *   entry      u32 key size · i32 value size (−1: delete) · key · value · checksum (4 bytes, unless deleted)
 */
import { crc32 } from '../../pure/bytes/checksum.ts';
import { copyInto } from '../../pure/bytes/copy.ts';
import type { ProducerStamp } from '../../pure/producer/producer.ts';

export interface IdMove {
  readonly topicId: number;
  readonly partition: number;
  readonly from: bigint;
  readonly to: bigint;
}
export interface IdAppend {
  readonly topicId: number;
  readonly partition: number;
  readonly batch: Uint8Array;
  readonly producer?: ProducerStamp | undefined;
  readonly expectedEnd?: bigint | undefined;
}
/** The entries of one part of a store; `prefix` goes before every key. */
export interface IdStoreWrites {
  readonly prefix: Uint8Array;
  readonly keys: readonly Uint8Array[];
  readonly values: readonly (Uint8Array | null)[];
}
export interface IdCommit {
  readonly groupId: number;
  readonly epoch: number;
  readonly positions: readonly IdMove[];
  readonly appends: readonly IdAppend[];
  readonly stores: readonly IdStoreWrites[];
}
export interface DecodedCommit {
  readonly groupId: number;
  readonly epoch: number;
  readonly positions: readonly IdMove[];
  readonly appends: readonly IdAppend[];
  /** Keys and sealed values alternate; a null value deletes. */
  readonly entries: readonly (Buffer | null)[];
}

const HEAD = 24;
const APPEND_HEAD = 16;
const PRODUCER = 1;
const PRODUCER_BYTES = 20;
const EXPECTED_END = 2;
const EXPECTED_END_BYTES = 8;

const appendHead = ({ producer, expectedEnd }: IdAppend): number =>
  APPEND_HEAD + (producer === undefined ? 0 : PRODUCER_BYTES) + (expectedEnd === undefined ? 0 : EXPECTED_END_BYTES);

export const commitSize = (commit: IdCommit): number => {
  let size = HEAD + commit.positions.length * 24;
  for (const append of commit.appends) size += appendHead(append) + append.batch.length;
  for (const writes of commit.stores) {
    for (let i = 0; i < writes.keys.length; i++) {
      const value = writes.values[i];
      size += 8 + writes.prefix.length + writes.keys[i]!.length + (value ? value.length + 4 : 0);
    }
  }
  return size;
};

export const encodeCommit = (commit: IdCommit): ArrayBuffer => {
  const bytes = Buffer.allocUnsafeSlow(commitSize(commit));
  let entries = 0;
  for (const writes of commit.stores) entries += writes.keys.length;
  bytes.writeUInt32LE(commit.groupId, 0);
  bytes.writeDoubleLE(commit.epoch, 4);
  bytes.writeUInt32LE(commit.positions.length, 12);
  bytes.writeUInt32LE(commit.appends.length, 16);
  bytes.writeUInt32LE(entries, 20);
  let at = HEAD;
  for (const move of commit.positions) {
    bytes.writeUInt32LE(move.topicId, at);
    bytes.writeUInt32LE(move.partition, at + 4);
    bytes.writeBigUInt64LE(move.from, at + 8);
    bytes.writeBigUInt64LE(move.to, at + 16);
    at += 24;
  }
  for (const append of commit.appends) {
    bytes.writeUInt32LE(append.topicId, at);
    bytes.writeUInt32LE(append.partition, at + 4);
    bytes.writeUInt32LE(append.batch.length, at + 8);
    const { producer, expectedEnd } = append;
    bytes.writeUInt32LE((producer === undefined ? 0 : PRODUCER) | (expectedEnd === undefined ? 0 : EXPECTED_END), at + 12);
    at += APPEND_HEAD;
    if (producer !== undefined) {
      bytes.writeUInt32LE(producer.id, at);
      bytes.writeDoubleLE(producer.epoch, at + 4);
      at = bytes.writeDoubleLE(producer.sequence, at + 12);
    }
    if (expectedEnd !== undefined) at = bytes.writeBigUInt64LE(expectedEnd, at);
    bytes.set(append.batch, at);
    at += append.batch.length;
  }
  for (const writes of commit.stores) at = encodeEntries(bytes, at, writes);
  return bytes.buffer;
};

const encodeEntries = (bytes: Buffer, start: number, writes: IdStoreWrites): number => {
  let at = start;
  for (let i = 0; i < writes.keys.length; i++) {
    const key = writes.keys[i]!;
    const value = writes.values[i] ?? null;
    bytes.writeUInt32LE(writes.prefix.length + key.length, at);
    bytes.writeInt32LE(value ? value.length : -1, at + 4);
    const from = at + 8;
    at = copyInto(bytes, copyInto(bytes, from, writes.prefix), key);
    if (value) {
      at = copyInto(bytes, at, value);
      // Key and value are adjacent: one checksum over both is the seal that keyspace.ts checks.
      bytes.writeUInt32LE(crc32(bytes, 0, from, at), at);
      at += 4;
    }
  }
  return at;
};

export const decodeCommit = (buffer: ArrayBuffer): DecodedCommit => {
  const bytes = Buffer.from(buffer);
  const counts = [bytes.readUInt32LE(12), bytes.readUInt32LE(16), bytes.readUInt32LE(20)] as const;
  // A position takes 24 bytes, an append at least 16, an entry at least 8: a commit that claims more pieces than fit is
  // refused first.
  if (HEAD + 24 * counts[0] + APPEND_HEAD * counts[1] + 8 * counts[2] > bytes.length) throw new RangeError('a commit claims more than it holds');
  const positions: IdMove[] = [];
  const appends: IdAppend[] = [];
  const entries: (Buffer | null)[] = [];
  let at = HEAD;
  for (let i = 0; i < counts[0]; i++) {
    positions.push({
      topicId: bytes.readUInt32LE(at),
      partition: bytes.readUInt32LE(at + 4),
      from: bytes.readBigUInt64LE(at + 8),
      to: bytes.readBigUInt64LE(at + 16),
    });
    at += 24;
  }
  for (let i = 0; i < counts[1]; i++) {
    const [topicId, partition, size, flags] = [bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4), bytes.readUInt32LE(at + 8), bytes.readUInt32LE(at + 12)];
    if (flags > (PRODUCER | EXPECTED_END)) throw new RangeError('an append has unknown flags');
    at += APPEND_HEAD;
    let producer: ProducerStamp | undefined;
    if ((flags & PRODUCER) !== 0) {
      producer = { id: bytes.readUInt32LE(at), epoch: bytes.readDoubleLE(at + 4), sequence: bytes.readDoubleLE(at + 12) };
      at += PRODUCER_BYTES;
    }
    let expectedEnd: bigint | undefined;
    if ((flags & EXPECTED_END) !== 0) {
      expectedEnd = bytes.readBigUInt64LE(at);
      at += EXPECTED_END_BYTES;
    }
    if (at + size > bytes.length) throw new RangeError('a commit ends inside an append');
    appends.push({ topicId, partition, batch: bytes.subarray(at, at + size), producer, expectedEnd });
    at += size;
  }
  for (let i = 0; i < counts[2]; i++) {
    const keyEnd = at + 8 + bytes.readUInt32LE(at);
    const size = bytes.readInt32LE(at + 4);
    const end = size < 0 ? keyEnd : keyEnd + size + 4;
    if (end > bytes.length) throw new RangeError('a commit ends inside a store entry');
    entries.push(bytes.subarray(at + 8, keyEnd), size < 0 ? null : bytes.subarray(keyEnd, end));
    at = end;
  }
  return { groupId: bytes.readUInt32LE(0), epoch: bytes.readDoubleLE(4), positions, appends, entries };
};
