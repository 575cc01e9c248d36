/** A topic's values change type only where a reader by the new declaration fits what is there. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLog, topic, type LogClient } from '@stoplog/core';
import { lmdb } from '@stoplog/core/lmdb';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';

const key = z.string();
const numbers = topic('t', { key, value: z.int() });
const texts = topic('t', { key, value: z.string() });
const both = topic('t', { key, value: z.union([z.string(), z.int()]) });
const order = z.object({ id: z.string(), cents: z.int() });
const orders = topic('t', { key, value: order });
const REFUSED = { code: 'STOPLOG_TOPIC_SHAPE', message: expect.stringContaining('evolving-a-schema') };

let path: string;
let log: LogClient;
/** Another process, as far as the client knows. */
const reopen = async (): Promise<void> => {
  await log[Symbol.asyncDispose]();
  log = await openLog(lmdb(path));
};
const valuesOf = async (face: Parameters<LogClient['read']>[0]): Promise<readonly unknown[]> => {
  const values: unknown[] = [];
  for await (const records of log.read(face, { from: 'earliest', until: 'end' })) values.push(...records.map(({ value }) => value));
  return values;
};
beforeEach(async () => {
  path = mkdtempSync(join(tmpdir(), 'stoplog-evolving-'));
  log = await openLog(lmdb(path));
});
afterEach(async () => {
  await log[Symbol.asyncDispose]();
  rmSync(path, { recursive: true });
});

test('another type is refused to appends and to reads, by name, and leaves the topic as it was', async () => {
  await log.append(numbers, [{ key: 'k', value: 1 }]);
  await reopen();
  await expect(log.append(texts, [{ key: 'k', value: 'one' }])).rejects.toMatchObject(REFUSED);
  await expect(valuesOf(texts)).rejects.toMatchObject({
    ...REFUSED,
    message: expect.stringMatching(/each value was appended as integer, .* reads string there/),
  });
  expect(await valuesOf(numbers)).toEqual([1]);
});
test('a wider union is taken, and binds the readers from then on', async () => {
  await log.append(numbers, [{ key: 'k', value: 1 }]);
  await reopen();
  expect(await valuesOf(both)).toEqual([1]);
  // Only reading widens nothing.
  expect(await valuesOf(numbers)).toEqual([1]);
  await log.append(both, [{ key: 'k', value: 'two' }]);
  await reopen();
  await expect(valuesOf(numbers)).rejects.toMatchObject(REFUSED);
  expect(await valuesOf(both)).toEqual([1, 'two']);
});
test('a new field may be optional, or have a default where reads are parsed; without one it is refused', async () => {
  await log.append(orders, [{ key: 'k', value: { id: 'a', cents: 1 } }]);
  await reopen();
  const withNote = topic('t', { key, value: order.extend({ note: z.string() }) });
  await expect(log.append(withNote, [{ key: 'k', value: { id: 'b', cents: 2, note: 'n' } }])).rejects.toMatchObject({
    message: expect.stringContaining('.note of each value has no such field in some records'),
  });
  const withDefault = order.extend({ note: z.string().default('none') });
  await expect(valuesOf(topic('t', { key, value: withDefault }))).rejects.toMatchObject(REFUSED);
  const parsed = topic('t', { key, value: withDefault, reads: 'parsed' });
  await log.append(parsed, [{ key: 'k', value: { id: 'b', cents: 2 } }]);
  expect(await valuesOf(parsed)).toEqual([
    { id: 'a', cents: 1, note: 'none' },
    { id: 'b', cents: 2, note: 'none' },
  ]);
  await reopen();
  // The first record has no note still.
  await expect(valuesOf(withNote)).rejects.toMatchObject(REFUSED);
  expect(await valuesOf(topic('t', { key, value: order.extend({ note: z.string().optional() }) }))).toHaveLength(2);
});
test('a reader may declare fewer fields, and takes none from those who append more', async () => {
  await log.append(orders, [{ key: 'k', value: { id: 'a', cents: 1 } }]);
  await reopen();
  expect(await valuesOf(topic('t', { key, value: order.omit({ cents: true }) }))).toHaveLength(1);
  await reopen();
  await log.append(orders, [{ key: 'k', value: { id: 'b', cents: 2 } }]);
  expect(await valuesOf(orders)).toHaveLength(2);
});
test('a topic that nobody has appended to is declared anew in any type', async () => {
  expect(await valuesOf(numbers)).toEqual([]);
  await log.append(texts, [{ key: 'k', value: 'one' }]);
  expect(await valuesOf(texts)).toEqual(['one']);
});
