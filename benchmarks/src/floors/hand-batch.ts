/**
 * A hand-written batch: the floors write and read it instead of ours. The same bytes for each record (attributes, time step,
 * two lengths, key, value) and a checksum over them, under a header with only the fields that the floors need.
 *
 *    0  u32  CRC-32 of the rest      4  u32  records      8  f64  timestamp of the first record      16  records
 */
import { crc32 } from 'node:zlib';

export const HEAD = 16;
export const BATCH_BYTES: number = 64 * 1024;
/** Larger than any record that the benchmarks write. */
const ROOM = 4_096;

export class HandBatch {
  readonly #bytes: Buffer = Buffer.allocUnsafeSlow(BATCH_BYTES + ROOM);
  #at = HEAD;
  #time = 0;
  count = 0;

  get full(): boolean {
    return this.#at >= BATCH_BYTES;
  }
  add(key: Uint8Array, value: Uint8Array, time: number): void {
    const bytes = this.#bytes;
    let at = this.#begin(time);
    at = writeLength(bytes, at, key.length);
    bytes.set(key, at);
    at = writeLength(bytes, at + key.length, value.length);
    bytes.set(value, at);
    this.#at = at + value.length;
  }
  /** Text is written straight into the batch. All of it is ASCII here, so its length is known. */
  addText(key: string, value: string, time: number): void {
    const bytes = this.#bytes;
    let at = this.#begin(time);
    at = writeLength(bytes, at, key.length);
    at += bytes.write(key, at, 'latin1');
    at = writeLength(bytes, at, value.length);
    this.#at = at + bytes.write(value, at, 'latin1');
  }
  /** The batch, copied into memory of its own. */
  finish(): Buffer {
    this.#bytes.writeUInt32LE(this.count, 4);
    const batch = Buffer.allocUnsafeSlow(this.#at);
    batch.set(this.#bytes.subarray(0, this.#at));
    batch.writeUInt32LE(crc32(batch.subarray(4)), 0);
    this.#at = HEAD;
    this.count = 0;
    return batch;
  }
  #begin(time: number): number {
    const bytes = this.#bytes;
    let at = this.#at + 1;
    const step = this.count++ === 0 ? 0 : time - this.#time;
    if (step === 0) bytes[at - 1] = 0;
    else {
      bytes[at - 1] = 16;
      at = writeLength(bytes, at, step > 0 ? 2 * step : -2 * step - 1);
    }
    if (this.count === 1) bytes.writeDoubleLE(time, 8);
    this.#time = time;
    return at;
  }
}

/** Throws when the batch is damaged. */
export const verify = (batch: Buffer): void => {
  if (crc32(batch.subarray(4)) !== batch.readUInt32LE(0)) throw new Error('a batch of the floor is damaged');
};

/** Walks a batch in place: the offsets of the key and the value of each record. */
export class HandCursor {
  readonly bytes: Buffer;
  keyStart = 0;
  keyEnd = 0;
  valueStart = 0;
  valueEnd = 0;
  #at = HEAD;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }
  next(): boolean {
    const { bytes } = this;
    let at = this.#at;
    if (at >= bytes.length) return false;
    if (bytes[at++] === 16) while (bytes[at++]! >= 0x80);
    let size = bytes[at++]!;
    if (size >= 0x80) size = (size & 0x7f) | (bytes[at++]! << 7);
    this.keyStart = at;
    at = this.keyEnd = at + size;
    size = bytes[at++]!;
    if (size >= 0x80) size = (size & 0x7f) | (bytes[at++]! << 7);
    this.valueStart = at;
    this.#at = this.valueEnd = at + size;
    return true;
  }
}

const writeLength = (bytes: Buffer, start: number, length: number): number => {
  let at = start;
  let rest = length;
  for (; rest >= 0x80; rest >>>= 7) bytes[at++] = (rest & 0x7f) | 0x80;
  bytes[at++] = rest;
  return at;
};
