/**
 * A record's headers are a list, not a map: in order, names may repeat, and null is not the empty value.
 *
 * Header values are bytes and are never decoded here. On disk: the number of headers, then for each the length of the name,
 * the name, the length of the value plus one (0 for null), the value.
 */
import { StoplogError } from '../errors.ts';
import { isWellFormed, readUtf8, utf8Size, writeUtf8 } from '../bytes/text.ts';
import { MAX_VARINT_SIZE, readVarint, writeVarint, type VarintCursor } from '../bytes/varint.ts';

export interface Header {
  readonly name: string;
  readonly value: Uint8Array | null;
}

export const NO_HEADERS: readonly Header[] = Object.freeze([]);

/**
 * The value of the last header with that name: null if that is its value, `undefined` if there is none.
 *
 * @example
 * const trace = lastHeader(record.headers, 'trace');
 * const text = trace == null ? 'none' : new TextDecoder().decode(trace);
 */
export const lastHeader = (headers: readonly Header[], name: string): Uint8Array | null | undefined =>
  headers.findLast((header) => header.name === name)?.value;

/**
 * The values of all headers of that name, in order.
 *
 * @example
 * const hops = allHeaders(record.headers, 'hop').length;
 */
export const allHeaders = (headers: readonly Header[], name: string): readonly (Uint8Array | null)[] =>
  headers.filter((header) => header.name === name).map((header) => header.value);

/** Bytes of all names and values, which count towards the record's limit. */
export const headersSize = (headers: readonly Header[]): number => {
  let size = 0;
  for (const { name, value } of headers) size += utf8Size(name) + (value === null ? 0 : value.length);
  return size;
};

/** The most bytes that headers of that `headersSize` take. */
export const headersRoom = (headers: readonly Header[], size: number): number => size + MAX_VARINT_SIZE * (1 + 2 * headers.length);

/** Writes the list at `at` and returns the offset after it. */
export const writeHeaders = (target: Uint8Array, at: number, headers: readonly Header[]): number => {
  let next = writeVarint(target, at, headers.length);
  for (const { name, value } of headers) {
    if (!isWellFormed(name)) {
      throw new StoplogError('STOPLOG_USAGE', { name }, `the header name ${JSON.stringify(name)} holds half a character: give it a name that has a UTF-8 form`);
    }
    next = writeVarint(target, next, utf8Size(name));
    next += writeUtf8(target, next, name);
    next = writeVarint(target, next, value === null ? 0 : value.length + 1);
    if (value !== null) {
      target.set(value, next);
      next += value.length;
    }
  }
  return next;
};

/** Moves the cursor past a list of headers; false when the bytes are malformed. Allocates nothing. */
export const skipHeaders = (cursor: VarintCursor): boolean => {
  const count = readVarint(cursor);
  if (count < 1) return false;
  for (let i = 0; i < count; i++) {
    if (!skip(cursor, readVarint(cursor))) return false;
    const size = readVarint(cursor);
    if (size < 0 || !skip(cursor, Math.max(0, size - 1))) return false;
  }
  return true;
};

const skip = (cursor: VarintCursor, size: number): boolean => {
  if (size < 0 || size > cursor.end - cursor.at) return false;
  cursor.at += size;
  return true;
};

/** Reads headers that `skipHeaders` has checked. The values are copies. */
export const readHeaders = (bytes: Uint8Array, at: number): readonly Header[] => {
  const cursor = { bytes, at, end: bytes.length };
  const headers: Header[] = [];
  for (let left = readVarint(cursor); left > 0; left--) {
    const nameSize = readVarint(cursor);
    const name = readUtf8(bytes, cursor.at, (cursor.at += nameSize));
    const size = readVarint(cursor);
    headers.push({ name, value: size === 0 ? null : bytes.slice(cursor.at, (cursor.at += size - 1)) });
  }
  return headers;
};
