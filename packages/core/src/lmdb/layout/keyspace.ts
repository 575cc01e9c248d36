/**
 * The sorted keys of topics, partitions, offsets, groups and stores.
 *
 * There are a handful of tables, and the rest is in the prefix of a key: touching a thousand LMDB tables in one commit costs
 * milliseconds, touching a thousand prefixes costs nothing. Numbers are big-endian, so that bytes sort as numbers do.
 *
 *   table       key                                              value
 *   meta        utf8 'format' | 'next' | 'topic:NAME' | …         JSON
 *   log         topic u32 · partition u32 · base offset u64      one encoded batch (record/batch.ts)
 *   ends        topic u32 · partition u32                        start, end, the active segment, how far it is compacted
 *   segments    topic u32 · partition u32 · base offset u64      a closed segment: next offset, bytes, first and last times
 *   times       topic u32 · partition u32 · ordered f64          base offset u64 of the batch that first reached that time
 *   positions   group u32 · topic u32 · partition u32            offset u64
 *   stores      store u32 · partition u32 · sort key             value bytes
 *   groups      group u32 · …                                    members and assignments (group-record.ts)
 *   producers   producer u32                                     name, epoch, when it was last seen as JSON
 *               producer u32 · topic u32 · partition u32         epoch, next sequence, the last five batches
 *
 * Every value but a batch (which has its own checksums) is sealed: its last four bytes are the CRC-32 of key and value, so
 * that a flipped bit and a page swapped with another are both detected.
 */
import { crc32 } from '../../pure/bytes/checksum.ts';
import { StoplogError } from '../../pure/errors.ts';
import { emptySegment, type Segment } from '../../pure/retention/segment.ts';

export const TABLES = ['meta', 'log', 'ends', 'segments', 'times', 'positions', 'stores', 'groups', 'producers'] as const;
export type Table = (typeof TABLES)[number];

export const FORMAT = 1;
/**
 * The page size of the data file. A key of 4,000 bytes fits behind its store's prefix, and large batches cost half the
 * free-list entries.
 */
export const PAGE_SIZE = 8192;

const u32 = (target: Buffer, at: number, n: number): number => target.writeUInt32BE(n, at);

export const partitionKey = (topicId: number, partition: number): Buffer => {
  const key = Buffer.allocUnsafe(8);
  u32(key, u32(key, 0, topicId), partition);
  return key;
};
export const batchKey = (topicId: number, partition: number, offset: bigint): Buffer => {
  const key = Buffer.allocUnsafe(16);
  u32(key, u32(key, 0, topicId), partition);
  key.writeBigUInt64BE(offset, 8);
  return key;
};
export const positionKey = (groupId: number, topicId: number, partition: number): Buffer => {
  const key = Buffer.allocUnsafe(12);
  u32(key, u32(key, u32(key, 0, groupId), topicId), partition);
  return key;
};
export const groupKey = (groupId: number): Buffer => {
  const key = Buffer.allocUnsafe(4);
  u32(key, 0, groupId);
  return key;
};
export const producerKey = (producerId: number): Buffer => groupKey(producerId);
export const producedKey = (producerId: number, topicId: number, partition: number): Buffer => positionKey(producerId, topicId, partition);
/** The first eight bytes of the keys of one part of a store. */
export const storePrefix = (storeId: number, partition: number): Buffer => partitionKey(storeId, partition);

/** A float whose bytes sort as the number does: the sign bit flipped, and all bits of a negative number. */
export const timeKey = (topicId: number, partition: number, timestamp: number): Buffer => {
  const key = Buffer.allocUnsafe(16);
  u32(key, u32(key, 0, topicId), partition);
  key.writeDoubleBE(timestamp === 0 ? 0 : timestamp, 8);
  if (key[8]! & 0x80) for (let i = 8; i < 16; i++) key[i] = ~key[i]! & 0xff;
  else key[8]! |= 0x80;
  return key;
};
export const offsetOfBatchKey = (key: Buffer): bigint => key.readBigUInt64BE(8);

export const samePrefix = (key: Uint8Array, prefix: Uint8Array): boolean => {
  for (let i = 0; i < prefix.length; i++) if (key[i] !== prefix[i]) return false;
  return true;
};

/** The first key after all keys with the prefix. */
export const prefixEnd = (prefix: Uint8Array): Buffer => {
  const end = Buffer.from(prefix);
  for (let i = end.length - 1; i >= 0; i--) {
    if (end[i] !== 0xff) {
      end[i] = end[i]! + 1;
      return end.subarray(0, i + 1);
    }
  }
  return Buffer.alloc(prefix.length + 1, 0xff);
};

/** Value and checksum as one buffer, ready to be put. */
export const seal = (key: Uint8Array, value: Uint8Array): Buffer => {
  const sealed = Buffer.allocUnsafe(value.length + 4);
  sealed.set(value);
  sealed.writeUInt32LE(crc32(value, crc32(key)), value.length);
  return sealed;
};

/** The value of a sealed buffer; throws `STOPLOG_LOG_CORRUPT` with the table's name. */
export const unseal = (table: Table, key: Uint8Array, sealed: Uint8Array, facts: Readonly<Record<string, unknown>> = {}): Uint8Array => {
  const size = sealed.length - 4;
  const value = size < 0 ? sealed : sealed.subarray(0, size);
  if (size < 0 || readU32LE(sealed, size) !== crc32(value, crc32(key))) {
    throw new StoplogError(
      'STOPLOG_LOG_CORRUPT',
      { table, key: Buffer.from(key).toString('hex'), ...facts },
      `a value in table '${table}' does not match its checksum: the disk or a foreign program changed it. ` +
        `Nothing was returned; restore the folder from a backup, or keep the rest with 'stoplog repair'`,
    );
  }
  return value;
};

/** True when the checksum of an adjacent key and value matches. */
export const isSealedAt = (bytes: Uint8Array, keyAt: number, keyEnd: number, valueEnd: number): boolean => {
  const at = valueEnd - 4;
  return at >= keyEnd && readU32LE(bytes, at) === crc32(bytes, 0, keyAt, at);
};

const readU32LE = (bytes: Uint8Array, at: number): number => (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;

/**
 * The ends of a partition: its offsets, the largest timestamp ever appended, the bytes of its batches, and the progress of
 * retention and compaction.
 */
export interface Ends {
  readonly start: bigint;
  readonly end: bigint;
  readonly maxTimestamp: number;
  readonly bytes: number;
  /** Below this offset every key has one record at most: the last compaction reached it. */
  readonly cleanTo: bigint;
  /** The active segment; the closed ones are in `segments`. */
  readonly active: Segment;
}
export const NO_ENDS: Ends = { start: 0n, end: 0n, maxTimestamp: -Infinity, bytes: 0, cleanTo: 0n, active: emptySegment(0n) };
export const ENDS_BYTES = 88;

export const encodeEnds = (ends: Ends): Buffer => {
  const bytes = Buffer.allocUnsafe(ENDS_BYTES);
  bytes.writeBigUInt64LE(ends.start, 0);
  bytes.writeBigUInt64LE(ends.end, 8);
  bytes.writeDoubleLE(ends.maxTimestamp, 16);
  bytes.writeDoubleLE(ends.bytes, 24);
  bytes.writeBigUInt64LE(ends.cleanTo, 32);
  bytes.writeBigUInt64LE(ends.active.base, 40);
  writeSegment(bytes, 48, ends.active);
  return bytes;
};
export const decodeEnds = (bytes: Uint8Array): Ends => {
  checkLength('ends', bytes, ENDS_BYTES);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const start = view.getBigUint64(0, true);
  const end = view.getBigUint64(8, true);
  const maxTimestamp = view.getFloat64(16, true);
  const size = view.getFloat64(24, true);
  return { start, end, maxTimestamp, bytes: size, cleanTo: view.getBigUint64(32, true), active: readSegment(view, 48, view.getBigUint64(40, true), end) };
};

export const SEGMENT_BYTES = 48;
/** The numbers of a segment, except the ones in its key and the offset after it. */
const writeSegment = (bytes: Buffer, at: number, segment: Segment): void => {
  [segment.bytes, segment.firstTimestamp, segment.maxTimestamp, segment.firstArrival, segment.lastArrival].forEach((number, i) =>
    bytes.writeDoubleLE(number, at + 8 * i),
  );
};
const readSegment = (view: DataView, at: number, base: bigint, next: bigint): Segment => ({
  base,
  next,
  bytes: view.getFloat64(at, true),
  firstTimestamp: view.getFloat64(at + 8, true),
  maxTimestamp: view.getFloat64(at + 16, true),
  firstArrival: view.getFloat64(at + 24, true),
  lastArrival: view.getFloat64(at + 32, true),
});
/** A closed segment, under the `batchKey` of its base. */
export const encodeSegment = (segment: Segment): Buffer => {
  const bytes = Buffer.allocUnsafe(SEGMENT_BYTES);
  bytes.writeBigUInt64LE(segment.next);
  writeSegment(bytes, 8, segment);
  return bytes;
};
export const decodeSegment = (key: Buffer, bytes: Uint8Array): Segment => {
  checkLength('segments', bytes, SEGMENT_BYTES);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return readSegment(view, 8, offsetOfBatchKey(key), view.getBigUint64(0, true));
};
export const encodeOffset = (offset: bigint): Buffer => {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeBigUInt64LE(offset);
  return bytes;
};
export const decodeOffset = (bytes: Uint8Array): bigint => {
  checkLength('times or positions', bytes, 8);
  return new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0, true);
};

/** A seal covers key and value, but not their table: the length reveals a page that was swapped in from a table with such keys. */
const checkLength = (what: string, { length }: Uint8Array, right: number): void => {
  if (length === right) return;
  throw new StoplogError(
    'STOPLOG_LOG_CORRUPT',
    { what, length },
    `a value of ${what} has ${length} bytes, where ${right} belong: the disk or a foreign program changed the data file. Nothing was returned; restore the folder from a backup`,
  );
};
