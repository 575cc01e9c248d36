/**
 * Sort keys: encodes any key as bytes that sort as the keys do, so that a range of keys in a store is a range of bytes.
 *
 *   01 null   02 false   03 true
 *   10 number   its double, big-endian; the sign bit flipped, and for negative numbers all bits, so that -2 < -1 < 1 < 2
 *   18 bigint   u16 0x8000 + length, magnitude; for negative ones 0x7fff - length and the magnitude's complement
 *   20 string   UTF-8, which sorts by code points
 *   28 bytes
 *   30 the rest objects, arrays, and text with a lone surrogate: their JSON with sorted names. Equal data have equal bytes;
 *               the order is that of the JSON text and means nothing more
 *
 * Decoding gives back the encoded key, with two exceptions: -0 becomes 0, and a property that is `undefined` is left out.
 * Values that JSON would change (dates, maps, NaN, bigints inside an object) are refused.
 */
import { StoplogError } from '../errors.ts';
import { canonicalJson, isPlain } from './canonical.ts';
import { isWellFormed, readUtf8, utf8Size, writeAscii, writeUtf8 } from './text.ts';

const NULL = 0x01;
const FALSE = 0x02;
const TRUE = 0x03;
const NUMBER = 0x10;
const BIGINT = 0x18;
const STRING = 0x20;
const BYTES = 0x28;
const JSON_TEXT = 0x30;
/** A key nested deeper would exceed every size limit, or contains itself. */
const MAX_DEPTH = 500;
const MAX_BIGINT_BYTES = 0x7fff;

export const encodeSortKey = (key: unknown): Uint8Array => {
  switch (typeof key) {
    case 'string':
      return shortAscii(key) ?? (isWellFormed(key) ? taggedText(STRING, key) : taggedText(JSON_TEXT, JSON.stringify(key)));
    case 'number':
      return encodeNumber(key);
    case 'bigint':
      return encodeBigint(key);
    case 'boolean':
      return Uint8Array.of(key ? TRUE : FALSE);
    default:
      if (key === null) return Uint8Array.of(NULL);
      if (key instanceof Uint8Array) {
        const bytes = new Uint8Array(1 + key.length);
        bytes[0] = BYTES;
        bytes.set(key, 1);
        return bytes;
      }
      checkJson(key, 0);
      return taggedText(JSON_TEXT, canonicalJson(key));
  }
};

export const decodeSortKey = (bytes: Uint8Array): unknown => {
  const size = bytes.length;
  switch (bytes[0]) {
    case NULL:
    case FALSE:
    case TRUE:
      if (size === 1) return bytes[0] === NULL ? null : bytes[0] === TRUE;
      break;
    case NUMBER:
      if (size === 9) return decodeNumber(bytes);
      break;
    case BIGINT:
      if (size >= 3) return decodeBigint(bytes);
      break;
    case STRING:
      return readUtf8(bytes, 1);
    case BYTES:
      return bytes.slice(1);
    case JSON_TEXT:
      try {
        return JSON.parse(readUtf8(bytes, 1)) as unknown;
      } catch {
        break;
      }
    default:
  }
  throw noKey(bytes);
};

/** Negative, zero or positive, as LMDB orders keys: byte for byte, a prefix before its extensions. */
export const compareBytes = (a: Uint8Array, b: Uint8Array): number => {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) {
    const difference = a[i]! - b[i]!;
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
};

const taggedText = (tag: number, text: string): Uint8Array => {
  const bytes = new Uint8Array(1 + utf8Size(text));
  bytes[0] = tag;
  writeUtf8(bytes, 1, text);
  return bytes;
};

/** Encodes a short ASCII string, the most common key, without a native call. */
const shortAscii = (text: string): Uint8Array | undefined => {
  if (text.length > 48) return undefined;
  const bytes = new Uint8Array(1 + text.length);
  bytes[0] = STRING;
  return writeAscii(bytes, 1, text) ? bytes : undefined;
};

const encodeNumber = (n: number): Uint8Array => {
  if (Number.isNaN(n)) throw refusal('NaN', 'has no order');
  double.setFloat64(0, n + 0); // -0 becomes 0
  const high = double.getUint32(0) ^ (n < 0 ? 0xffff_ffff : 0x8000_0000);
  const low = double.getUint32(4) ^ (n < 0 ? 0xffff_ffff : 0);
  return Uint8Array.of(NUMBER, high >>> 24, high >>> 16, high >>> 8, high, low >>> 24, low >>> 16, low >>> 8, low);
};

const decodeNumber = (bytes: Uint8Array): number => {
  const flip = bytes[1]! >= 0x80 ? 0 : 0xff;
  double.setUint8(0, bytes[1]! ^ (flip || 0x80));
  for (let i = 1; i < 8; i++) double.setUint8(i, bytes[1 + i]! ^ flip);
  const n = double.getFloat64(0);
  if (Number.isNaN(n)) throw noKey(bytes);
  return n;
};

/** Eight bytes in which to take a number apart: a DataView for each call would cost more than all the rest. */
const double = new DataView(new ArrayBuffer(8));

const encodeBigint = (n: bigint): Uint8Array => {
  const hex = (n < 0n ? -n : n).toString(16);
  const size = n === 0n ? 0 : (hex.length + 1) >>> 1;
  if (size > MAX_BIGINT_BYTES) throw refusal('a bigint', `takes ${size} bytes`);
  const bytes = new Uint8Array(3 + size);
  bytes[0] = BIGINT;
  const flip = n < 0n ? 0xff : 0;
  const prefix = n < 0n ? 0x7fff - size : 0x8000 + size;
  bytes[1] = prefix >>> 8;
  bytes[2] = prefix;
  const padded = hex.length % 2 === 0 ? hex : `0${hex}`;
  for (let i = 0; i < size; i++) bytes[3 + i] = Number.parseInt(padded.slice(2 * i, 2 * i + 2), 16) ^ flip;
  return bytes;
};

const decodeBigint = (bytes: Uint8Array): bigint => {
  const prefix = (bytes[1]! << 8) | bytes[2]!;
  const negative = prefix < 0x8000;
  const size = negative ? 0x7fff - prefix : prefix - 0x8000;
  if (bytes.length !== 3 + size) throw noKey(bytes);
  if (size === 0) return 0n;
  let hex = '0x';
  for (let i = 0; i < size; i++) hex += ((bytes[3 + i]! ^ (negative ? 0xff : 0)) & 0xff).toString(16).padStart(2, '0');
  return negative ? -BigInt(hex) : BigInt(hex);
};

/** Throws for data that JSON would change. */
const checkJson = (data: unknown, depth: number): void => {
  if (depth > MAX_DEPTH) throw refusal('an object', 'is nested too deep, or holds itself');
  switch (typeof data) {
    case 'string':
    case 'boolean':
      return;
    case 'number':
      if (!Number.isFinite(data)) throw refusal(String(data), 'has no JSON');
      return;
    case 'object':
      if (data === null) return;
      if (Array.isArray(data)) for (const item of data as readonly unknown[]) checkJson(item, depth + 1);
      else if (!isPlain(data)) throw refusal(`an object of class ${className(data)}`, 'has no JSON that gives it back');
      else for (const value of Object.values(data)) if (value !== undefined) checkJson(value, depth + 1);
      return;
    default:
      throw refusal(`a value of type ${typeof data}`, 'has no JSON');
  }
};

const className = (data: object): string => {
  const maker: unknown = data.constructor;
  return typeof maker === 'function' ? maker.name : 'unknown';
};

const refusal = (what: string, why: string): StoplogError =>
  new StoplogError('STOPLOG_SCHEMA', { what }, `${what} cannot be a key: it ${why}. Make the key of strings, numbers, booleans and plain objects of them`);

const noKey = (bytes: Uint8Array): StoplogError =>
  new StoplogError(
    'STOPLOG_LOG_CORRUPT',
    { reason: 'no sort key', bytes: bytes.slice(0, 32) },
    'the bytes of a stored key are no key: restore the log from a backup',
  );
