/** The PostgreSQL sink on a real server: columns and values, tables that are there already, refusals, and lost connections. */
import type { SinkRecord, SinkStart } from '@stoplog/core/port';
import { describe, expect, inject, test } from 'vitest';
import { withSchema, type Database } from './fixtures/database.ts';
import { postgresSink, type PostgresSink } from './index.ts';

const host = inject('postgres');
const START: SinkStart = { group: 'g', topic: 'orders', partition: 3, epoch: 1 };
const never = new AbortController().signal;
const record = (key: unknown, value: unknown, offset: bigint = 0n): SinkRecord => ({ key, value, timestamp: 1_000, headers: [], offset, index: 0 });
const written = async ({ connection }: Database, spec: PostgresSink<never, never>, ...records: readonly SinkRecord[]): Promise<void> => {
  await using writer = await postgresSink('rows', { connection, ...spec }).open(START);
  await writer.write({ position: 100n, records }, never);
};

// Without a server the reason is printed when the run begins (fixtures/setup.ts).
describe.skipIf(host === undefined)('a table of PostgreSQL', () => {
  test('a value is a JSON column by default, and the row has the version of its record', async () => {
    await withSchema(host!, async (database) => {
      await written(database, { table: 'orders' }, record('o1', { cents: 4_200, tags: ['new'] }, 17n));
      expect(await database.query('SELECT * FROM orders')).toEqual([
        { key: 'o1', value: { cents: 4_200, tags: ['new'] }, stoplog_partition: 'orders[3]', stoplog_offset: '17', stoplog_index: 0 },
      ]);
      expect(await database.query('SELECT * FROM stoplog_positions')).toEqual([
        { group_name: 'g', sink: 'rows', topic: 'orders', partition: 3, epoch: '1', position: '100' },
      ]);
    });
  });
  test('a key of several columns is one key, and a tombstone deletes its row only', async () => {
    await withSchema(host!, async (database) => {
      await database.query('CREATE TABLE orders (tenant text, id int, value jsonb, PRIMARY KEY (tenant, id))');
      type Key = { readonly tenant: string; readonly id: number };
      const key = { tenant: (k: Key) => k.tenant, id: (k: Key) => k.id };
      await using writer = await postgresSink<Key, string>('rows', { connection: database.connection, table: 'orders', key }).open(START);
      const keys = [
        { tenant: 'a', id: 1 },
        { tenant: 'a', id: 2 },
        { tenant: 'b', id: 1 },
      ];
      await writer.write({ position: 3n, records: keys.map((k, i) => record(k, `v${i}`, BigInt(i))) }, never);
      await writer.write({ position: 4n, records: [record({ id: 1, tenant: 'a' }, null, 3n)] }, never);
      expect(await database.query('SELECT tenant, id, value FROM orders ORDER BY 1, 2')).toEqual([
        { tenant: 'a', id: 2, value: 'v1' },
        { tenant: 'b', id: 1, value: 'v2' },
      ]);
    });
  });
  test('columns take the types of the table', async () => {
    await withSchema(host!, async (database) => {
      const values = {
        i: 7,
        r: 0.5,
        money: '12.30',
        big: 2n ** 62n,
        t: 'it\'s \\ "text"',
        at: new Date(0),
        bytes: new Uint8Array([0, 1, 255]),
        yes: true,
        list: ['a', 'b'],
        doc: { a: [1] },
        id: '00000000-0000-0000-0000-000000000001',
        none: undefined,
      };
      await database.query(
        'CREATE TABLE "all" (key int PRIMARY KEY, i int, r real, money numeric(10,2), big bigint, t text, at timestamptz, bytes bytea, yes boolean, list text[], doc jsonb, id uuid, none text)',
      );
      const value = Object.fromEntries(Object.keys(values).map((name) => [name, () => values[name as keyof typeof values]]));
      await written(database, { table: 'all', value }, record(5, 1));
      const [row] = await database.query<Record<string, unknown>>('SELECT * FROM "all"');
      expect(row).toMatchObject({ key: 5, ...values, big: String(values.big), bytes: Buffer.from(values.bytes), none: null });
    });
  });
  test('a table that is there gets the columns of the version, and its rows are replaced', async () => {
    await withSchema(host!, async (database) => {
      await database.query(`CREATE TABLE orders (id text PRIMARY KEY, cents int, note text DEFAULT 'none')`);
      await database.query(`INSERT INTO orders VALUES ('o1', 1, 'mine')`);
      const cents = (order: { readonly cents: number }): number => order.cents;
      const spec = { table: 'orders', key: 'id', value: { cents } } as PostgresSink<never, never>;
      await written(database, spec, record('o1', { cents: 5 }), record('o2', { cents: 6 }, 1n));
      expect(await database.query('SELECT id, cents, note, stoplog_offset FROM orders ORDER BY id')).toEqual([
        { id: 'o1', cents: 5, note: 'mine', stoplog_offset: '0' },
        { id: 'o2', cents: 6, note: 'none', stoplog_offset: '1' },
      ]);
    });
  });
  test('records of another partition take rows over, whatever their offset', async () => {
    await withSchema(host!, async (database) => {
      const { connection } = database;
      await written(database, { table: 'orders' }, record('a', 1, 50n), record('b', null, 51n));
      await using writer = await postgresSink('rows', { connection, table: 'orders' }).open({ ...START, topic: 'orders-16', partition: 9 });
      await writer.write({ position: 2n, records: [record('a', 2, 0n), record('b', 3, 1n)] }, never);
      expect(await database.query('SELECT key, value FROM orders ORDER BY key')).toEqual([
        { key: 'a', value: 2 },
        { key: 'b', value: 3 },
      ]);
      expect(await database.query('SELECT key FROM stoplog_deleted')).toEqual([]);
    });
  });
  test('a role that may not make tables writes to tables that are there, in any schema', async () => {
    await withSchema(host!, async (database) => {
      await written(database, { table: 'orders' });
      const schema = database.connection.options.split('=')[1]!;
      const role = `${schema}_role`;
      await database.query(`CREATE ROLE ${role} LOGIN`);
      await database.query(`GRANT USAGE ON SCHEMA ${schema} TO ${role}`);
      await database.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${role}`);
      const connection = { ...database.connection, user: role };
      await using writer = await postgresSink('rows', { connection, table: `${schema}.orders` }).open(START);
      await writer.write({ position: 200n, records: [record('a', 1, 150n), record('b', null, 151n)] }, never);
      expect(await database.query('SELECT key, value FROM orders')).toEqual([{ key: 'a', value: 1 }]);
    });
  });
  test('two owners make the same missing tables at the same time', async () => {
    await withSchema(host!, async ({ connection, query }) => {
      const sink = postgresSink('rows', { connection, table: 'orders' });
      const writers = await Promise.all(Array.from({ length: 6 }, (_, partition) => sink.open({ ...START, partition })));
      await Promise.all(writers.map((writer, i) => writer.write({ position: 1n, records: [record(`k${i}`, i)] }, never)));
      for (const writer of writers) await writer[Symbol.asyncDispose]();
      expect(await query('SELECT key FROM orders')).toHaveLength(6);
    });
  });
});

describe.skipIf(host === undefined)('a refusal of the PostgreSQL sink', () => {
  test('a value that the table does not take is refused with its record, and nothing of the batch is kept', async () => {
    await withSchema(host!, async (database) => {
      await database.query('CREATE TABLE orders (key text PRIMARY KEY, cents int CHECK (cents > 0))');
      const spec = { table: 'orders', value: { cents: (value: unknown) => value } } as PostgresSink<never, never>;
      await expect(written(database, spec, record('a', 'many', 9n))).rejects.toMatchObject({
        code: 'STOPLOG_SINK',
        facts: { sqlstate: '22P02' },
        message: expect.stringMatching(/orders\[3\]@9 to table 'orders': .*integer.*many/),
      });
      await expect(written(database, spec, record('a', 1, 1n), record('b', -1, 2n))).rejects.toThrow(/one of 2 records of orders\[3\]@1 to 2.*check/);
      expect(await database.query('SELECT * FROM orders')).toEqual([]);
    });
  });
  test('a record without a key is refused', async () => {
    await withSchema(host!, async (database) => {
      await expect(written(database, { table: 'orders' }, record(null, 1))).rejects.toThrow(/has no key.*rekey/);
    });
  });
  test('a missing table, a missing column and a key that is not unique are named with the statement that mends it', async () => {
    await withSchema(host!, async (database) => {
      const value = { cents: () => 1 };
      await expect(written(database, { table: 'orders', value })).rejects.toThrow(
        'CREATE TABLE "orders" ("key" text NOT NULL, "cents" …, stoplog_partition text, stoplog_offset bigint, stoplog_index integer, PRIMARY KEY ("key"))',
      );
      await database.query('CREATE TABLE orders (key text)');
      await expect(written(database, { table: 'orders', value })).rejects.toThrow('ALTER TABLE "orders" ADD COLUMN "cents" …');
      await database.query('ALTER TABLE orders ADD COLUMN cents int');
      await expect(written(database, { table: 'orders', value })).rejects.toThrow('ALTER TABLE "orders" ADD UNIQUE ("key")');
      expect(await database.query(`SELECT attname FROM pg_attribute WHERE attrelid = 'orders'::regclass AND attnum > 0`)).toHaveLength(2);
    });
  });
});

describe.skipIf(host === undefined)('a connection', () => {
  test('a connection that the server ends between two batches fails the next write, and a new incarnation goes on', async () => {
    await withSchema(host!, async ({ connection, query }) => {
      const sink = postgresSink('rows', { connection, table: 'orders' });
      const first = await sink.open(START);
      await first.write({ position: 1n, records: [record('a', 1)] }, never);
      await query(`SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = 'stoplog rows'`);
      await expect(first.write({ position: 2n, records: [record('a', 2, 1n)] }, never)).rejects.toThrow();
      await first[Symbol.asyncDispose]();
      await using next = await sink.open(START);
      expect(await next.recover()).toBe(1n);
      await next.write({ position: 2n, records: [record('a', 2, 1n)] }, never);
      expect(await query('SELECT value FROM orders')).toEqual([{ value: 2 }]);
    });
  });
  test('a write that waits for a lock ends when its signal is aborted, and the server rolls it back', async () => {
    await withSchema(host!, async ({ connection, query }) => {
      await using writer = await postgresSink('rows', { connection, table: 'orders' }).open(START);
      await writer.write({ position: 1n, records: [record('a', 1)] }, never);
      await query('BEGIN');
      await query('SELECT * FROM orders FOR UPDATE');
      const ending = new AbortController();
      const write = writer.write({ position: 2n, records: [record('a', 2, 1n)] }, ending.signal);
      // The server's view of other backends is as of the first look in a transaction, so it is looked at anew.
      for (;;) {
        const [waits] = await query<{ readonly count: string }>(`SELECT count(*) FROM pg_locks WHERE NOT granted`);
        if (waits!.count !== '0') break;
      }
      ending.abort();
      await expect(write).rejects.toThrow();
      await query('COMMIT');
      await using next = await postgresSink('rows', { connection, table: 'orders' }).open({ ...START, epoch: 2 });
      expect(await next.recover()).toBe(1n);
      expect(await query('SELECT value FROM orders')).toEqual([{ value: 1 }]);
    });
  });
});

test('an unknown setting and a connection of a wrong type are refused when the sink is declared', () => {
  const declare = (spec: object) => (): unknown => postgresSink('rows', spec as PostgresSink<string, string>);
  expect(declare({ table: 't', url: 'postgres://' })).toThrow(/knows no setting 'url'/);
  expect(declare({ table: 't', connection: 5 })).toThrow(/of type number: give 'postgres:/);
  expect(declare({ table: 5 })).toThrow(/give the name of a table/);
});
