import { type LogClient, topic } from '@stoplog/core';
import { makeClient } from '@stoplog/core/kit';
import { memoryLog } from '@stoplog/core/testing';
import { firstValueFrom, lastValueFrom, map, take, toArray } from 'rxjs';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { observe } from './observe.ts';

const ticks = topic('ticks', { key: z.string(), value: z.int(), partitions: 1 });
const append = (log: LogClient, ...values: readonly number[]): Promise<unknown> =>
  log.append(
    ticks,
    values.map((value) => ({ key: 'k', value })),
  );

describe('a topic as an Observable', () => {
  test("a topic emits its records in batches, and completes at the end with until: 'end'", async () => {
    const log = makeClient(memoryLog());
    await append(log, 1, 2, 3);
    const batches = await lastValueFrom(observe(log, ticks, { from: 'earliest', until: 'end' }).pipe(toArray()));
    expect(batches.flat().map(({ value }) => value)).toEqual([1, 2, 3]);
  });
  test('a topic is cold: each subscriber reads for itself, and nothing is read before', async () => {
    const log = makeClient(memoryLog());
    const read = vi.spyOn(log, 'read');
    const all = observe(log, ticks, { from: 'earliest', until: 'end' }).pipe(
      map((batch) => batch.map(({ value }) => value)),
      toArray(),
      map((batches) => batches.flat()),
    );
    expect(read).not.toHaveBeenCalled();
    await append(log, 1);
    expect(await lastValueFrom(all)).toEqual([1]);
    await append(log, 2);
    expect(await lastValueFrom(all)).toEqual([1, 2]);
  });
  test('a topic emits records as they are appended', async () => {
    const log = makeClient(memoryLog());
    const second = firstValueFrom(observe(log, ticks, { from: 'earliest' }).pipe(take(2), toArray()));
    await append(log, 1);
    await append(log, 2);
    expect((await second).flat().map(({ value }) => value)).toEqual([1, 2]);
  });
  test('unsubscribing ends the reading', async () => {
    const log = makeClient(memoryLog());
    let signal: AbortSignal | undefined;
    const { read } = log;
    vi.spyOn(log, 'read').mockImplementation((face, options) => {
      signal = options.signal;
      return read.call(log, face, options) as never;
    });
    const subscription = observe(log, ticks, { from: 'latest' }).subscribe();
    expect(signal?.aborted).toBe(false);
    subscription.unsubscribe();
    expect(signal?.aborted).toBe(true);
  });
  test("an error of the reading is the Observable's error", async () => {
    const log = makeClient(memoryLog());
    const other = topic('ticks', { key: z.string(), value: z.int(), partitions: 2 });
    await append(log, 1);
    await expect(lastValueFrom(observe(log, other, { from: 'earliest' }))).rejects.toMatchObject({ code: 'STOPLOG_TOPIC_SHAPE' });
  });
});
