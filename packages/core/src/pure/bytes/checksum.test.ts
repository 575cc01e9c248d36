import { describe, expect, test } from 'vitest';
import { crc32 } from './checksum.ts';
import { utf8 } from './text.ts';

describe('crc32', () => {
  test('is the CRC-32 everyone means: its check value is cbf43926', () => {
    expect(crc32(utf8('123456789'))).toBe(0xcbf43926);
    expect(crc32(new Uint8Array(0))).toBe(0);
  });

  test('goes on from a seed as if the bytes were one piece', () => {
    expect(crc32(utf8('6789'), crc32(utf8('12345')))).toBe(0xcbf43926);
  });
});
