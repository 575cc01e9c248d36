import { crc32 as zlibCrc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { crc32 } from './checksum.ts';
import { utf8 } from './text.ts';

describe('crc32', () => {
  test('crc32 is the common CRC-32: its check value is cbf43926', () => {
    expect(crc32(utf8('123456789'))).toBe(0xcbf43926);
    expect(crc32(new Uint8Array(0))).toBe(0);
  });

  test('a checksum continued from a seed equals the checksum of all bytes in one piece', () => {
    expect(crc32(utf8('6789'), crc32(utf8('12345')))).toBe(0xcbf43926);
  });

  test('the table for short inputs and the native call for long ones give the same checksum', () => {
    const bytes = Uint8Array.from({ length: 300 }, (_, i) => (i * 31) & 0xff);
    for (let size = 0; size <= bytes.length; size++) expect(crc32(bytes.subarray(0, size), size)).toBe(zlibCrc32(bytes.subarray(0, size), size));
  });

  test('the checksum of a range equals the checksum of a copy of the range', () => {
    const bytes = utf8('a short part, or a part that is long enough for the native way to pay, which takes some more words than this');
    expect(crc32(bytes, 7, 2, 9)).toBe(crc32(bytes.slice(2, 9), 7));
    expect(crc32(bytes, 7, 2, 100)).toBe(crc32(bytes.slice(2, 100), 7));
  });
});
