import { expect, test } from 'vitest';
import { usageLines } from './usage-text.ts';

test('the size of a log is printed in rows', () => {
  const usage = { fileBytes: 163_840, liveBytes: 81_920, freePages: 10, pageBytes: 8_192, tables: [{ table: 'log' as const, entries: 12_000, bytes: 40_960 }] };
  expect(usageLines('lmdb:./data', { ...usage, partitions: [] }).split('\n')).toEqual([
    'log     lmdb:./data',
    'file    163 840 bytes',
    'in use  81 920 bytes, 50 %',
    'free    10 pages of 8 192 bytes, which later commits use again',
    '',
    'TABLE  ENTRIES   BYTES',
    'log     12 000  40 960',
    '',
  ]);
});
