/**
 * CRC-32 as in zip and PNG: detects every single flipped bit, and every burst up to 32 bits.
 *
 * `node:zlib` is the only node module that pure/ imports: the native CRC runs at some 3 GB/s, a table in JavaScript at 0.4.
 * The native call itself costs as much as the table takes for eighty bytes, so keys and small values go by the table. The
 * checksum guards against damage, not against malice.
 */
import { crc32 as zlibCrc32 } from 'node:zlib';

/** Up to this length the table is faster than the native call. */
const SHORT = 64;

/** The checksum of bytes[start, end), continued from `seed`: crc32(b, crc32(a)) is the checksum of a and b together. */
export const crc32 = (bytes: Uint8Array, seed = 0, start = 0, end: number = bytes.length): number => {
  if (end - start > SHORT) return zlibCrc32(start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end), seed);
  let crc = ~seed;
  for (let at = start; at < end; at++) crc = TABLE[(crc ^ bytes[at]!) & 0xff]! ^ (crc >>> 8);
  return ~crc >>> 0;
};

/** The remainder for each byte: the polynomial 04c11db7 with its bits reversed. */
const TABLE: Int32Array = Int32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 0 ? crc >>> 1 : (crc >>> 1) ^ 0xedb88320;
  return crc;
});

/** The checksum of a text's UTF-8. */
export const crc32Text = (text: string, seed = 0): number => zlibCrc32(text, seed);
