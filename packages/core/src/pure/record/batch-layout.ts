/**
 * A batch is the unit of the log: many records packed into one value, under one base offset.
 *
 *      0  u32  header checksum      CRC-32 of the bytes 4 to 56
 *      4  u8   format = 1
 *      5  u8   flags            1: a delete horizon ends the body; then u16 = 0, reserved
 *      8  u64  base offset          ┐
 *     16  u32  topic id             │ stamped by the log (`stampBatch`): a batch moved to another key is detected
 *     20  u32  partition            ┘
 *     24  u32  count               how many records are here; 0 in an empty batch, which compaction leaves
 *     28  u32  last offset delta   the batch owns the offsets base … base + this, with or without records
 *     32  f64  base timestamp      of the first record; 0 when there is none
 *     40  f64  max timestamp       -Infinity when there is none
 *     48  u32  body size
 *     52  u32  body checksum       CRC-32 of the bytes from 56 on
 *     56  records:
 *           u8        attributes    1 null key  2 null value  4 headers  8 gap  16 time step  32 time
 *           [varint]  gap           offsets skipped before this record                (8)
 *           [varint]  time step     zigzag, from the previous record's timestamp      (16)
 *           [f64]     timestamp     where a step would be over 2^51                   (32)
 *           varint    key length, key          absent for a null key                  (1)
 *           varint    value length, value      absent for a null value                (2)
 *           [headers]               see header.ts                                     (4)
 *         f64       delete horizon  after the last record, where flag 1 says so: from then on a cleaning drops the tombstones
 *
 * Little-endian. A plain record costs three bytes beside its key and value. No field is used before both checksums match, and
 * no memory is allocated by a number read here.
 */
import { crc32 } from '../bytes/checksum.ts';
import { assert, StoplogError } from '../errors.ts';

export const HEADER_SIZE = 56;
export const FORMAT = 1;
export const NULL_KEY = 1;
export const NULL_VALUE = 2;
export const HEADERS = 4;
export const GAP = 8;
export const TIME_STEP = 16;
export const TIME = 32;
/** Attribute bits that no record sets. */
export const UNKNOWN_ATTRIBUTES = 0xc0;
/** Steps up to this size are exact in arithmetic and fit a varint after zigzag. */
export const MAX_TIME_STEP: number = 2 ** 51;
export const MAX_OFFSET_DELTA = 0xffff_ffff;
/** Header flag: the last eight bytes of the body are the delete horizon. */
const HORIZON = 1;
export const HORIZON_SIZE = 8;

/** The decoded header of a batch. */
export interface BatchHeader {
  readonly baseOffset: bigint;
  readonly topicId: number;
  readonly partition: number;
  readonly count: number;
  readonly lastOffsetDelta: number;
  readonly baseTimestamp: number;
  readonly maxTimestamp: number;
  /** Bytes of the whole batch. */
  readonly size: number;
  /** The time from which its tombstones may go: set by the first cleaning that kept them. */
  readonly deleteHorizon: number | undefined;
}

/** Reads and verifies the header and the length of the batch, without looking at the body. Cheap enough for the writer. */
export const inspectHeader = (bytes: Uint8Array): BatchHeader => {
  if (bytes.length < HEADER_SIZE) throw corrupt(`${bytes.length} bytes are too few for a batch`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (view.getUint8(4) !== FORMAT) throw corrupt(`batch format ${view.getUint8(4)} is not ${FORMAT}`);
  if (view.getUint32(0, true) !== headerChecksum(bytes)) throw corrupt('the checksum of the header does not agree');
  const flags = view.getUint8(5);
  const tail = flags === HORIZON ? HORIZON_SIZE : 0;
  const header: BatchHeader = {
    baseOffset: view.getBigUint64(8, true),
    topicId: view.getUint32(16, true),
    partition: view.getUint32(20, true),
    count: view.getUint32(24, true),
    lastOffsetDelta: view.getUint32(28, true),
    baseTimestamp: view.getFloat64(32, true),
    maxTimestamp: view.getFloat64(40, true),
    size: HEADER_SIZE + view.getUint32(48, true),
    deleteHorizon: tail > 0 && bytes.length >= HEADER_SIZE + tail ? view.getFloat64(bytes.length - tail, true) : undefined,
  };
  const { count, baseTimestamp, maxTimestamp, baseOffset } = header;
  if (header.size !== bytes.length) throw corrupt(`the batch says ${header.size} bytes and has ${bytes.length}`, baseOffset);
  if (flags > HORIZON || view.getUint16(6, true) !== 0) throw corrupt('a reserved bit is set', baseOffset);
  if (count > header.lastOffsetDelta + 1 || count > bytes.length - HEADER_SIZE - tail || (count === 0 && bytes.length > HEADER_SIZE)) {
    throw corrupt(`${count} records do not fit`, baseOffset);
  }
  const timesHold =
    count === 0
      ? baseTimestamp === 0 && maxTimestamp === -Infinity
      : Number.isSafeInteger(baseTimestamp) && Number.isSafeInteger(maxTimestamp) && maxTimestamp >= baseTimestamp;
  if (tail > 0 && !Number.isSafeInteger(header.deleteHorizon)) throw corrupt('its delete horizon is no time', baseOffset);
  if (!timesHold) throw corrupt('its timestamps make no sense', baseOffset);
  return header;
};

/** Throws unless the body matches its checksum. `inspectHeader` comes first. */
export const verifyBody = (bytes: Uint8Array, header: BatchHeader): void => {
  const recorded = new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getUint32(52, true);
  if (crc32(bytes.subarray(HEADER_SIZE)) !== recorded) throw corrupt('the checksum of its records does not agree', header.baseOffset);
};

/**
 * Completes a batch in place: `bytes` holds a body from HEADER_SIZE to its end (with eight bytes left for a horizon, if there
 * is one), and no header yet.
 */
export const writeHeader = (
  bytes: Uint8Array,
  header: Pick<BatchHeader, 'count' | 'lastOffsetDelta' | 'baseTimestamp' | 'maxTimestamp' | 'deleteHorizon'>,
): void => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  bytes.fill(0, 0, HEADER_SIZE);
  view.setUint8(4, FORMAT);
  if (header.deleteHorizon !== undefined) {
    view.setUint8(5, HORIZON);
    view.setFloat64(bytes.length - HORIZON_SIZE, header.deleteHorizon, true);
  }
  view.setUint32(24, header.count, true);
  view.setUint32(28, header.lastOffsetDelta, true);
  view.setFloat64(32, header.baseTimestamp, true);
  view.setFloat64(40, header.maxTimestamp, true);
  view.setUint32(48, bytes.length - HEADER_SIZE, true);
  view.setUint32(52, crc32(bytes.subarray(HEADER_SIZE)), true);
  view.setUint32(0, headerChecksum(bytes), true);
};

/** Sets the place of a batch in the log. In place; the overwritten header must have passed `inspectHeader`. */
export const stampBatch = (bytes: Uint8Array, at: { readonly topicId: number; readonly partition: number; readonly baseOffset: bigint }): void => {
  assert(at.baseOffset >= 0n, 'offsets are never negative');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  view.setBigUint64(8, at.baseOffset, true);
  view.setUint32(16, at.topicId, true);
  view.setUint32(20, at.partition, true);
  view.setUint32(0, headerChecksum(bytes), true);
};

/** Sets the time of all records of a batch whose records have no times of their own. In place. */
export const headerTimes = (bytes: Uint8Array, time: number): void => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  view.setFloat64(32, time, true);
  view.setFloat64(40, time, true);
  view.setUint32(0, headerChecksum(bytes), true);
};

export const corrupt = (reason: string, baseOffset?: bigint): StoplogError =>
  new StoplogError(
    'STOPLOG_LOG_CORRUPT',
    baseOffset === undefined ? { reason } : { baseOffset, reason },
    `a batch${baseOffset === undefined ? '' : ` at offset ${baseOffset}`} is damaged: ${reason}. Restore the log from a backup`,
  );

const headerChecksum = (bytes: Uint8Array): number => crc32(bytes.subarray(4, HEADER_SIZE));
