/**
 * Case O04: one bad bit, half the log. Two thousand records (the long run has ten), and copies of their file with each kind
 * of damage: the check reports the damage or nothing is missing, and a repair keeps only written records, counted to the
 * offset. All of it in this process: surviving is part of the test.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CheckReport, isDamage, loadTools, type RepairReport, type Tools } from '@stoplog/core/tools';
import { openPort } from '@stoplog/core/kit';
import { lmdb } from '@stoplog/core/lmdb';
import type { Committed, Log } from '@stoplog/core/port';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openEnv } from '../tables/env.ts';
import { chance, DAMAGES, makeKnownLog, PAGE, recordsIn, usedBytes, withData, type Left, type Originals } from '../fixtures/damaged.ts';
import { readLetters, start, withFolder } from '../fixtures/child.ts';
import { append, batchOf, commitOf, never, place, shape } from '../fixtures/letters.mjs';

const RECORDS = 2_000;
const TIMES: Readonly<Record<string, number>> = { 'a flipped bit': 40, 'an end cut off': 10, 'zeros over 4 KB': 10, 'two pages swapped': 10 };

let folder: string;
let original: string;
let originals: Originals;
let data: Buffer;
let module: Tools;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stoplog-o04-'));
  original = join(folder, 'log');
  originals = await makeKnownLog(original, RECORDS);
  data = usedBytes(original);
  module = await loadTools(lmdb(original));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);
const check = (path: string): Promise<CheckReport> => module.check(lmdb(path).options);
const repair = (path: string, to: string): Promise<RepairReport> => module.repair(lmdb(path).options, to);
/** Compares a repair's result and report with the written records: returns a sentence for each difference. */
const judge = ({ partitions, lostOffsets, mayMissPartitions }: RepairReport, left: Left): string[] => {
  const wrong: string[] = [];
  const none = (what: string, found: readonly unknown[]): void => {
    if (found.length > 0) wrong.push(`${found.length} ${what}`);
  };
  const lost = new Set(
    partitions.flatMap(({ partition, lost }) =>
      lost.flatMap(({ offset, until }) => Array.from({ length: Number(until - offset) }, (_, i) => `${partition} ${offset + BigInt(i)}`)),
    ),
  );
  // After this offset a lost end may have been; for a partition that left no trace, every offset.
  const reached = new Map(partitions.map((one) => [one.partition, one.reached]));
  const isUnknown = (where: string): boolean =>
    BigInt(where.slice(2)) >= (reached.get(Number(where[0])) ?? (mayMissPartitions && !left.ends.has(Number(where[0])) ? 0n : 2n ** 63n));
  none(
    'values that were never written',
    [...left.records].filter(([where, text]) => originals.get(where) !== text),
  );
  none(
    'records missing that were not counted',
    [...originals.keys()].filter((where) => !left.records.has(where) && !lost.has(where) && !isUnknown(where)),
  );
  none(
    'records counted as lost that are there',
    [...lost].filter((where) => left.records.has(where)),
  );
  if (lostOffsets !== lost.size) wrong.push(`${lostOffsets} counted, ${lost.size} named`);
  const written = BigInt(RECORDS / 2);
  none(
    'ends that are not what they should be',
    partitions.filter(({ partition, end, endIsKnown }) => left.ends.get(partition) !== end || (endIsKnown ? end !== written : end < written)),
  );
  return wrong;
};

test('a sound log has no findings, and its repair is the same log', async () => {
  const report = await check(original);
  expect(report).toMatchObject({ findings: [], notes: [], topics: 1, partitions: 2, records: RECORDS, isWhole: true });
  const repaired = await repair(original, join(folder, 'same'));
  expect(repaired).toMatchObject({
    lostOffsets: 0,
    restarted: [],
    missing: {},
    positionsKept: 2,
    stores: [{ store: 's', entries: RECORDS / 40, isKept: true }],
  });
  expect(recordsIn(join(folder, 'same')).records).toEqual(originals);
});

describe.each(Object.keys(TIMES))('after %s', (kind) => {
  test('every missing record has a finding, and a repair keeps only written records and counts the lost ones', async () => {
    const random = chance(seed + Object.keys(TIMES).indexOf(kind));
    const tally = { harmless: 0, found: 0, repaired: 0, 'nothing to prove': 0, 'records lost': 0 };
    for (let i = 0; i < TIMES[kind]!; i++) {
      const [copy, to] = [join(folder, `${kind} ${i}`), join(folder, `${kind} ${i} repaired`)];
      withData(original, copy, DAMAGES[kind]!(data, random));
      const before = readdirSync(copy);
      const { findings } = await check(copy);
      const isFound = findings.some(isDamage);
      tally[isFound ? 'found' : 'harmless']++;
      const report = await repair(copy, to).catch((error: unknown) => error as { readonly code: string });
      const wrong = 'code' in report ? (report.code === 'STOPLOG_LOG_CORRUPT' ? [] : [String(report)]) : judge(report, recordsIn(to));
      if ('code' in report) tally['nothing to prove']++;
      else {
        tally.repaired++;
        tally['records lost'] += report.lostOffsets;
      }
      if (('code' in report || report.lostOffsets > 0) && !isFound) wrong.push('nothing was found, and something is lost');
      if (readdirSync(copy).join() !== before.join()) wrong.push('the old folder was changed');
      expect({ seed, copy: i, wrong }).toEqual({ seed, copy: i, wrong: [] });
      for (const gone of [copy, to]) rmSync(gone, { recursive: true, force: true });
    }
    console.log(`seed ${seed}, ${data.length / 8192} pages, ${kind}:`, tally);
  });
});

test('a repair of a file without names and ends reports that there may have been partitions that left no trace', async () => {
  const [path, copy, to] = [join(folder, 'much'), join(folder, 'little'), join(folder, 'little repaired')];
  const log = await openPort(lmdb(path));
  await log.ensure([shape]);
  // Large enough for pages of their own.
  const texts = Array.from({ length: 10 }, (_, i) => `zero ${i} ${'x'.repeat(2 * PAGE)}`);
  for (const text of texts) await append(log, 0, [text]);
  await append(log, 1, [`one ${'x'.repeat(2 * PAGE)}`]);
  await log[Symbol.asyncDispose]();
  const bytes = Buffer.from(usedBytes(path));
  const [AT_KIND, AT_COUNT, OVERFLOW] = [18, 20, 4];
  for (let at = 2 * PAGE; at < bytes.length;) {
    const end = at + (bytes.readUInt16LE(at + AT_KIND) === OVERFLOW ? bytes.readUInt32LE(at + AT_COUNT) : 1) * PAGE;
    if (end === at + PAGE || !bytes.subarray(at, end).includes('zero ')) bytes.fill(0, at, end);
    at = end;
  }
  withData(path, copy, bytes);
  const report = await repair(copy, to);
  expect(report).toMatchObject({ mayMissPartitions: true, renamed: ['recovered.1'], lostOffsets: 0 });
  expect(report.partitions.map(({ partition, records }) => [partition, records])).toEqual([[0, texts.length]]);
  expect([...recordsIn(to).records].map(([where, text]) => `${where} ${text}`)).toEqual(texts.map((text, i) => `0 ${i} ${text}`));
});

describe('a file that holds nothing of ours', () => {
  test.each([
    ['that is empty', () => Buffer.alloc(0)],
    ['of another program', () => Buffer.from('x'.repeat(300_000))],
    ['that was cut in its meta pages', () => data.subarray(0, 9_000)],
  ] as const)('%s is reported, and there is nothing to repair', async (name, make) => {
    const copy = join(folder, name);
    withData(original, copy, make());
    expect((await check(copy)).findings.length).toBeGreaterThan(0);
    await expect(repair(copy, `${copy} repaired`)).rejects.toMatchObject({
      code: 'STOPLOG_LOG_CORRUPT',
      message: expect.stringContaining('restore the folder from a backup'),
    });
    expect(readdirSync(folder).filter((one) => one.startsWith(`${name} `))).toEqual([]);
  });
  test('a missing folder, one of a later format and one full of other files are refused by name', async () => {
    await withFolder(async (other) => {
      await expect(check(join(other, 'none'))).rejects.toMatchObject({ code: 'STOPLOG_LOG_UNAVAILABLE' });
      writeFileSync(join(other, 'thesis.txt'), 'x');
      for (const look of [check(other), repair(other, join(other, 'to'))]) await expect(look).rejects.toMatchObject({ code: 'STOPLOG_LOG_FOREIGN' });
      rmSync(join(other, 'thesis.txt'));
      writeFileSync(join(other, 'stoplog.json'), '{"format": 99}');
      await expect(check(other)).rejects.toMatchObject({ code: 'STOPLOG_LOG_FORMAT' });
    });
  });
});

describe('a repaired log', () => {
  /** The original, with zeros in every page that holds one of these texts. */
  const damaged = (path: string, ...texts: readonly string[]): void => {
    const copy = Buffer.from(data);
    for (let at = 2 * PAGE; at < copy.length; at += PAGE) {
      const page = copy.subarray(at, at + PAGE);
      if (texts.some((text) => page.includes(text))) page.fill(0);
    }
    withData(original, path, copy);
  };
  test('a repaired log is opened, read and appended to; lost records are skipped, and no offset is assigned twice', async () => {
    const [copy, to] = [join(folder, 'open me'), join(folder, 'opened')];
    damaged(copy, '20.3 ');
    const report = await repair(copy, to);
    expect(report).toMatchObject({ restarted: [], positionsKept: 2, stores: [{ isKept: true }] });
    expect(report.lostOffsets).toBeGreaterThan(0);
    await using log = await openPort(lmdb(to));
    const kept = await readLetters(log);
    expect(kept.length).toBe(RECORDS - report.lostOffsets);
    expect(kept.filter(({ partition, offset, text }) => originals.get(`${partition} ${offset}`) !== text)).toEqual([]);
    expect((await append(log, 0, ['after'])).offsets).toEqual([BigInt(RECORDS / 2)]);
    expect((await log.committed('g', [place(0)]))[0]!.offset).toBe(BigInt(RECORDS / 2));
  });
  test('a partition whose last batch and ends are lost reaches as far as its readers did, so no offset is assigned twice', async () => {
    const [copy, to] = [join(folder, 'read to the end'), join(folder, 'reaches')];
    withData(original, copy, data);
    const env = openEnv({ path: copy, mapSize: 2 ** 26 }, false);
    env.root.transactionSync(() => {
      const last = [...env.tables.log.getKeys({})].findLast((key) => Buffer.from(key).readUInt32BE(4) === 0)!;
      env.tables.log.removeSync(last);
      env.tables.ends.removeSync(Buffer.from(last).subarray(0, 8));
    });
    await env.root.close();
    const report = await repair(copy, to);
    expect(report.partitions.find(({ partition }) => partition === 0)).toMatchObject({ endIsKnown: false, reached: BigInt(RECORDS / 2) });
    expect(report.lostOffsets).toBeGreaterThan(0);
    await using log = await openPort(lmdb(to));
    expect((await append(log, 0, ['after'])).offsets[0]).toBeGreaterThanOrEqual(BigInt(RECORDS / 2));
  });
  test("a repaired log has no store that lost entries, and the store's group restarts", async () => {
    const [copy, to] = [join(folder, 'store'), join(folder, 'without store')];
    damaged(copy, 'value 20 ');
    expect((await check(copy)).findings.map(({ rule, table }) => `${rule} ${table}`)).toContain('page stores');
    const report = await repair(copy, to);
    expect(report).toMatchObject({
      lostOffsets: 0,
      positionsKept: 0,
      positionsDropped: 2,
      restarted: [{ group: 'g', why: expect.stringContaining("store 's'") }],
      stores: [{ isKept: false }],
    });
    await using log = await openPort(lmdb(to));
    expect((await log.committed('g', [place(0)]))[0]!.offset).toBe(0n);
    expect((await log.store({ store: 's', partition: 0, group: 'g', version: 1, fingerprint: 'f' }, never)).range({}, 10)).toEqual([]);
  });
  test('a repaired log has none of the records that a restarted group had sent through its own topic: the group sends them again', async () => {
    const [whole, to] = [join(folder, 'with own topic'), join(folder, 'without own topic')];
    await makeKnownLog(whole, RECORDS / 2);
    const own = { ...shape, name: 'own' };
    const use = { group: 'g', owns: ['own'], appends: [] };
    const send = (log: Log): Promise<Committed> => log.commit(commitOf({ appends: [{ topic: 'own', partition: 0, batch: batchOf(['sent through']) }] }));
    {
      await using log = await openPort(lmdb(whole));
      await log.ensure([own], use);
      await send(log);
    }
    const bytes = Buffer.from(usedBytes(whole));
    for (let at = 2 * PAGE; at < bytes.length; at += PAGE) if (bytes.subarray(at, at + PAGE).includes('value 20 ')) bytes.fill(0, at, at + PAGE);
    writeFileSync(join(whole, 'data.mdb'), bytes);
    const report = await repair(whole, to);
    expect(report).toMatchObject({ lostOffsets: 0, restarted: [{ group: 'g', topics: ['own'] }] });
    expect(report.partitions.map(({ topic }) => topic)).toEqual(['letters', 'letters']);
    await using log = await openPort(lmdb(to));
    await log.ensure([own], use);
    expect((await send(log)).offsets).toEqual([0n]);
    expect((await log.offsets([{ topic: 'own', partition: 0 }], 'latest'))[0]!.offset).toBe(1n);
  });
  test('a repaired log that had lost its names and lists holds its records under a made-up name', async () => {
    const [copy, to] = [join(folder, 'names'), join(folder, 'renamed')];
    damaged(copy, 'topic:letters', 'segments\0');
    // The log itself does not take the partition for an empty one.
    const looked = await start('look', copy).ended;
    expect([looked.signal, (JSON.parse(looked.lines[0]!) as { readonly errors: readonly string[] }).errors]).toEqual([null, ['STOPLOG_LOG_CORRUPT']]);
    const report = await repair(copy, to);
    expect(report.renamed).toEqual([`recovered.${report.renamed[0]!.slice('recovered.'.length)}`]);
    expect(recordsIn(to).records).toEqual(originals);
  });
  test('a repair replaces the rest of a killed repair, and leaves other folders alone', async () => {
    const to = join(folder, 'again');
    mkdirSync(`${to}.repairing`);
    writeFileSync(join(`${to}.repairing`, 'data.mdb'), 'half of it');
    await repair(original, to);
    expect(readdirSync(folder)).not.toContain('again.repairing');
    await expect(repair(original, to)).rejects.toMatchObject({ code: 'STOPLOG_USAGE' });
    expect(recordsIn(to).records.size).toBe(RECORDS);
    mkdirSync(join(folder, 'mine.repairing'));
    writeFileSync(join(folder, 'mine.repairing', 'thesis.txt'), 'x');
    await expect(repair(original, join(folder, 'mine'))).rejects.toMatchObject({ code: 'STOPLOG_USAGE' });
    expect(readFileSync(join(folder, 'mine.repairing', 'thesis.txt'), 'utf8')).toBe('x');
  });
});

test('a log that is written to meanwhile is not repaired: the error says what to do, nothing is left behind, and the log is unchanged', async () => {
  const [copy, to] = [join(folder, 'busy'), join(folder, 'busy repaired')];
  withData(original, copy, data);
  const log = await openPort(lmdb(copy));
  await Promise.all(Array.from({ length: 400 }, (_, i) => append(log, 0, [`more ${i}`])));
  await log[Symbol.asyncDispose]();
  let looks = 0;
  const repairing = module.repair(lmdb(copy).options, to, {
    progress: () => {
      if (looks++ === 0) execFileSync(process.execPath, [fileURLToPath(new URL('../fixtures/intruder.mjs', import.meta.url)), copy]);
    },
  });
  await expect(repairing).rejects.toMatchObject({
    code: 'STOPLOG_LOG_UNAVAILABLE',
    message: expect.stringContaining('stop what runs on it'),
    facts: { path: copy },
  });
  // The change is noticed at once, not when all is read.
  expect(looks).toBe(1);
  expect(readdirSync(folder).filter((name) => name.startsWith('busy'))).toEqual(['busy']);
  expect((await check(copy)).findings).toEqual([]);
  expect(await repair(copy, to)).toMatchObject({ lostOffsets: 0, missing: {} });
  expect(recordsIn(to).records.size).toBe(RECORDS + 400);
});

test('an error while the new log is made names its path', async () => {
  const file = join(folder, 'a file');
  writeFileSync(file, 'x');
  await expect(repair(original, join(file, 'to'))).rejects.toMatchObject({ code: 'STOPLOG_LOG_UNAVAILABLE', facts: { path: join(file, 'to') } });
});

test('a number of a deleted topic is not assigned again, even though the names are lost', async () => {
  const [path, to] = [join(folder, 'deleted'), join(folder, 'deleted repaired')];
  const log = await openPort(lmdb(path));
  await log.ensure([shape]);
  await append(log, 0, ['kept']);
  await log.ensure([{ ...shape, name: 'passing' }]);
  await log.commit(commitOf({ appends: [{ topic: 'passing', partition: 0, batch: batchOf(['gone']) }] }));
  await module.deleteTopic(log, 'passing');
  await log[Symbol.asyncDispose]();
  const bytes = Buffer.from(usedBytes(path));
  for (let at = 2 * PAGE; at < bytes.length; at += PAGE) if (bytes.subarray(at, at + PAGE).includes('topic:letters')) bytes.fill(0, at, at + PAGE);
  withData(path, `${path} copy`, bytes);
  expect(await repair(`${path} copy`, to)).toMatchObject({ renamed: ['recovered.1'] });
  await using repaired = await openPort(lmdb(to));
  await repaired.ensure([{ ...shape, name: 'passing' }]);
  expect((await repaired.commit(commitOf({ appends: [{ topic: 'passing', partition: 0, batch: batchOf(['new']) }] }))).offsets).toEqual([0n]);
});

test('a check while a process appends, cleans and deletes finds nothing', async () => {
  await withFolder(async (other) => {
    const path = join(other, 'log');
    const log = await openPort(lmdb(path, { maintenance: { everyMs: 5 } }));
    await log.ensure([
      { ...shape, forgetting: { retentionBytes: 100_000, segmentBytes: 20_000 } },
      { ...shape, name: 'latest', cleanup: 'compact', forgetting: { segmentBytes: 5_000, minDirtyRatio: 0.01 } },
    ]);
    let isOver = false;
    const writing = (async (): Promise<void> => {
      for (let i = 0; !isOver; i++) {
        await append(
          log,
          i % 2,
          Array.from({ length: 20 }, (_, n) => `${i}.${n} ${'x'.repeat(100)}`),
        );
        await log.commit(commitOf({ appends: [{ topic: 'latest', partition: 0, batch: batchOf(Array.from({ length: 20 }, (_, n) => `k${(i * n) % 30}`)) }] }));
      }
    })();
    for (let n = 0; n < 6; n++) expect((await check(path)).findings).toEqual([]);
    isOver = true;
    await writing;
    const { findings, notes, commit } = await check(path);
    expect([findings, notes]).toEqual([[], []]);
    expect(commit).toBeGreaterThan(10);
    await log[Symbol.asyncDispose]();
  });
});
