/**
 * A BatchView reads a batch in place: a cursor over the records, without an object for each record.
 *
 * This loop is the hot path of all reading, so it allocates nothing and reads a plain record (no headers, no gap, sizes and
 * time step of at most two bytes) in one branch. Every step is checked against the end of the body: checksums find damage,
 * these checks find a faulty writer.
 */
import { readVarint, unzigzag, type VarintCursor } from '../bytes/varint.ts';
import type { StoplogError } from '../errors.ts';
import {
  corrupt,
  GAP,
  HEADERS,
  HEADER_SIZE,
  HORIZON_SIZE,
  NULL_KEY,
  NULL_VALUE,
  TIME,
  TIME_STEP,
  UNKNOWN_ATTRIBUTES,
  type BatchHeader,
} from './batch-layout.ts';
import { NO_HEADERS, readHeaders, skipHeaders, type Header } from './header.ts';
import type { RecordCursor } from './record-cursor.ts';

export class BatchView implements RecordCursor, VarintCursor {
  readonly bytes: Uint8Array;
  readonly baseOffset: bigint;
  readonly topicId: number;
  readonly partition: number;
  readonly count: number;
  readonly lastOffsetDelta: number;
  readonly baseTimestamp: number;
  readonly maxTimestamp: number;
  /** The time from which the batch's tombstones may go; undefined while no cleaning has kept them. */
  readonly deleteHorizon: number | undefined;
  /** The end of the body, and the offset in it of the next record. */
  readonly end: number;
  at: number;
  private left: number;
  /** The record under the cursor, after `next()`; a start of -1 means null, a `headersAt` of -1 means no headers. */
  offsetDelta: number;
  timestamp: number;
  keyStart: number;
  keyEnd: number;
  valueStart: number;
  valueEnd: number;
  headersAt: number;

  /** `bytes` must have been verified (`openBatch`), and `header` read from them. */
  constructor(bytes: Uint8Array, header: BatchHeader) {
    this.bytes = bytes;
    this.baseOffset = header.baseOffset;
    this.topicId = header.topicId;
    this.partition = header.partition;
    this.count = header.count;
    this.lastOffsetDelta = header.lastOffsetDelta;
    this.baseTimestamp = header.baseTimestamp;
    this.maxTimestamp = header.maxTimestamp;
    this.deleteHorizon = header.deleteHorizon;
    this.end = header.deleteHorizon === undefined ? bytes.length : bytes.length - HORIZON_SIZE;
    this.at = HEADER_SIZE;
    this.left = header.count;
    this.offsetDelta = -1;
    this.timestamp = header.baseTimestamp;
    this.keyStart = this.keyEnd = this.valueStart = this.valueEnd = this.headersAt = -1;
  }

  /** The offset after the last one that the batch owns, even if compaction removed that record: reading resumes there. */
  get nextOffset(): bigint {
    return this.baseOffset + BigInt(this.lastOffsetDelta + 1);
  }
  /** The offset of the record under the cursor. */
  get offset(): bigint {
    return this.baseOffset + BigInt(this.offsetDelta);
  }

  /** Puts the cursor before the first record. */
  rewind(): void {
    this.at = HEADER_SIZE;
    this.left = this.count;
    this.offsetDelta = -1;
    this.timestamp = this.baseTimestamp;
    this.keyStart = this.keyEnd = this.valueStart = this.valueEnd = this.headersAt = -1;
  }

  /** Moves to the next record; false at the end. */
  next(): boolean {
    const { bytes, end } = this;
    let at = this.at + 1;
    if (this.left > 0 && at + 2 <= end) {
      const attributes = bytes[at - 1]!;
      let timestamp = this.timestamp;
      let plain = attributes === 0;
      if (attributes === TIME_STEP) {
        let step = bytes[at++]!;
        if (step >= 0x80) step = twoBytes(step, bytes[at++]!);
        timestamp += (step >>> 1) ^ -(step & 1);
        plain = step >= 0 && timestamp <= this.maxTimestamp && at < end;
      }
      if (plain && bytes[at]! < 0x80) {
        const keyEnd = at + 1 + bytes[at]!;
        if (keyEnd + 2 <= end) {
          let valueStart = keyEnd + 1;
          let valueSize = bytes[keyEnd]!;
          if (valueSize >= 0x80) valueSize = twoBytes(valueSize, bytes[valueStart++]!);
          const valueEnd = valueStart + valueSize;
          if (valueSize >= 0 && valueEnd <= end && this.offsetDelta < this.lastOffsetDelta) {
            this.left--;
            this.offsetDelta++;
            this.timestamp = timestamp;
            this.keyStart = at + 1;
            this.keyEnd = keyEnd;
            this.valueStart = valueStart;
            this.valueEnd = valueEnd;
            this.headersAt = -1;
            this.at = valueEnd;
            return true;
          }
        }
      }
    }
    return this.nextOfAnyKind();
  }

  /** The key under the cursor, as a view into the batch. */
  key(): Uint8Array | null {
    return this.keyStart < 0 ? null : this.bytes.subarray(this.keyStart, this.keyEnd);
  }
  /** The value under the cursor, as a view into the batch; null is a tombstone. */
  value(): Uint8Array | null {
    return this.valueStart < 0 ? null : this.bytes.subarray(this.valueStart, this.valueEnd);
  }
  headers(): readonly Header[] {
    return this.headersFrom(this.headersAt);
  }

  headersFrom(at: number): readonly Header[] {
    return at < 0 ? NO_HEADERS : readHeaders(this.bytes, at);
  }

  private nextOfAnyKind(): boolean {
    if (this.left === 0) {
      if (this.at !== this.end) throw this.damaged('bytes follow its last record');
      return false;
    }
    if (this.at >= this.end) throw this.damaged('it ends before its last record');
    const attributes = this.bytes[this.at++]!;
    if ((attributes & UNKNOWN_ATTRIBUTES) !== 0) throw this.damaged('a record has unknown attributes');
    const gap = (attributes & GAP) === 0 ? 0 : this.varint();
    this.offsetDelta += 1 + gap;
    if (this.offsetDelta > this.lastOffsetDelta) throw this.damaged('its offsets pass its last');
    if ((attributes & (TIME_STEP | TIME)) !== 0) this.timestamp = this.readTimestamp(attributes);
    this.keyStart = this.keyEnd = this.valueStart = this.valueEnd = this.headersAt = -1;
    if ((attributes & NULL_KEY) === 0) {
      const size = this.varint();
      this.keyStart = this.at;
      this.keyEnd = this.skip(size);
    }
    if ((attributes & NULL_VALUE) === 0) {
      const size = this.varint();
      this.valueStart = this.at;
      this.valueEnd = this.skip(size);
    }
    if ((attributes & HEADERS) !== 0) {
      this.headersAt = this.at;
      if (!skipHeaders(this)) throw this.damaged('a record has broken headers');
    }
    this.left--;
    return true;
  }

  private readTimestamp(attributes: number): number {
    const absolute = (attributes & TIME) !== 0;
    if (absolute && (attributes & TIME_STEP) !== 0) throw this.damaged('a record has two timestamps');
    const timestamp = absolute ? readFloat64(this.bytes, this.skip(8) - 8) : this.timestamp + unzigzag(this.varint());
    if (!Number.isSafeInteger(timestamp) || timestamp > this.maxTimestamp) throw this.damaged('a record has an impossible timestamp');
    return timestamp;
  }

  private varint(): number {
    if (this.at < this.end && this.bytes[this.at]! < 0x80) return this.bytes[this.at++]!;
    const n = readVarint(this);
    if (n < 0) throw this.damaged('a number in a record is malformed');
    return n;
  }

  private skip(size: number): number {
    if (size > this.end - this.at) throw this.damaged('a record reaches over its end');
    return (this.at += size);
  }

  private damaged(reason: string): StoplogError {
    return corrupt(reason, this.baseOffset);
  }
}

/** Reads a varint of two bytes; -1 when it is longer, or not the number's only encoding. */
const twoBytes = (low: number, high: number): number => (high === 0 || high >= 0x80 ? -1 : (low & 0x7f) | (high << 7));

const readFloat64 = (bytes: Uint8Array, at: number): number => new DataView(bytes.buffer, bytes.byteOffset + at, 8).getFloat64(0, true);
