/**
 * Stores keys that are longer than LMDB takes (4,026 bytes with pages of 8 KB).
 *
 *   up to 4,000 bytes   prefix of the store part · the key                                      → the value
 *   longer              prefix of the store part · its first 3,984 bytes · SHA-256 of all of it → u32 size · the key · the value
 *
 * The second form is longer than the first ever is, so the two cannot be confused. Two keys that agree in their first 3,984
 * bytes are stored in the order of their hashes; `range` puts such a group back into the order of the keys, so no reader sees it.
 * The hash is a cryptographic one, so that a program that chooses keys cannot choose the entry to overwrite, and the whole key
 * is in the value and is compared.
 */
import { createHash } from 'node:crypto';
import { StoplogError } from '../../pure/errors.ts';
import type { IdStoreWrites } from '../layout/commit-bytes.ts';

/** The longest key that is stored unchanged. */
export const SHORT_KEY_BYTES = 4_000;
/** The part of a longer key that is stored in order. */
export const HEAD_BYTES = 3_984;
const SIZE_BYTES = 4;

/** The stored key for a key of any length, behind its store's prefix. A short key is stored unchanged. */
export const storedKey = (key: Uint8Array): Uint8Array =>
  key.length <= SHORT_KEY_BYTES ? key : Buffer.concat([key.subarray(0, HEAD_BYTES), createHash('sha256').update(key).digest()]);

const storedValue = (key: Uint8Array, value: Uint8Array): Uint8Array => {
  const bytes = Buffer.allocUnsafe(SIZE_BYTES + key.length + value.length);
  bytes.writeUInt32LE(key.length);
  bytes.set(key, SIZE_BYTES);
  bytes.set(value, SIZE_BYTES + key.length);
  return bytes;
};

/** Replaces long keys by head and hash. Writes without a long key, which are nearly all, are returned unchanged. */
export const storedWrites = (writes: IdStoreWrites): IdStoreWrites => {
  const { prefix, keys, values } = writes;
  if (!keys.some((key) => key.length > SHORT_KEY_BYTES)) return writes;
  return {
    prefix,
    keys: keys.map(storedKey),
    values: values.map((value, i) => (value === null || keys[i]!.length <= SHORT_KEY_BYTES ? value : storedValue(keys[i]!, value))),
  };
};

export type Entry = readonly [key: Uint8Array, value: Uint8Array];
/** The entry behind a stored key, without the prefix, and its value, unsealed: slices, not copies. */
export const entryAt = (stored: Uint8Array, value: Uint8Array): Entry => {
  if (stored.length <= SHORT_KEY_BYTES) return [stored, value];
  const size = value.length < SIZE_BYTES ? Infinity : new DataView(value.buffer, value.byteOffset, SIZE_BYTES).getUint32(0, true);
  const key = value.subarray(SIZE_BYTES, SIZE_BYTES + size);
  if (key.length !== size) throw corrupt('its value is shorter than its key');
  return [key, value.subarray(SIZE_BYTES + size)];
};
/** The value of a long key; a key stored under another one's hash is damage, or the end of SHA-256. */
export const valueOf = (key: Uint8Array, stored: Uint8Array, value: Uint8Array): Uint8Array => {
  const [found, rest] = entryAt(stored, value);
  if (Buffer.compare(found, key) !== 0) throw corrupt('it is stored under the hash of another key');
  return rest;
};

const corrupt = (reason: string): StoplogError =>
  new StoplogError(
    'STOPLOG_LOG_CORRUPT',
    { table: 'stores', reason },
    `an entry of a store is damaged: ${reason}. Nothing was returned; restore the folder from a backup`,
  );
