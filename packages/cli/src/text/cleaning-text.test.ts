import type { PartitionCleaning } from '@stoplog/core/tools';
import { expect, test } from 'vitest';
import { cleaningCells, cleaningData } from './cleaning-text.ts';

const NOW = Date.UTC(2026, 0, 15);
const last = { at: NOW - 180_000, tookMs: 820, startBefore: 0n, start: 40n, dropped: 1_200, kept: 300, bytesBefore: 4_500_000, bytes: 300_000 };
const idle: PartitionCleaning = { topic: 'orders', partition: 0, bytes: 300_000, dirtyBytes: 90_000, dirtyRatio: 0.3, dueAt: undefined };
const cleaned: PartitionCleaning = { ...idle, last, dueAt: NOW + 7_200_000 };
const failure = { at: NOW - 5_000, code: 'STOPLOG_LOG_CORRUPT', message: 'orders[0] is damaged\u001b: restore it', attempts: 3, retryAt: NOW + 55_000 };

test('a partition shows its dirty ratio, its last cleaning with the freed bytes, and when the next is due', () => {
  expect(cleaningCells(cleaned, NOW)).toEqual(['300 000', '30 %', '3m ago', '4.2 MB', 'in 2h']);
  expect(cleaningCells({ ...idle, dirtyRatio: undefined, dueAt: NOW }, NOW)).toEqual(['300 000', '–', 'never', '–', 'now']);
  expect(cleaningCells(idle, NOW)[4]).toBe('–');
});
test('the data of a cleaning has ISO times, and null for unknown values', () => {
  expect(cleaningData({ ...cleaned, failure })).toMatchObject({
    nextDueAt: '2026-01-15T02:00:00.000Z',
    last: { at: '2026-01-14T23:57:00.000Z', startBefore: 0, start: 40, recordsDropped: 1_200, freedBytes: 4_200_000, keptBytes: 300_000 },
    failure: { code: 'STOPLOG_LOG_CORRUPT', attempts: 3, retryAt: '2026-01-15T00:00:55.000Z' },
  });
  expect(cleaningData(idle)).toMatchObject({ nextDueAt: null, last: null, failure: null });
});
