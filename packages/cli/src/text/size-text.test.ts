import { sizeText } from '@stoplog/runtime/kit';
import { expect, test } from 'vitest';
import { exactSizeText, sizeIn } from './size-text.ts';

test.each([
  [0, '0 B'],
  [812, '812 B'],
  [1_024, '1 KiB'],
  [1_025, '1.02 kB'],
  [67_108_864, '64 MiB'],
  [4_234_567, '4.23 MB'],
  [10_000_000_000, '10 GB'],
  [1_500_000_000_000, '1.5 TB'],
])('%d bytes are %s', (bytes, text) => expect(sizeText(bytes)).toBe(text));
test('a size that was set is printed to the byte', () =>
  expect([812, 1_025, 67_108_864, 4_200_000, 4_234_567].map(exactSizeText)).toEqual(['812 B', '1 025 B', '64 MiB', '4.2 MB', '4 234 567 B']));
test.each([
  ['1000', 1_000],
  ['0', 0],
  ['64MiB', 67_108_864],
  ['10 GB', 10_000_000_000],
  ['1.5kb', 1_500],
])('%s is %d bytes', (text, bytes) => expect(sizeIn(text, 'segment-bytes')).toBe(bytes));
test.each(['', 'x', '-1', '5 d', '1 MiBB', '99999999 TB'])("'%s' is no size", (text) =>
  expect(() => sizeIn(text, 'segment-bytes')).toThrow(/^--segment-bytes '.*' is no size: write bytes, or 64MiB, or 10GB$/),
);
