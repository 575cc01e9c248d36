/** The outbox of SQLite on real files: order, positions, waiting, refusals, deletion, and a pipeline that is killed. */
import { mkdtempSync, rmSync } from 'node:fs';
import * as files from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ByteSource } from '@stoplog/core';
import type { Arrival, RawArrival, SourceReader } from '@stoplog/core/port';
import Database from 'better-sqlite3';
import { describe, expect, test, vi } from 'vitest';
import { killWhilePublishing, publishAll } from '../fixtures/published.ts';
import { missingSqlite } from './fixtures/available.ts';
import { execute, rowsIn } from './fixtures/rows.ts';
import { sqliteOutbox, type SqliteOutbox } from './index.ts';

vi.mock('node:fs/promises', async (original) => {
  const actual = await original<typeof files>();
  return { ...actual, open: vi.fn(actual.open) };
});

const TABLE = 'CREATE TABLE outbox (id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL, value TEXT NOT NULL)';
const never = new AbortController().signal;
const LIMIT = { records: 100, bytes: 1_000_000 };
const spec = (path: string, over: Partial<SqliteOutbox<string, unknown>> = {}): SqliteOutbox<string, unknown> => ({
  path,
  table: 'outbox',
  key: (row) => String(row['key']),
  value: (row) => JSON.parse(String(row['value'])),
  pollMs: 1,
  ...over,
});
const withFile = async (body: (path: string) => Promise<void>, sql: string = TABLE): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'stoplog-outbox-'));
  try {
    const path = join(folder, 'app.db');
    execute(path, `PRAGMA journal_mode = WAL; ${sql}`);
    await body(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
};
const insert = (path: string, ...values: readonly unknown[]): void =>
  values.forEach((value, i) => execute(path, `INSERT INTO outbox (key, value) VALUES ('k${i}', '${JSON.stringify(value)}')`));
const opened = (source: ByteSource<unknown, unknown>, position: bigint = 0n): Promise<SourceReader<RawArrival>> =>
  source.open({ group: 'g', partition: 0, position });
const decoded = (source: ByteSource<unknown, unknown>, arrivals: readonly RawArrival[]): readonly Arrival[] => arrivals.map((raw) => source.decode(raw));

describe.skipIf(missingSqlite !== undefined)('an outbox of SQLite', () => {
  test('rows become arrivals in the order of their numbers, from the committed position on', async () => {
    await withFile(async (path) => {
      insert(path, { n: 1 }, { n: 2 }, { n: 3 });
      const source = sqliteOutbox('outbox', spec(path, { timestamp: (row) => Number(row['id']) * 1_000 }));
      await using reader = await opened(source);
      const { arrivals, position, ended } = await reader.pull({ ...LIMIT, records: 2 }, never);
      expect({ position, ended }).toEqual({ position: 3n, ended: false });
      expect(decoded(source, arrivals)).toEqual([
        { key: 'k0', value: { n: 1 }, timestamp: 1_000, item: 1 },
        { key: 'k1', value: { n: 2 }, timestamp: 2_000, item: 2 },
      ]);
      await using later = await opened(source, position);
      expect(decoded(source, (await later.pull(LIMIT, never)).arrivals)).toMatchObject([{ key: 'k2', value: { n: 3 } }]);
    });
  });
  test('a pull has at most the bytes of its limit, and at least one row', async () => {
    await withFile(async (path) => {
      insert(path, 'a'.repeat(600), 'b'.repeat(600), 'c');
      await using reader = await opened(sqliteOutbox('outbox', spec(path)));
      const sizes: number[] = [];
      for (let rows = 0; rows < 3;) {
        const { arrivals } = await reader.pull({ records: 10, bytes: 500 }, never);
        sizes.push(arrivals.length);
        rows += arrivals.length;
      }
      expect(sizes).toEqual([1, 1, 1]);
    });
  });
  test('a pull waits for a commit, and never sees a transaction that is open or rolled back', async () => {
    await withFile(async (path) => {
      const source = sqliteOutbox('outbox', spec(path));
      await using reader = await opened(source);
      const pull = reader.pull(LIMIT, never);
      const app = new Database(path);
      app.exec(`BEGIN; INSERT INTO outbox (key, value) VALUES ('gone', '0'); ROLLBACK; BEGIN; INSERT INTO outbox (key, value) VALUES ('here', '1')`);
      await expect(Promise.race([pull, after(20)])).resolves.toBe('nothing yet');
      app.exec('COMMIT');
      expect(decoded(source, (await pull).arrivals)).toMatchObject([{ key: 'here', value: 1 }]);
      app.close();
    });
  });
  test('an abort ends a pull that waits', async () => {
    await withFile(async (path) => {
      await using reader = await opened(sqliteOutbox('outbox', spec(path, { pollMs: 600_000 })));
      const stop = new AbortController();
      const pull = reader.pull(LIMIT, stop.signal);
      stop.abort();
      expect(await pull).toEqual({ arrivals: [], ended: false });
      expect(await reader.pull(LIMIT, stop.signal)).toEqual({ arrivals: [], ended: false });
    });
  });
  test('a file that a writer locks is read as soon as the writer lets go', async () => {
    await withFile(async (path) => {
      const source = sqliteOutbox('outbox', spec(path));
      await using reader = await opened(source);
      const app = new Database(path);
      app.exec(`BEGIN EXCLUSIVE; INSERT INTO outbox (key, value) VALUES ('locked', '1')`);
      const pull = reader.pull(LIMIT, never);
      await expect(Promise.race([pull, after(20)])).resolves.toBe('nothing yet');
      app.exec('COMMIT');
      expect(decoded(source, (await pull).arrivals)).toMatchObject([{ key: 'locked' }]);
      app.close();
    }, `PRAGMA journal_mode = DELETE; ${TABLE}`);
  });
  test('the write-ahead log is flushed before its rows are handed on', async () => {
    await withFile(async (path) => {
      const app = new Database(path);
      app.exec(`INSERT INTO outbox (key, value) VALUES ('a', '1')`);
      await using reader = await opened(sqliteOutbox('outbox', spec(path)));
      const flushed: string[] = [];
      vi.mocked(files.open).mockImplementationOnce((name) =>
        Promise.resolve({ sync: async () => void flushed.push(String(name)), close: async () => void flushed.push('closed') } as files.FileHandle),
      );
      expect((await reader.pull(LIMIT, never)).arrivals).toHaveLength(1);
      expect(flushed).toEqual([`${path}-wal`, 'closed']);
      app.close();
    });
  });
  test('rows are deleted when their records are durable, and their numbers are not given again', async () => {
    await withFile(async (path) => {
      insert(path, 1, 2, 3);
      const source = sqliteOutbox('outbox', spec(path, { deletePublished: true }));
      await using reader = await opened(source);
      const { position } = await reader.pull({ ...LIMIT, records: 2 }, never);
      expect(rowsIn(path, 'SELECT id FROM outbox')).toHaveLength(3);
      await reader.acknowledge([], position!);
      expect(rowsIn(path, 'SELECT id FROM outbox')).toEqual([{ id: 3 }]);
      // What the reader before could not delete is deleted when the next one is opened.
      await using next = await opened(source, 4n);
      expect(rowsIn(path, 'SELECT id FROM outbox')).toEqual([]);
      insert(path, 4);
      expect((await next.pull(LIMIT, never)).arrivals.map(({ item }) => item)).toEqual([4]);
    });
  });
});

describe.skipIf(missingSqlite !== undefined)('a refusal of the outbox of SQLite', () => {
  test.each([
    [
      'a table that is not there',
      'CREATE TABLE other (id INTEGER)',
      /has no table 'outbox'; make it with CREATE TABLE "outbox" \("id" INTEGER PRIMARY KEY AUTOINCREMENT/,
    ],
    ['a table without numbers', 'CREATE TABLE outbox (key TEXT)', /table 'outbox' has no column 'id'/],
    ['numbers that SQLite gives again', 'CREATE TABLE outbox (id INTEGER PRIMARY KEY, key TEXT)', /is not AUTOINCREMENT/],
  ])('%s is named with the statement that makes it', async (_, sql, message) => {
    await withFile(async (path) => {
      await expect(opened(sqliteOutbox('outbox', spec(path)))).rejects.toMatchObject({ code: 'STOPLOG_SOURCE', message: expect.stringMatching(message) });
    }, sql);
  });
  test('a database that was restored is refused, in place of passing over its new rows', async () => {
    await withFile(async (path) => {
      insert(path, 1, 2);
      await expect(opened(sqliteOutbox('outbox', spec(path)), 9n)).rejects.toMatchObject({
        code: 'STOPLOG_SOURCE',
        facts: { source: 'outbox', position: 9n, last: 2n },
        message: expect.stringContaining('Give the source another name'),
      });
      await using reader = await opened(sqliteOutbox('outbox', spec(path)), 3n);
      expect(reader).toBeDefined();
    });
  });
  test('a file that is not there is not made', async () => {
    await expect(opened(sqliteOutbox('outbox', spec(join(tmpdir(), 'no-such-file.db'))))).rejects.toThrow(/unable to open database file|does not exist/);
  });
  test('wrong settings are refused when the source is declared', () => {
    const declare = (over: object) => (): unknown => sqliteOutbox('outbox', spec('app.db', over));
    for (const [over, message] of [
      [{ tabel: 't' }, /knows no setting 'tabel'/],
      [{ path: ':memory:' }, /the path of source 'outbox' is ":memory:"/],
      [{ table: '' }, /the table of source 'outbox' is "": give the name/],
      [{ key: 'key' }, /the key of source 'outbox' is "key": give a function of a row, as in key: \(row\) => row\['key'\]/],
      [{ timestamp: 5 }, /the timestamp of source 'outbox' is 5: give a function/],
      [{ pollMs: 0 }, /the pollMs of source 'outbox' is 0/],
    ] as const)
      expect(declare(over)).toThrow(message);
    expect(() => sqliteOutbox('a b', spec('app.db'))).toThrow(/cannot name a source/);
  });
});

test.skipIf(missingSqlite !== undefined)(
  'a pipeline that is killed repeatedly publishes each row of SQLite once, in the order of its key, while a program writes',
  async () => {
    await withFile(async (path) => {
      const keys = ['a', 'b', 'c'];
      const app = new Database(path);
      app.exec('CREATE TABLE state (key TEXT PRIMARY KEY, changes INTEGER NOT NULL)');
      const change = app.transaction((key: string) => {
        const { changes } = app
          .prepare<[string], { changes: number }>('INSERT INTO state VALUES (?, 1) ON CONFLICT DO UPDATE SET changes = changes + 1 RETURNING changes')
          .get(key)!;
        app.prepare('INSERT INTO outbox (key, value) VALUES (?, ?)').run(key, changes - 1);
      });
      for (let n = 0; n < 200; n++) for (const key of keys) change(key);
      const data = join(path, '..', 'data');
      const pipeline = new URL('./fixtures/outbox-to-topic.mjs', import.meta.url);
      const env = { TARGET: path, DELETES: 'yes' };
      for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
      // The program goes on writing until the last kill.
      const writing = setInterval(() => keys.forEach(change), 5);
      try {
        const kills = await killWhilePublishing(data, pipeline, env, 2);
        clearInterval(writing);
        const rows = rowsIn<{ changes: number }>(path, 'SELECT changes FROM state').reduce((sum, { changes }) => sum + changes, 0);
        console.log(`sqlite: ${kills.join(', ')} records of ${rows} at the kills`);
        const all = await publishAll(data, pipeline, rows);
        for (const key of keys) expect(all[key]).toEqual(Array.from({ length: all[key]!.length }, (_, n) => n));
        expect(kills.every((count) => count < rows)).toBe(true);
      } finally {
        clearInterval(writing);
        app.close();
        vi.unstubAllEnvs();
      }
    });
  },
  180_000,
);

const after = (ms: number): Promise<string> => new Promise((resolve) => setTimeout(() => resolve('nothing yet'), ms));
