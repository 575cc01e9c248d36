import type { PartitionCleaning } from '@stoplog/core/tools';
import { expect, test } from 'vitest';
import { cleanedNews, failureNews, failureText } from './cleaning-news.ts';

const NOW = Date.UTC(2026, 0, 15);
const last = { at: NOW - 180_000, tookMs: 820, startBefore: 0n, start: 40n, dropped: 1_200, kept: 300, bytesBefore: 4_500_000, bytes: 300_000 };
const idle: PartitionCleaning = { topic: 'orders', partition: 0, bytes: 300_000, dirtyBytes: 90_000, dirtyRatio: 0.3, dueAt: undefined };
const cleaned: PartitionCleaning = { ...idle, last, dueAt: NOW + 7_200_000 };
const failure = { at: NOW - 5_000, code: 'STOPLOG_LOG_CORRUPT', message: 'orders[0] is damaged\u001b: restore it', attempts: 3, retryAt: NOW + 55_000 };

test('a failure is reported with its code and sentence, the number of attempts, and the time of the next', () => {
  expect(failureText({ ...idle, failure }, NOW)).toBe(
    'cleaning of orders[0] failed 5s ago, 3 times in a row; again in 55s: STOPLOG_LOG_CORRUPT  orders[0] is damaged\\u001b: restore it',
  );
  expect(failureText({ ...idle, failure: { ...failure, attempts: 1, at: NOW, retryAt: NOW } }, NOW)).toMatch(
    /^cleaning of orders\[0\] failed; again at the next look: /,
  );
  expect(failureText(idle, NOW)).toBeUndefined();
});
test('a line for each topic reports the cleanings since a look', () => {
  const other: PartitionCleaning = { ...cleaned, partition: 1, last: { ...last, tookMs: 180 } };
  expect(cleanedNews([idle], [cleaned])).toEqual(['orders[0] cleaned: 1 240 records, 4.2 MB freed, 300 kB kept, in 820ms']);
  expect(cleanedNews([idle, { ...idle, partition: 1 }], [cleaned, other])).toEqual([
    '2 partitions of orders cleaned: 2 480 records, 8.4 MB freed, 600 kB kept, in 1s',
  ]);
  expect(cleanedNews([cleaned], [cleaned])).toEqual([]);
  // A cleaning that read everything and removed nothing is not reported.
  expect(cleanedNews([idle], [{ ...cleaned, last: { ...last, dropped: 0, startBefore: 40n } }])).toEqual([]);
});
test('a failure is reported when it begins, and when its reason changes', () => {
  const failed = { ...cleaned, failure: { ...failure, attempts: 1 } };
  expect(failureNews([cleaned], [failed])).toEqual([expect.stringMatching(/^cleaning of orders\[0\] failed; again in 1m: STOPLOG_LOG_CORRUPT/)]);
  expect(failureNews([failed], [{ ...cleaned, failure }])).toEqual([]);
  expect(failureNews([failed], [{ ...cleaned, failure: { ...failure, code: 'STOPLOG_LOG_FULL' } }])).toHaveLength(1);
});
