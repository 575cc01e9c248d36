/** The SQLite sink on real files: columns and values, tables that are there already, refusals, and a pipeline that is killed. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SinkRecord, SinkStart } from '@stoplog/core/port';
import { describe, expect, test, vi } from 'vitest';
import { finish, killRepeatedly, RECORDS } from '../fixtures/kills.ts';
import { missingSqlite } from './fixtures/available.ts';
import { counter, execute, rowsIn } from './fixtures/rows.ts';
import { sqliteSink, type SqliteSink } from './index.ts';

const START: SinkStart = { group: 'g', topic: 'orders', partition: 3, epoch: 1 };
const never = new AbortController().signal;
const record = (key: unknown, value: unknown, offset: bigint = 0n): SinkRecord => ({ key, value, timestamp: 1_000, headers: [], offset, index: 0 });
const withPath = async (body: (path: string) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'stoplog-sqlite-'));
  try {
    await body(join(folder, 'target.db'));
  } finally {
    rmSync(folder, { recursive: true });
  }
};
const written = async (spec: SqliteSink<never, never>, ...records: readonly SinkRecord[]): Promise<void> => {
  await using writer = await sqliteSink('rows', spec).open(START);
  await writer.write({ position: 100n, records }, never);
};

// Without better-sqlite3 the reason is printed (fixtures/available.ts).
describe.skipIf(missingSqlite !== undefined)('a table of SQLite', () => {
  test('a value is a JSON column by default, and the row has the version of its record', async () => {
    await withPath(async (path) => {
      await written({ path, table: 'orders' }, record('o1', { cents: 4_200, tags: ['new'] }, 17n));
      expect(rowsIn(path, 'SELECT * FROM orders')).toEqual([
        { key: 'o1', value: '{"cents":4200,"tags":["new"]}', stoplog_partition: 'orders[3]', stoplog_offset: 17, stoplog_index: 0 },
      ]);
      expect(rowsIn(path, 'SELECT * FROM stoplog_positions')).toEqual([
        { group_name: 'g', sink: 'rows', topic: 'orders', partition: 3, epoch: 1, position: 100 },
      ]);
    });
  });
  test('a key of several columns is one key, and a tombstone deletes its row only', async () => {
    await withPath(async (path) => {
      type Key = { readonly tenant: string; readonly id: number };
      const key = { tenant: (k: Key) => k.tenant, id: (k: Key) => k.id };
      await using writer = await sqliteSink<Key, string>('rows', { path, table: 'orders', key }).open(START);
      const keys = [
        { tenant: 'a', id: 1 },
        { tenant: 'a', id: 2 },
        { tenant: 'b', id: 1 },
      ];
      await writer.write({ position: 3n, records: keys.map((k, i) => record(k, `v${i}`, BigInt(i))) }, never);
      await writer.write({ position: 4n, records: [record({ id: 1, tenant: 'a' }, null, 3n)] }, never);
      expect(rowsIn(path, 'SELECT tenant, id, value FROM orders ORDER BY 1, 2')).toEqual([
        { tenant: 'a', id: 2, value: '"v1"' },
        { tenant: 'b', id: 1, value: '"v2"' },
      ]);
      expect(rowsIn(path, 'SELECT key, stoplog_offset FROM stoplog_deleted')).toEqual([{ key: '["a",1]', stoplog_offset: 3 }]);
    });
  });
  test('columns take integers, reals, texts, times, bytes, truth values, objects and nothing', async () => {
    await withPath(async (path) => {
      const values = {
        i: 7,
        r: 0.5,
        big: 2n ** 60n,
        t: 'text',
        at: new Date(0),
        bytes: new Uint8Array([1, 2]),
        yes: true,
        list: [1, { a: 2 }],
        none: undefined,
      };
      const value = Object.fromEntries(Object.keys(values).map((name) => [name, () => values[name as keyof typeof values]]));
      await written({ path, table: 'all', value }, record('k', 1));
      const types = Object.keys(values).map(
        (name) => `typeof(${name}) || ' ' || ifnull(CASE WHEN typeof(${name}) = 'blob' THEN hex(${name}) ELSE ${name} END, '') AS ${name}`,
      );
      expect(rowsIn(path, `SELECT ${types.join(', ')} FROM "all"`)).toEqual([
        {
          i: 'integer 7',
          r: 'real 0.5',
          big: 'integer 1152921504606846976',
          t: 'text text',
          at: 'text 1970-01-01T00:00:00.000Z',
          bytes: 'blob 0102',
          yes: 'integer 1',
          list: 'text [1,{"a":2}]',
          none: 'null ',
        },
      ]);
    });
  });
  test('a table that is there gets the columns of the version, and its rows are replaced', async () => {
    await withPath(async (path) => {
      execute(path, `CREATE TABLE orders (id TEXT PRIMARY KEY, cents INTEGER, note TEXT DEFAULT 'none'); INSERT INTO orders VALUES ('o1', 1, 'mine')`);
      const cents = (order: { readonly cents: number }): number => order.cents;
      await written(
        { path, table: 'orders', key: 'id', value: { cents } } as SqliteSink<never, never>,
        record('o1', { cents: 5 }),
        record('o2', { cents: 6 }, 1n),
      );
      expect(rowsIn(path, 'SELECT id, cents, note, stoplog_offset FROM orders ORDER BY id')).toEqual([
        { id: 'o1', cents: 5, note: 'mine', stoplog_offset: 0 },
        { id: 'o2', cents: 6, note: 'none', stoplog_offset: 1 },
      ]);
    });
  });
  test('records of another partition take rows over, whatever their offset', async () => {
    await withPath(async (path) => {
      await written({ path, table: 'orders' }, record('a', 1, 50n), record('b', null, 51n));
      await using writer = await sqliteSink('rows', { path, table: 'orders' }).open({ ...START, topic: 'orders-16', partition: 9 });
      await writer.write({ position: 2n, records: [record('a', 2, 0n), record('b', 3, 1n)] }, never);
      expect(rowsIn(path, 'SELECT key, value FROM orders ORDER BY key')).toEqual([
        { key: 'a', value: '2' },
        { key: 'b', value: '3' },
      ]);
      expect(rowsIn(path, 'SELECT key FROM stoplog_deleted')).toEqual([]);
    });
  });
});

describe.skipIf(missingSqlite !== undefined)('a refusal of the SQLite sink', () => {
  test('a record without a key is refused with its name, and nothing of its batch is kept', async () => {
    await withPath(async (path) => {
      await expect(written({ path, table: 'orders' }, record('a', 1), record(null, 2, 9n))).rejects.toMatchObject({
        code: 'STOPLOG_SINK',
        message: expect.stringMatching(/orders\[3\]@9: the record has no key.*rekey/),
      });
      expect(rowsIn(path, 'SELECT * FROM orders')).toEqual([]);
    });
  });
  test('a function of a column that throws is named with its column and record', async () => {
    await withPath(async (path) => {
      const value = {
        cents: () => {
          throw new TypeError('no cents');
        },
      };
      await expect(written({ path, table: 'orders', value }, record('a', 1, 4n))).rejects.toThrow(/orders\[3\]@4: .*column 'cents'.*no cents/);
    });
  });
  test('a column that the table lacks is named with the statement that adds it', async () => {
    await withPath(async (path) => {
      execute(path, 'CREATE TABLE orders (key TEXT PRIMARY KEY)');
      await expect(written({ path, table: 'orders' })).rejects.toThrow('ALTER TABLE "orders" ADD COLUMN "value"');
    });
  });
  test('a table whose key is not unique is refused', async () => {
    await withPath(async (path) => {
      execute(path, 'CREATE TABLE orders (key TEXT, value TEXT)');
      await expect(written({ path, table: 'orders' })).rejects.toThrow('CREATE UNIQUE INDEX "orders_key" ON "orders" ("key")');
    });
  });
  test('an unknown setting, a path that threads cannot share, and a wrong column are refused when the sink is declared', () => {
    const path = 'x.db';
    const declare = (spec: object) => (): unknown => sqliteSink('rows', spec as SqliteSink<string, string>);
    for (const [spec, message] of [
      [{ path, table: 't', tabel: 't' }, /knows no setting 'tabel'/],
      [{ path: ':memory:', table: 't' }, /give the path of a file/],
      [{ path, table: '' }, /give the name of a table/],
      [{ path, table: 't', key: {} }, /give the name of a column/],
      [{ path, table: 't', value: { cents: 5 } }, /give each column a function/],
      [{ path, table: 't', key: 'a', value: 'a' }, /column 'a' twice/],
      [{ path, table: 't', key: 'stoplog_offset' }, /the sink's own/],
    ] as const)
      expect(declare(spec)).toThrow(message);
    expect(() => sqliteSink('a b', { path, table: 't' })).toThrow(/cannot name a sink/);
  });
});

test.skipIf(missingSqlite !== undefined)(
  'a pipeline that is killed repeatedly has the effect of each record once in a SQLite file',
  async () => {
    await withPath(async (path) => {
      execute(
        path,
        `CREATE TABLE numbers (key INTEGER PRIMARY KEY, n INTEGER);
       CREATE TABLE changes (key INTEGER);
       CREATE TRIGGER inserted AFTER INSERT ON numbers BEGIN INSERT INTO changes VALUES (NEW.key); END;
       CREATE TRIGGER updated AFTER UPDATE ON numbers BEGIN INSERT INTO changes VALUES (NEW.key); END;`,
      );
      vi.stubEnv('TARGET', path);
      const pipeline = new URL('./fixtures/numbers-to-sqlite.mjs', import.meta.url);
      const data = join(path, '..', 'data');
      const watched = counter(path, 'changes');
      try {
        console.log('sqlite:', await killRepeatedly({ data, pipeline, env: { TARGET: path }, changes: watched.count }));
        await finish(data, pipeline);
        const all = Array.from({ length: RECORDS }, (_, n) => ({ key: n, n }));
        expect(rowsIn(path, 'SELECT key, n FROM numbers ORDER BY key')).toEqual(all);
        expect(rowsIn(path, 'SELECT key FROM changes ORDER BY key')).toEqual(all.map(({ key }) => ({ key })));
      } finally {
        watched.close();
        vi.unstubAllEnvs();
      }
    });
  },
  60_000,
);
