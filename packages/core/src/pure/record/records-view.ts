/**
 * A RecordsView is a cursor over records that a log has as objects, as a client of a broker gives them.
 *
 * Keys and values that are pieces of one buffer, as they are in a broker's answer, are not copied. Others are copied into one.
 */
import { NO_HEADERS, type Header } from './header.ts';
import type { RecordCursor } from './record-cursor.ts';

export interface ViewedRecord {
  /** Distance from the base offset; grows from record to record, and may skip. */
  readonly offsetDelta: number;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  readonly headers: readonly Header[];
}

export class RecordsView implements RecordCursor {
  readonly baseOffset: bigint;
  readonly partition: number;
  readonly count: number;
  readonly bytes: Uint8Array;
  readonly nextOffset: bigint;
  readonly #records: readonly ViewedRecord[];
  /** Start and end of key and value in `bytes`, four numbers for each record; a start of -1 is null. */
  readonly #spans: Int32Array;
  #at = -1;

  /** `lastOffsetDelta` is the last offset that the batch owns; that of the last record unless said otherwise. */
  constructor(baseOffset: bigint, partition: number, records: readonly ViewedRecord[], lastOffsetDelta: number = records.at(-1)?.offsetDelta ?? -1) {
    this.baseOffset = baseOffset;
    this.partition = partition;
    this.count = records.length;
    this.nextOffset = baseOffset + BigInt(lastOffsetDelta + 1);
    this.#records = records;
    const parts = records.flatMap(({ key, value }) => [key, value]);
    const shared = sharedBuffer(parts);
    this.bytes = shared === undefined ? new Uint8Array(parts.reduce((sum, part) => sum + (part?.length ?? 0), 0)) : new Uint8Array(shared);
    this.#spans = new Int32Array(parts.length * 2);
    let end = 0;
    parts.forEach((part, i) => {
      if (part === null) return this.#spans.fill(-1, i * 2, i * 2 + 2);
      if (shared === undefined) this.bytes.set(part, end);
      const start = shared === undefined ? end : part.byteOffset;
      end += part.length;
      return this.#spans.set([start, start + part.length], i * 2);
    });
  }

  get offsetDelta(): number {
    return this.#records[this.#at]?.offsetDelta ?? -1;
  }
  get offset(): bigint {
    return this.baseOffset + BigInt(this.offsetDelta);
  }
  get timestamp(): number {
    return this.#records[this.#at]!.timestamp;
  }
  get keyStart(): number {
    return this.#spans[this.#at * 4]!;
  }
  get keyEnd(): number {
    return this.#spans[this.#at * 4 + 1]!;
  }
  get valueStart(): number {
    return this.#spans[this.#at * 4 + 2]!;
  }
  get valueEnd(): number {
    return this.#spans[this.#at * 4 + 3]!;
  }
  get headersAt(): number {
    return this.#records[this.#at]!.headers.length === 0 ? -1 : this.#at;
  }

  next(): boolean {
    if (this.#at >= this.#records.length - 1) return false;
    this.#at++;
    return true;
  }
  rewind(): void {
    this.#at = -1;
  }
  key(): Uint8Array | null {
    return this.keyStart < 0 ? null : this.bytes.subarray(this.keyStart, this.keyEnd);
  }
  value(): Uint8Array | null {
    return this.valueStart < 0 ? null : this.bytes.subarray(this.valueStart, this.valueEnd);
  }
  headers(): readonly Header[] {
    return this.headersFrom(this.#at);
  }
  headersFrom(at: number): readonly Header[] {
    return this.#records[at]?.headers ?? NO_HEADERS;
  }
}

/** The buffer of all parts, if it is one. */
const sharedBuffer = (parts: readonly (Uint8Array | null)[]): ArrayBufferLike | undefined => {
  let buffer: ArrayBufferLike | undefined;
  for (const part of parts) {
    if (part === null) continue;
    buffer ??= part.buffer;
    if (part.buffer !== buffer) return undefined;
  }
  return buffer;
};
