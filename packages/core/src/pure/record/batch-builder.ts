/**
 * A BatchBuilder packs records into one buffer as they come, and hands out finished batches.
 *
 * Text is written as UTF-8 straight into the buffer, without an intermediate copy. The buffer grows by doubling and is reused
 * for the next batch; a finished batch has memory of its own, so that it can be transferred to a thread. A refused record
 * leaves nothing in the buffer.
 */
import { assert, StoplogError } from '../errors.ts';
import { copyInto } from '../bytes/copy.ts';
import { isWellFormed, utf8Size, writeUtf8 } from '../bytes/text.ts';
import { MAX_VARINT_SIZE, varintSize, writeVarint, zigzag } from '../bytes/varint.ts';
import {
  GAP,
  HEADERS,
  HEADER_SIZE,
  MAX_OFFSET_DELTA,
  MAX_TIME_STEP,
  NULL_KEY,
  NULL_VALUE,
  TIME,
  TIME_STEP,
  HORIZON_SIZE,
  writeHeader,
} from './batch-layout.ts';
import { headersRoom, headersSize, NO_HEADERS, writeHeaders, type Header } from './header.ts';
import { checkRecordSize } from './limits.ts';

/** The size up to which the buffer is kept between batches; a larger one, grown for an unusual batch, is dropped. */
const KEPT_BYTES = 1024 * 1024;
/** Room for attributes, gap, time and two lengths. */
const RECORD_ROOM: number = 1 + 4 * MAX_VARINT_SIZE;
/** Text up to this length gets the room of its worst case; longer text is measured first. */
const MEASURE_FROM = 4_096;

export class BatchBuilder {
  private readonly initialBytes: number;
  private bytes: Buffer;
  private at: number;
  private records: number;
  private nextDelta: number;
  private baseTimestamp: number;
  private lastTimestamp: number;
  private maxTimestamp: number;

  constructor(initialBytes: number = 64 * 1024) {
    this.initialBytes = Math.max(initialBytes, 2 * HEADER_SIZE);
    this.bytes = Buffer.allocUnsafeSlow(this.initialBytes);
    this.at = HEADER_SIZE;
    this.records = this.nextDelta = this.baseTimestamp = this.lastTimestamp = 0;
    this.maxTimestamp = -Infinity;
  }

  /** Records so far. */
  get count(): number {
    return this.records;
  }
  /** The size of the batch if it were finished now. */
  get size(): number {
    return this.at;
  }

  append(key: Uint8Array | string | null, value: Uint8Array | string | null, timestamp: number, headers: readonly Header[] = NO_HEADERS): void {
    this.appendAt(this.nextDelta, key, value, timestamp, headers);
  }

  /** Appends a record at `offsetDelta` above the base: a compacted batch has gaps, and its records keep their offsets. */
  appendAt(
    offsetDelta: number,
    key: Uint8Array | string | null,
    value: Uint8Array | string | null,
    timestamp: number,
    headers: readonly Header[] = NO_HEADERS,
  ): void {
    if (!Number.isSafeInteger(timestamp)) throw badTimestamp(timestamp);
    assert(offsetDelta >= this.nextDelta && offsetDelta <= MAX_OFFSET_DELTA, 'offsets in a batch grow and stay below 2^32');
    const headerBytes = headers.length === 0 ? 0 : headersSize(headers);
    checkRecordSize(key === null ? 0 : key.length, value === null ? 0 : value.length, headerBytes); // text takes at least its length
    this.reserve(RECORD_ROOM + room(key) + room(value) + headersRoom(headers, headerBytes));
    const bytes = this.bytes;
    let attributes = 0;
    let at = this.at + 1;
    if (offsetDelta > this.nextDelta) {
      attributes |= GAP;
      at = writeVarint(bytes, at, offsetDelta - this.nextDelta);
    }
    if (timestamp !== this.lastTimestamp && this.records > 0) {
      const step = timestamp - this.lastTimestamp;
      const small = step <= MAX_TIME_STEP && step >= -MAX_TIME_STEP;
      attributes |= small ? TIME_STEP : TIME;
      at = small ? writeVarint(bytes, at, zigzag(step)) : bytes.writeDoubleLE(timestamp, at);
    }
    let keySize = 0;
    if (key === null) attributes |= NULL_KEY;
    else if (typeof key === 'string') {
      keySize = writeText(bytes, at, key);
      at += varintSize(keySize) + keySize;
    } else {
      keySize = key.length;
      at = writeBytes(bytes, at, key);
    }
    let valueSize = 0;
    if (value === null) attributes |= NULL_VALUE;
    else if (typeof value === 'string') {
      valueSize = writeText(bytes, at, value);
      at += varintSize(valueSize) + valueSize;
    } else {
      valueSize = value.length;
      at = writeBytes(bytes, at, value);
    }
    if (typeof key === 'string' || typeof value === 'string') checkRecordSize(keySize, valueSize, headerBytes);
    if (headers.length > 0) {
      attributes |= HEADERS;
      at = writeHeaders(bytes, at, headers);
    }
    bytes[this.at] = attributes;
    this.at = at;
    this.nextDelta = offsetDelta + 1;
    if (this.records++ === 0) this.baseTimestamp = timestamp + 0; // -0 becomes 0
    this.lastTimestamp = timestamp;
    if (timestamp > this.maxTimestamp) this.maxTimestamp = timestamp + 0;
  }

  /**
   * The finished batch, without its place (`stampBatch`). It owns the offsets up to `lastOffsetDelta`, with or without
   * records. A `deleteHorizon` is set by a cleaning that keeps tombstones in the batch.
   */
  finish(lastOffsetDelta: number = this.nextDelta - 1, deleteHorizon?: number): Uint8Array {
    assert(
      lastOffsetDelta >= 0 && lastOffsetDelta >= this.nextDelta - 1 && lastOffsetDelta <= MAX_OFFSET_DELTA,
      'a batch owns the offsets of its records, and at least one',
    );
    const batch = new Uint8Array(Buffer.allocUnsafeSlow(this.at + (deleteHorizon === undefined ? 0 : HORIZON_SIZE)).buffer);
    batch.set(this.bytes.subarray(HEADER_SIZE, this.at), HEADER_SIZE);
    writeHeader(batch, { count: this.records, lastOffsetDelta, baseTimestamp: this.baseTimestamp, maxTimestamp: this.maxTimestamp, deleteHorizon });
    this.reset();
    return batch;
  }

  /** Forgets the records so far. */
  reset(): void {
    if (this.bytes.length > Math.max(KEPT_BYTES, this.initialBytes)) this.bytes = Buffer.allocUnsafeSlow(this.initialBytes);
    this.at = HEADER_SIZE;
    this.records = this.nextDelta = this.baseTimestamp = this.lastTimestamp = 0;
    this.maxTimestamp = -Infinity;
  }

  private reserve(room: number): void {
    const needed = this.at + room;
    if (needed <= this.bytes.length) return;
    assert(needed < 2 ** 31, 'a batch stays below 2 GiB');
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.bytes.length));
    grown.set(this.bytes.subarray(0, this.at));
    this.bytes = grown;
  }
}

/** The most bytes that are written for a key or value. */
const room = (data: Uint8Array | string | null): number =>
  data === null ? 0 : typeof data !== 'string' ? data.length : data.length > MEASURE_FROM ? utf8Size(data) : 3 * data.length;

/** Writes the length and the text at `at`, and returns how many bytes the text took. */
const writeText = (target: Buffer, at: number, text: string): number => {
  const guess = varintSize(text.length);
  const size = writeUtf8(target, at + guess, text);
  if (size !== text.length) {
    if (!isWellFormed(text)) throw illFormed(text);
    const lengthSize = varintSize(size);
    if (lengthSize > guess) target.copyWithin(at + lengthSize, at + guess, at + guess + size);
  }
  writeVarint(target, at, size);
  return size;
};

/** Writes the length and the bytes at `at`, and returns the offset after them. */
const writeBytes = (target: Buffer, at: number, source: Uint8Array): number => {
  const start = writeVarint(target, at, source.length);
  return copyInto(target, start, source);
};

const badTimestamp = (timestamp: number): StoplogError =>
  new StoplogError(
    'STOPLOG_USAGE',
    { timestamp },
    `the timestamp ${timestamp} is not a whole number of milliseconds: give milliseconds since 1970, as Date.now() does`,
  );

const illFormed = (text: string): StoplogError =>
  new StoplogError(
    'STOPLOG_SCHEMA',
    { text: text.slice(0, 100) },
    `the text ${JSON.stringify(text.slice(0, 40))} holds half a character (a lone surrogate), which UTF-8 cannot carry: use the json codec, or repair it with toWellFormed()`,
  );
