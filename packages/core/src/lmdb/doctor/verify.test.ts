/**
 * Damage that is refused before LMDB maps a file: each kind would end the process by a signal, or hide records. The files are
 * opened in this process: surviving is part of the test.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPort } from '@stoplog/core/kit';
import { loadTools } from '@stoplog/core/tools';
import { lmdb, type LmdbOptions } from '@stoplog/core/lmdb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BRANCH, LEAF, PAGE_HEADER } from '../layout/pages/page.ts';
import type { Tree } from '../layout/pages/meta-page.ts';
import { walk } from '../layout/pages/walk.ts';
import { makeKnownLog, PAGE, usedBytes, withData } from '../fixtures/damaged.ts';
import { start, withFolder } from '../fixtures/child.ts';
import { append, commitOf, never, place, shape } from '../fixtures/letters.mjs';
import { PageFile, tablesOf } from './page-file.ts';
import { verifyFile } from './verify.ts';

let folder: string;
let original: string;
let data: Buffer;
let tables: ReadonlyMap<string, Tree>;
let commit: number;
let copies = 0;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stoplog-verify-'));
  original = join(folder, 'log');
  await makeKnownLog(original, 2_000);
  // Small batches are stored on the leaves, so that there are several leaves.
  const log = await openPort(lmdb(original));
  for (let i = 0; i < 10; i++) await Promise.all(Array.from({ length: 10 }, (_, n) => append(log, n % 2, [`small ${i} ${'x'.repeat(500)}`])));
  await log[Symbol.asyncDispose]();
  data = usedBytes(original);
  const file = new PageFile(original, PAGE);
  const newest = file.metas().newest!;
  tables = tablesOf(walk(file.reader(newest), newest.main, newest));
  commit = newest.txn;
  file.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A changed copy. */
const damagedBy = (change: (bytes: Buffer) => void): string => {
  const path = join(folder, `copy${copies++}`);
  const bytes = Buffer.from(data);
  change(bytes);
  withData(original, path, bytes);
  return path;
};
const open = async (path: string, options: LmdbOptions = {}): Promise<Awaited<ReturnType<typeof openPort>>> =>
  openPort(lmdb(path, { create: false, ...options }));
const refusal = async (path: string, options: LmdbOptions = {}): Promise<unknown> => {
  try {
    await (await open(path, options))[Symbol.asyncDispose]();
    return undefined;
  } catch (error) {
    return error;
  }
};

const root = (table: string): number => tables.get(table)!.root! * PAGE;
const node = (bytes: Buffer, page: number, i: number): number => page + PAGE_HEADER + bytes.readUInt16LE(page + PAGE_HEADER + 2 * i);
/** The first leaf of a table. */
const leafOf = (bytes: Buffer, table: string): number => {
  let page = root(table);
  while (bytes.readUInt16LE(page + 18) === BRANCH) page = bytes.readUInt32LE(node(bytes, page, 0)) * PAGE;
  if (bytes.readUInt16LE(page + 18) !== LEAF) throw new Error('no leaf');
  return page;
};
const meta = (n: number): number => (n % 2) * PAGE;
const u64 = (bytes: Buffer, at: number, by: number): void => void bytes.writeBigUInt64LE(bytes.readBigUInt64LE(at) + BigInt(by), at);

describe('a damaged file', () => {
  test.each<readonly [string, string | undefined, (bytes: Buffer) => void]>([
    [
      'has a branch that leads to one page twice',
      'log',
      (bytes) => bytes.copy(bytes, node(bytes, root('log'), 1), node(bytes, root('log'), 0), node(bytes, root('log'), 0) + 4),
    ],
    ['has a branch that leads behind the end', 'log', (bytes) => bytes.writeUInt32LE(2 ** 30, node(bytes, root('log'), 1))],
    ['has a leaf with one node fewer', 'log', (bytes) => bytes.writeUInt16LE(bytes.readUInt16LE(leafOf(bytes, 'log') + 20) - 2, leafOf(bytes, 'log') + 20)],
    [
      'has a node that begins elsewhere',
      'stores',
      (bytes) => bytes.writeUInt16LE(bytes.readUInt16LE(leafOf(bytes, 'stores') + 26) ^ 2, leafOf(bytes, 'stores') + 26),
    ],
    ['has a value that is a tree by its flags', 'times', (bytes) => bytes.writeUInt16LE(2, node(bytes, leafOf(bytes, 'times'), 0) + 4)],
    ['has a page of a later commit, which would be written into', 'ends', (bytes) => u64(bytes, leafOf(bytes, 'ends') + 8, 2 ** 40)],
    ['has a page with a note of a transaction', 'ends', (bytes) => bytes.writeUInt16LE(LEAF | 0x4000, leafOf(bytes, 'ends') + 18)],
    [
      'has a value that is longer than its place',
      'ends',
      (bytes) => bytes.writeUInt32LE(bytes.readUInt32LE(node(bytes, leafOf(bytes, 'ends'), 0)) + 64, node(bytes, leafOf(bytes, 'ends'), 0)),
    ],
    ['hides an entry by a bit of its key', 'stores', (bytes) => void (bytes[node(bytes, leafOf(bytes, 'stores'), 0) + 8 + 12]! ^= 1)],
    ['hides a topic by a bit of its name', 'meta', (bytes) => void (bytes[bytes.indexOf('topic:letters', leafOf(bytes, 'meta')) + 12]! ^= 1)],
    ['hides the ends of a partition', 'ends', (bytes) => void (bytes[node(bytes, leafOf(bytes, 'ends'), 1) + 8 + 7]! ^= 2)],
    ['hides the last commit by its number', undefined, (bytes) => u64(bytes, meta(commit) + 152, -2)],
    [
      'makes the commit before the last the newest',
      'the list of tables',
      (bytes) => (u64(bytes, meta(commit - 1) + 152, 2), bytes.fill(0, 4_096, 4_096 + 168)),
    ],
    ['has a list of tables with values in duplicate', undefined, (bytes) => bytes.writeUInt16LE(4, meta(commit) + 96 + 4)],
    [
      'has another number of entries than it says',
      'stores',
      (bytes) => u64(bytes, bytes.indexOf('stores\0', bytes.readUInt32LE(meta(commit) + 136) * PAGE) + 7 + 32, 1),
    ],
  ])('a log whose file %s is not opened', async (_, table, change) => {
    const path = damagedBy(change);
    const before = readFileSync(join(path, 'data.mdb'));
    const error = await refusal(path);
    expect(error).toMatchObject({ code: 'STOPLOG_LOG_CORRUPT', facts: { path, file: 'data.mdb', ...(table === undefined ? {} : { table }) } });
    expect(String(error)).toMatch(/was not opened; .*'stoplog check'.*'stoplog repair'/);
    expect(readFileSync(join(path, 'data.mdb')).equals(before)).toBe(true);
  });
});

test('a sound log is not refused, nor is one that a power cut left in the middle of a commit', async () => {
  expect(
    await refusal(
      damagedBy(() => {}),
      { verify: true },
    ),
  ).toBe(undefined);
  // The meta page of the newest commit reached the disk, and its pages did not; the machine has restarted since.
  const cut = damagedBy((bytes) => {
    const at = meta(commit);
    for (const begin of [meta(commit - 1), at]) bytes.writeBigUInt64LE(1n, begin + 160);
    bytes.writeUInt16LE(0x1008, at + 52);
    bytes.copy(bytes, 4_096 + 40, meta(commit - 1) + 40, meta(commit - 1) + 168);
    bytes.writeUInt16LE(0x8, 4_096 + 52);
    bytes.fill(0, bytes.readUInt32LE(at + 136) * PAGE, bytes.readUInt32LE(at + 136) * PAGE + PAGE);
  });
  expect(await refusal(cut, { verify: true })).toBe(undefined);
});

test('a partition with hidden ends is refused to readers and writers when the file was not verified', async () => {
  const path = damagedBy((bytes) => void (bytes[node(bytes, leafOf(bytes, 'ends'), 1) + 8 + 7]! ^= 2));
  const log = await open(path, { verify: false });
  try {
    const hidden = { code: 'STOPLOG_LOG_CORRUPT', facts: { table: 'ends', partition: 1, reason: 'missing' } };
    await expect(log.offsets([place(1)], 'latest')).rejects.toMatchObject(hidden);
    await expect(log.fetch({ ...place(1), offset: 0n }, { bytes: 1, waitMs: 0 }, never)).rejects.toMatchObject(hidden);
    await expect(append(log, 1, ['again'])).rejects.toMatchObject(hidden);
    await append(log, 0, ['the other one goes on']);
  } finally {
    await log[Symbol.asyncDispose]();
  }
});

test('a large file is walked only on request', async () => {
  await withFolder(async (folder) => {
    const path = join(folder, 'log');
    const log = await openPort(lmdb(path));
    await log.ensure([shape]);
    await log.store({ store: 's', partition: 0, group: 'g', version: 1, fingerprint: 'f' }, never);
    const value = Buffer.alloc(3_000, 'v');
    for (let i = 0; i < 2; i++) {
      const keys = Array.from({ length: 600 }, (_, n) => Buffer.from(`key ${i} ${n}`));
      await log.commit(commitOf({ stores: [{ store: 's', partition: 0, keys, values: keys.map(() => value) }] }));
    }
    await log[Symbol.asyncDispose]();
    const bytes = readFileSync(join(path, 'data.mdb'));
    for (let at = bytes.indexOf('key 1 500'); at >= 0; at = bytes.indexOf('key 1 500', at + 1)) bytes[at + 8]! ^= 1;
    writeFileSync(join(path, 'data.mdb'), bytes);
    expect(await refusal(path)).toBe(undefined);
    expect(await refusal(path, { verify: true })).toMatchObject({ code: 'STOPLOG_LOG_CORRUPT', facts: { table: 'stores' } });
  });
});

test('a damaged file is not shrunk, since its hidden entries would be lost', async () => {
  const path = damagedBy((bytes) => bytes.writeUInt16LE(bytes.readUInt16LE(leafOf(bytes, 'log') + 20) - 2, leafOf(bytes, 'log') + 20));
  const before = readFileSync(join(path, 'data.mdb'));
  const options = lmdb(path).options;
  await expect((await loadTools(lmdb(path))).shrink(options)).rejects.toMatchObject({ code: 'STOPLOG_LOG_CORRUPT', facts: { table: 'log' } });
  expect(readFileSync(join(path, 'data.mdb')).equals(before)).toBe(true);
});

test('the commits of another process are never taken for damage', async () => {
  await withFolder(async (folder) => {
    const path = join(folder, 'log');
    const child = start('appender', path, join(folder, 'acks'), 'a');
    await child.said('acknowledged 100');
    const file = new PageFile(path, PAGE);
    const before = file.metas().newest!.txn;
    let walks = 0;
    for (; walks < 50 || file.metas().newest!.txn < before + 50; walks++) verifyFile(path, true);
    expect(walks).toBeGreaterThanOrEqual(50);
    file.close();
    child.kill();
    await child.ended;
    verifyFile(path, true);
  });
}, 60_000);

test("a page number beyond every file's end is refused as one after the end", () => {
  const file = new PageFile(original, PAGE);
  expect([2 ** 40, 2 ** 50, 2 ** 55].map((page) => file.page(page, 1))).toEqual([undefined, undefined, undefined]);
  file.close();
});

test.each([2 ** 31, 2 ** 45, Number.MAX_SAFE_INTEGER])(
  'a last page number of %d, which no file has, is a finding of the check, and a repair keeps the rest',
  async (last) => {
    const path = damagedBy((bytes) => {
      for (const at of [0, PAGE / 2, PAGE]) if (bytes.readBigUInt64LE(at + 152) === BigInt(commit)) bytes.writeBigUInt64LE(BigInt(last), at + 144);
    });
    const module = await loadTools(lmdb(path));
    const { findings } = await module.check(lmdb(path).options);
    expect(findings.map(({ rule }) => rule)).toContain('file');
    const { partitions } = await module.repair(lmdb(path).options, `${path} repaired`);
    expect(partitions.reduce((sum, { records }) => sum + records, 0)).toBe(2_100);
  },
);
