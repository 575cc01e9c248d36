/** A wall clock that jumps makes no young record be deleted, and keeps no old one from being deleted. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Log, LogRef, TopicShape } from '@stoplog/core/port';
import { BatchBuilder, openPort } from '@stoplog/core/kit';
import { loadTools } from '@stoplog/core/tools';
import { lmdb } from '@stoplog/core/lmdb';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { commitOf } from '../fixtures/letters.mjs';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;
const RETENTION = 10 * HOUR;
const place = { topic: 't', partition: 0 };
const shape: TopicShape = {
  name: 't',
  partitions: 1,
  cleanup: 'delete',
  retentionMs: RETENTION,
  forgetting: { segmentBytes: 1 },
  keyCodec: 'string',
  valueCodec: 'string',
  keySchema: {},
  valueSchema: {},
};

let path: string;
let ref: LogRef;
let log: Log;
let tool: Awaited<ReturnType<typeof loadTools>>;
/** The wall clock and the monotonic one. */
let clocks: Float64Array;

/** Moves both clocks; the log compares them every ten minutes. */
const pass = async (ms: number): Promise<void> => {
  for (let left = ms; left > 0; left -= HOUR / 6) {
    const step = Math.min(left, HOUR / 6);
    clocks[0]! += step;
    clocks[1]! += step;
    await tool.clean(log);
  }
};
const jump = (byMs: number): void => void (clocks[0]! += byMs);
const reopen = async (downMs: number): Promise<void> => {
  await log[Symbol.asyncDispose]();
  clocks[0]! += downMs;
  // The monotonic clock of a restarted machine may show any time.
  clocks[1] = 5;
  log = await openPort(ref);
};
const append = (value: string): Promise<unknown> => {
  const builder = new BatchBuilder();
  builder.append('k', value, clocks[0]!);
  return log.commit(commitOf({ appends: [{ ...place, batch: builder.finish() }] }));
};
const start = async (): Promise<bigint> => (await log.offsets([place], 'earliest'))[0]!.offset;

beforeEach(async () => {
  path = mkdtempSync(join(tmpdir(), 'stoplog-clocks-'));
  const made = lmdb(path, { maintenance: { everyMs: Infinity } });
  clocks = new Float64Array(new SharedArrayBuffer(16));
  // A time behind the machine's clock, which a check uses.
  clocks.set([Date.now() - 7 * DAY, 1_000]);
  ref = { ...made, options: { ...(made.options as object), clock: clocks.buffer } };
  tool = await loadTools(ref);
  log = await openPort(ref);
  await log.ensure([shape]);
});
afterEach(async () => {
  await log[Symbol.asyncDispose]();
  rmSync(path, { recursive: true });
});

describe('a wall clock that runs ahead', () => {
  test.each([
    ['a day for three seconds', DAY, 3 * SECOND],
    ['ten years for a minute', 10 * YEAR, 60 * SECOND],
  ])('a wall clock that is ahead by %s deletes nothing, and records appended meanwhile are deleted when they are old', async (_, byMs, forMs) => {
    await append('before');
    await pass(SECOND);
    jump(byMs);
    await append('ahead');
    await pass(forMs);
    expect(await start()).toBe(0n);
    jump(-byMs);
    await append('after');
    await pass(RETENTION - HOUR);
    expect(await start()).toBe(0n);
    expect((await tool.cleanings(log))[0]!.dueAt).toBeLessThan(clocks[0]! + RETENTION + HOUR);
    await pass(2 * HOUR);
    expect(await start()).toBe(3n);
  });
  test('a wall clock that is ahead deletes nothing though the process is restarted in between, and while the hour lasts', async () => {
    await append('before');
    jump(DAY);
    await pass(SECOND);
    await reopen(2 * SECOND);
    await append('ahead');
    await pass(HOUR / 2);
    expect(await start()).toBe(0n);
    jump(-DAY);
    await reopen(2 * SECOND);
    await pass(HOUR / 2);
    expect(await start()).toBe(0n);
    await pass(RETENTION + HOUR);
    expect(await start()).toBe(2n);
  });
  test('a wall clock that stays ahead is followed after an hour; a record appended within the hour keeps its age', async () => {
    await append('before');
    await reopen(3 * DAY);
    await append('within the hour');
    await pass(HOUR / 2);
    expect(await start()).toBe(0n);
    await pass(HOUR);
    expect(await start()).toBe(1n);
    await pass(RETENTION);
    expect(await start()).toBe(2n);
  });
});

test('a log that was stamped years ahead continues as soon as the clock is right, and check names the earlier segments', async () => {
  jump(10 * YEAR);
  await reopen(0);
  await pass(2 * HOUR);
  await append('ahead');
  const notes = async (): Promise<readonly string[]> => (await tool.check(ref.options)).notes;
  expect(await notes()).toEqual([expect.stringMatching(/t\[0\] has a segment stamped by a clock that ran ahead, up to 20\d\d-.*stoplog compact --roll/)]);
  jump(-10 * YEAR);
  await pass(SECOND);
  await reopen(0);
  expect(await notes()).toContainEqual(expect.stringMatching(/the wall clock was \d+ s behind the clock of the log/));
  await pass(2 * HOUR);
  expect(await notes()).toEqual([]);
  await pass(RETENTION);
  expect(await start()).toBe(1n);
});
