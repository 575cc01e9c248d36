/** The records behind the value of a key, over a log in memory. */
import { compactedTopic, type LogRecord, partitionOf, store, topic } from '@stoplog/core';
import { encodeKey, makeClient, topicOf } from '@stoplog/core/kit';
import { memoryLog } from '@stoplog/core/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { pipeline } from '../pure/pipeline/pipeline.ts';
import { stream } from '../pure/pipeline/stream.ts';
import { table } from '../pure/pipeline/table.ts';
import { planOf } from '../pure/topology/plan.ts';
import { type HistoryReading, readHistory } from './history.ts';
import { readStore } from './stores.ts';

const text = { key: z.string(), value: z.string(), partitions: 3 };
const orders = topic('orders', text);
const customers = compactedTopic('customers', text);
const perCustomer = store('per-customer', { key: z.string(), value: z.int() });
const plan = planOf(
  pipeline(
    'shop',
    stream(orders)
      .join(table(customers), (order, name) => `${order} ${name}`)
      .count(perCustomer),
  ),
);
const partition = partitionOf(Buffer.from(encodeKey(topicOf(orders), 'ann') as string), 3);

let log = memoryLog();
const append = async (
  to: typeof orders | typeof customers,
  key: string,
  ...values: readonly (readonly [value: string, timestamp: number])[]
): Promise<void> => {
  await makeClient(log, async () => {}).append(
    to,
    values.map(([value, timestamp]) => ({ key, value, timestamp })),
  );
};
/** Moves the pipeline to the present ends. */
const process = async (): Promise<void> => {
  const places = [orders, customers].map(({ name }) => ({ topic: name, partition }));
  const [from, to] = [await log.committed('shop', places), await log.offsets(places, 'latest')];
  await log.commit({
    group: 'shop',
    epoch: 0,
    appends: [],
    stores: [],
    positions: from.map(({ offset, ...place }, i) => ({ ...place, from: offset, to: to[i]!.offset })),
  });
};
const offsetOf = async (wanted: string): Promise<bigint> => {
  for await (const { value, offset } of (await readHistory(log, plan, 'per-customer', 'ann')).records) if (value === wanted) return offset;
  throw new Error(`no record ${wanted}`);
};
const history = async (key: string, options: HistoryReading = {}): Promise<readonly string[]> => {
  const found: string[] = [];
  for await (const record of (await readHistory(log, plan, 'per-customer', key, options)).records) found.push(`${record.topic} ${String(record.value)}`);
  return found;
};

beforeEach(async () => {
  log = memoryLog();
  await append(customers, 'ann', ['Ann', 10], ['Anne', 30]);
  await append(orders, 'ben', ['b1', 5]);
  await append(orders, 'ann', ['a1', 10], ['a2', 20], ['a3', 40]);
  await process();
});
afterEach(async () => log[Symbol.asyncDispose]());

describe('the history of a key', () => {
  test('a history has the records of the key in all topics that feed the store, by their timestamps, tables first', async () => {
    expect(await history('ann')).toEqual(['customers Ann', 'orders a1', 'orders a2', 'customers Anne', 'orders a3']);
    expect(await history('eve')).toEqual([]);
  });
  test('a history ends at the position of the pipeline', async () => {
    await append(orders, 'ann', ['a4', 50]);
    expect(await history('ann', { limit: 1 })).toEqual(['orders a3']);
    const { inputs } = await readHistory(log, plan, 'per-customer', 'ann');
    expect(inputs).toMatchObject([
      { topic: 'customers', role: 'table', partition, start: 0n, isCompacted: true },
      { topic: 'orders', role: 'stream', partition, start: 0n, isCompacted: false },
    ]);
    expect(inputs.map(({ position, end }) => position < end)).toEqual([false, true]);
    await process();
    expect(await history('ann', { limit: 1 })).toEqual(['orders a4']);
  });
  test('a history begins where retention has left records', async () => {
    await log.deleteRecords([{ topic: 'orders', partition, offset: await offsetOf('a2') }]);
    expect(await history('ann')).toEqual(['customers Ann', 'orders a2', 'customers Anne', 'orders a3']);
  });
  test('a history goes on behind records that retention drops while they are read', async () => {
    const { records } = await readHistory(log, plan, 'per-customer', 'ann');
    await log.deleteRecords([{ topic: 'orders', partition, offset: await offsetOf('a3') }]);
    const found: unknown[] = [];
    for await (const { value } of records) found.push(value);
    expect(found).toEqual(['Ann', 'Anne', 'a3']);
  });
  test('a history with a limit is the last records, and reads the partition of the key alone', async () => {
    const fetch = vi.spyOn(log, 'fetch');
    expect(await history('ann', { limit: 2 })).toEqual(['customers Anne', 'orders a3']);
    expect(new Set(fetch.mock.calls.map(([from]) => from.partition))).toEqual(new Set([partition]));
  });
  test('a history tells its progress, and ends at an abort', async () => {
    const progress = vi.fn<(done: number, total: number) => void>();
    await history('ann', { progress });
    const { calls } = progress.mock;
    expect(calls.length).toBeGreaterThan(1);
    expect(calls.map(([done]) => done)).toEqual(calls.map(([done]) => done).toSorted((a, b) => a - b));
    expect(calls.at(-1)![0]).toBe(calls.at(-1)![1]);
    expect(await history('ann', { signal: AbortSignal.abort() })).toEqual([]);
  });
  test('a history is read through the store of an app', async () => {
    const found: LogRecord<string, unknown>[] = [];
    for await (const record of readStore(log, plan, perCustomer).history('ann', { limit: 1 })) found.push(record);
    expect(found).toMatchObject([{ topic: 'orders', partition, key: 'ann', value: 'a3', timestamp: 40 }]);
    expect(() => readStore(log, plan, perCustomer).history('ann', { limit: 0 })).toThrow(/cannot be limited to 0 records/);
    // @ts-expect-error no such option
    expect(() => readStore(log, plan, perCustomer).history('ann', { last: 3 })).toThrow(expect.objectContaining({ code: 'STOPLOG_USAGE' }));
  });
});
