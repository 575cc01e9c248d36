/**
 * CRC-32 as in zip and PNG: finds every single flipped bit, and any burst up to 32 bits.
 *
 * It is the one thing that pure/ takes from node: `node:zlib` runs at some 3 GB/s, a table in JavaScript at 0.4. But the
 * call into native code costs what the table takes for eighty bytes, so keys and small values go by the table.
 * It guards against damage, not against malice.
 */
import { crc32 as zlibCrc32 } from 'node:zlib';

/** Up to here the table is faster than the call. */
const SHORT = 64;

/** The checksum of bytes[start, end), going on from `seed`: crc32(b, crc32(a)) is the checksum of a and b together. */
export const crc32 = (bytes: Uint8Array, seed = 0, start = 0, end: number = bytes.length): number => {
  if (end - start > SHORT) return zlibCrc32(start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end), seed);
  let crc = ~seed;
  for (let at = start; at < end; at++) crc = TABLE[(crc ^ bytes[at]!) & 0xff]! ^ (crc >>> 8);
  return ~crc >>> 0;
};

/** What each byte does to the remainder: the polynomial 04c11db7, its bits in reverse. */
const TABLE: Int32Array = Int32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 0 ? crc >>> 1 : (crc >>> 1) ^ 0xedb88320;
  return crc;
});

/** The same of a text's UTF-8. */
export const crc32Text = (text: string, seed = 0): number => zlibCrc32(text, seed);
