import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLog, topic } from '@stoplog/core';
import { lmdb } from '@stoplog/core/lmdb';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';

const MB = 1024 * 1024;
const texts = topic('texts', { key: z.string(), value: z.string(), partitions: 1 });
const text = 'x'.repeat(100_000);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stoplog-limit-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Appends one record after the other until one is refused; returns how many were taken, and the refusal. */
const fill = async (log: Awaited<ReturnType<typeof openLog>>): Promise<{ readonly taken: number; readonly error: unknown }> => {
  for (let taken = 0; taken < 400; taken++) {
    try {
      await log.append(texts, [{ key: 'a', value: text }]);
    } catch (error) {
      return { taken, error };
    }
  }
  return { taken: 400, error: undefined };
};

describe('the limit of the data file', () => {
  test('appends are refused at the limit, and go on where records were deleted, or under a larger limit', async () => {
    const first = await openLog(lmdb(folder, { mapSize: 4 * MB, maintenance: { everyMs: 10 } }));
    const { taken, error } = await fill(first);
    expect(error).toMatchObject({ code: 'STOPLOG_LOG_FULL', message: expect.stringContaining('mapSize') });
    expect(taken).toBeGreaterThan(20);
    expect(taken).toBeLessThanOrEqual(42);
    // The records in the log can be read, and deleted ones make room.
    let read = 0;
    for await (const batch of first.read(texts, { from: 'earliest', until: 'end' })) read += batch.length;
    expect(read).toBe(taken);
    await first.deleteRecords(texts, { offsets: [BigInt(taken - 1)] });
    // Deleted batches are freed a while later.
    for (let more = 0; more < 10;) more += (await fill(first)).taken;
    await first[Symbol.asyncDispose]();

    const larger = await openLog(lmdb(folder, { mapSize: 64 * MB }));
    await larger.append(
      texts,
      Array.from({ length: 50 }, () => ({ key: 'a', value: text })),
    );
    await larger[Symbol.asyncDispose]();
  });
});
