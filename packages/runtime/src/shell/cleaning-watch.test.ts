import type { PartitionCleaning } from '@stoplog/core/tools';
import { expect, test } from 'vitest';
import { CleaningWatch } from './cleaning-watch.ts';
import { cleaningStatus } from './status/status.ts';

const at = (time: number): PartitionCleaning => ({
  topic: 't',
  partition: 0,
  bytes: 10,
  dirtyBytes: 0,
  dirtyRatio: 0,
  dueAt: undefined,
  last: { at: time, tookMs: 1, startBefore: 0n, start: 0n, dropped: 2, kept: 1, bytesBefore: 30, bytes: 10 },
});
const failure = { at: 7, code: 'STOPLOG_LOG_FULL', message: 'no space is left: make room', attempts: 1, retryAt: 60_007 };

test('the watch reports each cleaning since the start once, reports an older failure too, and keeps the last description for the status', async () => {
  const heard: string[] = [];
  let now = 0;
  let found: readonly PartitionCleaning[] | Error = [{ ...at(1), failure }];
  const watch = new CleaningWatch(
    async () => {
      if (found instanceof Error) throw found;
      return found;
    },
    (line) => heard.push(line),
    () => now,
  );
  expect(cleaningStatus(watch.descriptions)).toEqual({ lastAt: undefined, failed: [] });
  await watch.look();
  await watch.look();
  expect(heard).toEqual(['cleaning of t[0] failed; again in 1m: STOPLOG_LOG_FULL  no space is left: make room']);
  expect(cleaningStatus(watch.descriptions)).toEqual({
    lastAt: 1,
    failed: [{ topic: 't', partition: 0, code: 'STOPLOG_LOG_FULL', message: 'no space is left: make room' }],
  });
  found = [at(9)];
  await watch.look();
  expect(heard.slice(1)).toEqual(['t[0] cleaned: 2 records, 20 B freed, 10 B kept, in 1ms']);
  // Repeated cleanings: a line per minute, about the last one.
  now = 59_999;
  found = [at(20)];
  await watch.look();
  expect(heard).toHaveLength(2);
  now = 60_000;
  await watch.look();
  expect(heard).toHaveLength(3);
  found = new Error('the log is closed');
  await watch.look();
  expect(heard).toHaveLength(3);
  expect(cleaningStatus(watch.descriptions)).toEqual({ lastAt: 20, failed: [] });
});
