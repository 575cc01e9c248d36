import { openLog, topic, type LogClient, type NewRecord } from '@stoplog/core';
import { lmdb } from '@stoplog/core/lmdb';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { inFolder } from './fixtures/pressed.ts';

const letters = topic('letters', { key: z.string(), value: z.string(), partitions: 2 });
const valuesIn = async (log: LogClient): Promise<readonly (string | null)[]> => {
  const found: (string | null)[] = [];
  for await (const batch of log.read(letters, { from: 'earliest', until: 'end' })) found.push(...batch.map(({ value }) => value));
  return found;
};
const CLOSED = { code: 'STOPLOG_LOG_UNAVAILABLE' };

describe('closing a client', () => {
  test('every append that was called before is in the log and says so, and every later one is refused', async () => {
    await inFolder(async (path) => {
      const log = await openLog(lmdb(path));
      const appends = Array.from({ length: 300 }, (_, i) => log.append(letters, [{ key: `${i}`, value: `${i}` }]));
      const closing = log[Symbol.asyncDispose]();
      const late = log.append(letters, [{ key: 'late', value: 'late' }]);
      await expect(late).rejects.toMatchObject(CLOSED);
      expect((await Promise.allSettled(appends)).filter(({ status }) => status === 'rejected')).toEqual([]);
      await closing;
      await expect(log.ends(letters)).rejects.toMatchObject(CLOSED);
      const again = await openLog(lmdb(path));
      expect(new Set(await valuesIn(again)).size).toBe(300);
      await again[Symbol.asyncDispose]();
    });
  });
  test('an append of an iterable that does not end stops, and says how many of its records are in the log', async () => {
    await inFolder(async (path) => {
      const log = await openLog(lmdb(path));
      let isReturned = false;
      let wait = (): void => {};
      const waiting = new Promise<void>((resolve) => (wait = resolve));
      const source: AsyncIterableIterator<NewRecord<string, string>> = {
        [Symbol.asyncIterator]: () => source,
        next: () => {
          if (given-- > 0) return Promise.resolve({ value: { key: 'k', value: 'v' } });
          wait();
          return new Promise(() => {});
        },
        return: () => {
          isReturned = true;
          return Promise.resolve({ value: undefined, done: true });
        },
      };
      let given = 3;
      const producer = await log.producer('p');
      const silent: AsyncIterable<NewRecord<string, string>> = { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) };
      const ends = [log.append(letters, source), producer.append(letters, silent)];
      await waiting;
      const closing = log[Symbol.asyncDispose]();
      await expect(ends[0]).rejects.toMatchObject({ ...CLOSED, facts: { appended: 3 } });
      await expect(ends[1]).rejects.toMatchObject({ ...CLOSED, facts: { appended: 0 } });
      await closing;
      expect(isReturned).toBe(true);
      const again = await openLog(lmdb(path));
      expect(await valuesIn(again)).toEqual(['v', 'v', 'v']);
      await again[Symbol.asyncDispose]();
    });
  });
});
