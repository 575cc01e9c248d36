/** A client reads batches in memory fairly, and without blocking the event loop. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { topic } from '../pure/topic/topic.ts';
import { memoryLog } from '../testing/memory-log.ts';
import { makeClient, type LogClient } from './client.ts';

const texts = topic('texts', { key: z.int(), value: z.string(), partitions: 2 });
const BATCHES = 12;
/** Each batch is larger than one fetch returns. */
const fill = async (log: LogClient): Promise<void> => {
  for (let n = 0; n < BATCHES; n++)
    await log.append(
      texts,
      [0, 1, 2, 3].map((key) => ({ key, value: 'x'.repeat(200_000) })),
    );
};

describe('reading what is there', () => {
  test('every partition has its turn', async () => {
    const log = makeClient(memoryLog());
    await fill(log);
    const order: number[] = [];
    for await (const batch of log.read(texts, { from: 'earliest', until: 'end' })) order.push(batch[0]!.partition);
    expect(new Set(order.slice(0, 2))).toEqual(new Set([0, 1]));
    expect(new Set(order.slice(-2))).toEqual(new Set([0, 1]));
  });
  test('a timer that aborts fires before the end is reached', async () => {
    const log = makeClient(memoryLog());
    await fill(log);
    const stop = new AbortController();
    setImmediate(() => stop.abort());
    let batches = 0;
    for await (const _ of log.read(texts, { from: 'earliest', until: 'end', signal: stop.signal })) batches++;
    expect(batches).toBeLessThan(BATCHES);
  });
  test('another declaration of a topic is compared with the log, even by a client that knows the first', async () => {
    const log = makeClient(memoryLog());
    await fill(log);
    const other = topic('texts', { key: z.int(), value: z.string(), partitions: 3 });
    await expect(log.read(other, { from: 'earliest' })[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'STOPLOG_TOPIC_SHAPE' });
  });
});
