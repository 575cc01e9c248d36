/** The background, round by round, by a clock that the test moves: the work that is due, and the reports of it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StoplogError } from '../../pure/errors.ts';
import { batchKey, decodeOffset, offsetOfBatchKey, unseal } from '../layout/keyspace.ts';
import { BatchBuilder, openBatch } from '../../pure/record/batch.ts';
import type { TopicShape } from '../../pure/topic/shape.ts';
import { Administrator } from '../admin/administration.ts';
import { applyDeleteTopic } from '../transaction/administer.ts';
import { RefusedIncarnations } from '../transaction/refused-incarnations.ts';
import { admit } from '../transaction/admit.ts';
import { applyCommit } from '../transaction/apply.ts';
import { applyEnsure } from '../transaction/declare.ts';
import { EndsInTransaction } from '../transaction/ends.ts';
import { readEnds } from '../tables/rows.ts';
import { Cleanups } from '../tables/cleanups.ts';
import { timesOf } from '../tables/log-time.ts';
import { DEFAULT_MAP_SIZE } from '../folder/address-space.ts';
import { openEnv, type Env } from '../tables/env.ts';
import { markFolder } from '../folder/folder.ts';
import { segmentsOf } from '../tables/segments.ts';
import type { WriterLink } from '../writer/link.ts';
import { shape as letters } from '../fixtures/letters.mjs';
import { Maintenance } from './maintenance.ts';
import { openDataFile, type DataFile } from '../folder/slack.ts';
import { transactions } from '../transaction/transactions.ts';

const DAY = 24 * 3_600_000;
let path: string;
let env: Env;
let file: DataFile;
let now = 0;
/** The error that every commit of the background throws while it is set. */
let refusal: Error | undefined;
let cleanups: Cleanups;
let maintenance: Maintenance;
let administrator: Administrator;
let inTransaction: (write: () => void) => void;

const committing = <T>(apply: (ends: EndsInTransaction) => T): T => {
  let result: T;
  inTransaction(() => {
    const ends = new EndsInTransaction(env);
    result = apply(ends);
    ends.write();
  });
  env.root.resetReadTxn();
  return result!;
};
beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'stoplog-maintenance-'));
  const options = { path, mapSize: DEFAULT_MAP_SIZE };
  env = openEnv(options, false);
  markFolder(path);
  file = openDataFile(path);
  inTransaction = transactions(env, options, new Int32Array(new SharedArrayBuffer(64)), file);
  now = 1_000_000;
  refusal = undefined;
  cleanups = new Cleanups(
    env,
    timesOf(() => now),
  );
  maintenance = new Maintenance(env, cleanups, { everyMs: 1, bytesPerSecond: 1e12 }, async (apply) => {
    if (refusal !== undefined) throw refusal;
    return committing(apply);
  });
  const link = { call: async () => ({ unsaved: maintenance.reports.unsaved }) } as unknown as WriterLink;
  administrator = new Administrator(env, link, () => now);
});
afterEach(async () => {
  maintenance.stop();
  await env.root.close();
  file.close();
  rmSync(path, { recursive: true });
});

const ensure = (settings: Partial<TopicShape>): void =>
  committing(() =>
    applyEnsure(env, [
      {
        ...letters,
        name: 't',
        partitions: 1,
        cleanup: 'compact',
        ...settings,
      },
    ]),
  );
const append = (key: string, value: string): bigint => {
  const builder = new BatchBuilder();
  builder.append(key, value, now);
  const commit = { groupId: 0, epoch: 0, incarnation: undefined, appends: [{ topicId: 1, partition: 0, batch: builder.finish() }], entries: [], positions: [] };
  return committing((ends) =>
    applyCommit(env, commit, admit(env, { commit, incarnation: undefined }, new RefusedIncarnations(), ends, cleanups), ends, cleanups),
  )[0]!;
};
const description = async (): Promise<Awaited<ReturnType<Administrator['cleanings']>>[number]> => (await administrator.cleanings(['t']))[0]!;

describe('a cleaning in the background', () => {
  test('a cleaning reports the freed and kept bytes, its time and its duration; a look that finds no work is not reported', async () => {
    ensure({ forgetting: { segmentBytes: 1 } });
    for (const value of ['1', '2', '3']) append('k', value);
    const before = await description();
    expect(before).toMatchObject({ topic: 't', partition: 0, dirtyRatio: 1, dueAt: now });
    expect([before.last, before.failure]).toEqual([undefined, undefined]);
    now += 5;
    await maintenance.tick();
    const after = await description();
    expect(after.last).toMatchObject({ at: now, startBefore: 0n, start: 0n, dropped: 1, kept: 1, bytesBefore: before.bytes, bytes: after.bytes });
    expect(after.last!.tookMs).toBeGreaterThan(0);
    expect(after).toMatchObject({ dirtyRatio: 0, dirtyBytes: 0, dueAt: undefined, failure: undefined });
    now += 5;
    await maintenance.tick();
    expect(await description()).toEqual(after);
  });
  test('a clock that is set back after a failure does not keep a partition from being cleaned', async () => {
    ensure({ forgetting: { segmentBytes: 1 } });
    for (const value of ['1', '2', '3']) append('k', value);
    refusal = new StoplogError('STOPLOG_LOG_FULL', { path }, 'no space left: make room');
    await maintenance.tick();
    refusal = undefined;
    now -= 500_000;
    await maintenance.tick();
    expect((await description()).last).toMatchObject({ dropped: 1, kept: 1 });
  });
  test('a cleaning by retention reports the new start of the partition, and the time of the next one', async () => {
    ensure({ cleanup: 'delete', retentionMs: DAY, forgetting: { segmentBytes: 1 } });
    append('k', '1');
    now += 1_000;
    append('k', '2');
    expect(await description()).toMatchObject({ dueAt: 1_000_000 + DAY + 1, dirtyRatio: undefined, dirtyBytes: undefined });
    now = 1_000_000 + DAY;
    await maintenance.tick();
    expect((await description()).last).toBeUndefined(); // more than its time, not equal to it
    now++;
    expect((await description()).dueAt).toBe(now);
    await maintenance.tick();
    expect(await description()).toMatchObject({ last: { at: now, startBefore: 0n, start: 1n }, dueAt: 1_001_000 + DAY + 1 });
  });
  test('a cleaning closes the segment of an idle topic when its time has come, and compacts it within the largest lag', async () => {
    ensure({ forgetting: { maxCompactionLagMs: 60_000, minDirtyRatio: 1 } });
    for (const value of ['1', '2', '3']) append('k', value);
    expect(await description()).toMatchObject({ dueAt: now + 60_001, dirtyBytes: 0 });
    now += 60_000;
    await maintenance.tick();
    expect((await description()).last).toBeUndefined();
    now++;
    await maintenance.tick();
    expect((await description()).last).toMatchObject({ at: now, dropped: 2, kept: 1 });
  });
  test('a cleaning waits until half of the bytes are new, or the share that the topic declares', async () => {
    ensure({ forgetting: { segmentBytes: 1, minDirtyRatio: 0.6 } });
    for (const key of ['a', 'b', 'c', 'd', 'e']) append(key, '1');
    await maintenance.tick();
    const first = (await description()).last!;
    for (const key of ['a', 'b', 'c']) append(key, '2');
    now += 5;
    await maintenance.tick();
    // Three of the seven closed batches are new.
    expect((await description()).last).toEqual(first);
    expect((await description()).dirtyRatio).toBeCloseTo(3 / 7, 5);
    for (const key of ['d', 'e', 'a']) append(key, '3');
    await maintenance.tick();
    expect((await description()).last!.at).toBe(now);
  });
});

describe('a cleaning that fails', () => {
  const damage = (base: bigint): (() => void) => {
    const key = batchKey(1, 0, base);
    const whole = Buffer.from(env.tables.log.get(key)!);
    const damaged = Buffer.from(whole);
    damaged[60]! ^= 1;
    committing(() => env.tables.log.putSync(key, damaged));
    return () => {
      committing(() => env.tables.log.putSync(key, whole));
    };
  };

  test('a failure is reported with code and sentence, stops no append, and is retried after a pause; the next success ends it', async () => {
    ensure({ forgetting: { segmentBytes: 1 } });
    for (const value of ['1', '2', '3']) append('k', value);
    const repair = damage(1n);
    await maintenance.tick();
    const first = await description();
    expect(first.failure).toMatchObject({ at: now, code: 'STOPLOG_LOG_CORRUPT', attempts: 1, retryAt: now + 60_000 });
    expect(first.failure!.message).toContain('t[0] offset 1 is damaged');
    expect(append('k', '4')).toBe(3n);
    now += 59_999;
    await maintenance.tick();
    expect(await description()).toMatchObject({ failure: first.failure });
    now++;
    await maintenance.tick();
    expect((await description()).failure).toMatchObject({ at: now, attempts: 2, retryAt: now + 60_000 });
    repair();
    now += 60_000;
    await maintenance.tick();
    expect(await description()).toMatchObject({ failure: undefined, last: { at: now, dropped: 2, kept: 1 } });
  });
  test('a failure is reported by the writer while the disk has no room to store it, and is stored when there is room', async () => {
    ensure({ forgetting: { segmentBytes: 1 } });
    for (const value of ['1', '2', '3']) append('k', value);
    refusal = new StoplogError('STOPLOG_LOG_FULL', {}, 'no space is left: make room');
    await maintenance.tick();
    expect(maintenance.reports.unsaved).toHaveLength(1);
    expect((await description()).failure).toMatchObject({ code: 'STOPLOG_LOG_FULL', message: 'no space is left: make room' });
    refusal = undefined;
    await maintenance.tick();
    expect(maintenance.reports.unsaved).toEqual([]);
    expect((await description()).failure).toMatchObject({ code: 'STOPLOG_LOG_FULL', attempts: 1 });
    now += 60_000;
    await maintenance.tick();
    expect(await description()).toMatchObject({ failure: undefined, last: { kept: 1 } });
  });
  test("a failure at a topic that was deleted meanwhile is not reported, and the topic's reports are deleted with it", async () => {
    ensure({ forgetting: { segmentBytes: 1 } });
    for (const value of ['1', '2', '3']) append('k', value);
    await maintenance.tick();
    const rows = (): readonly string[] => [...env.tables.meta.getKeys({})].map(String).filter((key) => key.startsWith('cleaning:'));
    expect(rows()).toEqual(['cleaning:1:0']);
    committing(() => applyDeleteTopic(env, 't'));
    expect(rows()).toEqual([]);
    await maintenance.reports.failed({ topicId: 1, partition: 0 }, new Error('too late'));
    expect(rows()).toEqual([]);
    expect(maintenance.reports.unsaved).toEqual([]);
  });
});

describe('two processes that clean one partition at once', () => {
  /** The remaining records, after a check that all other tables agree with them. */
  const left = (): readonly string[] => {
    const ends = readEnds(env, 1, 0);
    const sizes = new Map<bigint, number>();
    const records: string[] = [];
    let next = ends.start;
    for (const { key, value } of env.tables.log.getRange({})) {
      const view = openBatch(Buffer.from(value));
      expect(offsetOfBatchKey(key)).toBe(next);
      while (view.next()) records.push(`${view.offset} ${Buffer.from(view.key()!).toString()}`);
      sizes.set(next, value.length);
      next = view.nextOffset;
    }
    expect(next).toBe(ends.end);
    const sum = (from: bigint, to: bigint): number => [...sizes].reduce((total, [base, size]) => (base >= from && base < to ? total + size : total), 0);
    expect(ends.bytes).toBe(sum(0n, next));
    for (const { base, next: end, bytes } of segmentsOf(env, { topic: 't', topicId: 1, partition: 0 }, ends)) expect(bytes).toBe(sum(base, end));
    const leads = [...env.tables.times.getRange({})].map(({ key, value }) => decodeOffset(unseal('times', key, value)));
    for (const [i, offset] of leads.entries()) {
      expect(sizes.has(offset)).toBe(true);
      if (i > 0) expect(offset).toBeGreaterThan(leads[i - 1]!);
    }
    return records;
  };

  test('two cleanings agree at whichever step one comes between the steps of the other, and however many steps it does', async () => {
    ensure({ forgetting: { segmentBytes: 400, deleteRetentionMs: 0 } });
    const other = new Maintenance(env, cleanups, { everyMs: 1, bytesPerSecond: 1e12 }, async (apply) => committing(apply));
    const beside = (at: number): Maintenance => {
      let steps = 0;
      return new Maintenance(env, cleanups, { everyMs: 1, bytesPerSecond: 1e12 }, async (apply) => {
        if (steps++ === at) {
          // The first cleaning still takes these records for the latest; they are replaced.
          append('g', 'later');
          append('late', 'x');
          await other.clean({ roll: true });
        }
        return committing(apply);
      });
    };
    for (let at = 0; at < 8; at++) {
      for (let n = 0; n < 30; n++) {
        now++;
        append(n % 10 === 3 ? `k${at}` : 'g', 'x'.repeat(n));
      }
      await beside(at).clean({ roll: true });
      left();
      await other.clean({ roll: true });
      const keys = left().map((record) => record.split(' ')[1]!);
      expect(new Set(keys).size).toBe(keys.length);
      expect(new Set(keys)).toEqual(new Set(['g', 'late', ...Array.from({ length: at + 1 }, (_, i) => `k${i}`)]));
    }
  });
});
