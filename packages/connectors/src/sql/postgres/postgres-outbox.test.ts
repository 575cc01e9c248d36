/** The outbox of PostgreSQL on a real server: late commits, order, notices, refusals, deletion, and a pipeline that is killed. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RawArrival, SourceReader } from '@stoplog/core/port';
import pg from 'pg';
import { describe, expect, inject, test, vi } from 'vitest';
import { killWhilePublishing, publishAll } from '../fixtures/published.ts';
import { withSchema, type Database } from './fixtures/database.ts';
import { postgresOutbox, postgresOutboxTable, type PostgresOutbox } from './index.ts';

const host = inject('postgres');
const never = new AbortController().signal;
const LIMIT = { records: 100, bytes: 1_000_000 };
/** A reader that no look wakes: only a notice does. */
const SELDOM = 600_000;

const declared = ({ connection }: Database, over: Partial<PostgresOutbox<string, unknown>> = {}): ReturnType<typeof postgresOutbox<string, unknown>> =>
  postgresOutbox('outbox', { connection, table: 'outbox', key: (row) => String(row['key']), value: (row) => row['value'], pollMs: SELDOM, ...over });
type Reader = SourceReader<RawArrival>;
const opened = (database: Database, over: Partial<PostgresOutbox<string, unknown>> = {}, position: bigint = 0n): Promise<Reader> =>
  declared(database, over).open({ group: 'g', partition: 0, position });
const withOutbox = (body: (database: Database) => Promise<void>): Promise<void> =>
  withSchema(host!, async (database) => {
    await database.query(postgresOutboxTable('outbox'));
    await body(database);
  });
const withSession = async (database: Database, body: (session: pg.Client) => Promise<void>): Promise<void> => {
  const session = new pg.Client(database.connection);
  await session.connect();
  try {
    await body(session);
  } finally {
    await session.end();
  }
};
const insert = (by: { query(sql: string, values: unknown[]): Promise<unknown> }, key: string, value: unknown): Promise<unknown> =>
  by.query('INSERT INTO outbox (key, value) VALUES ($1, $2)', [key, JSON.stringify(value)]);
const keysIn = (database: Database, arrivals: readonly RawArrival[]): readonly unknown[] => arrivals.map((raw) => declared(database).decode(raw).key);

// Without a server the reason is printed when the run begins (fixtures/setup.ts).
describe.skipIf(host === undefined)('an outbox of PostgreSQL', () => {
  test('a row that is committed after rows with higher ids is published, once', async () => {
    await withOutbox(async (database) => {
      await using reader = await opened(database);
      await withSession(database, async (late) => {
        await late.query('BEGIN');
        await insert(late, 'late', 1);
        await insert(database, 'early', 2);
        const first = await reader.pull(LIMIT, never);
        expect(keysIn(database, first.arrivals)).toEqual(['early']);
        await insert(database, 'between', 3);
        expect(keysIn(database, (await reader.pull(LIMIT, never)).arrivals)).toEqual(['between']);
        await late.query('COMMIT');
        const last = await reader.pull(LIMIT, never);
        expect(keysIn(database, last.arrivals)).toEqual(['late']);
        expect([first.position, last.position]).toEqual([2n, 4n]);
      });
    });
  });
  test('a transaction that waited for another one comes after it, though it began before', async () => {
    await withOutbox(async (database) => {
      await database.query('CREATE TABLE account (id text PRIMARY KEY, changes int NOT NULL)');
      await database.query(`INSERT INTO account VALUES ('a', 0)`);
      const change =
        'WITH c AS (UPDATE account SET changes = changes + 1 RETURNING changes) INSERT INTO outbox (key, value) SELECT $1, to_jsonb(changes) FROM c';
      await withSession(database, async (first) =>
        withSession(database, async (second) => {
          // The second one has the lower transaction id.
          await second.query('BEGIN; SELECT pg_current_xact_id()');
          await first.query('BEGIN');
          await first.query(change, ['first']);
          const waiting = second.query(change, ['second']);
          await first.query('COMMIT');
          await waiting;
          await second.query('COMMIT');
        }),
      );
      await using reader = await opened(database);
      expect(keysIn(database, (await reader.pull(LIMIT, never)).arrivals)).toEqual(['first', 'second']);
    });
  });
  test('an old transaction elsewhere in the database holds nothing up', async () => {
    await withOutbox(async (database) => {
      await database.query('CREATE TABLE other (n int)');
      await withSession(database, async (old) => {
        await old.query('BEGIN; INSERT INTO other VALUES (1)');
        await insert(database, 'a', 1);
        await using reader = await opened(database);
        expect(keysIn(database, (await reader.pull(LIMIT, never)).arrivals)).toEqual(['a']);
        await old.query('ROLLBACK');
      });
    });
  });
  test('a committed insert wakes a reader that waits, and a rolled back one shows nothing', async () => {
    await withOutbox(async (database) => {
      await using reader = await opened(database);
      const pull = reader.pull(LIMIT, never);
      await withSession(database, async (session) => {
        await session.query('BEGIN');
        await insert(session, 'gone', 1);
        await session.query('ROLLBACK');
        await insert(session, 'here', 2);
      });
      expect(keysIn(database, (await pull).arrivals)).toEqual(['here']);
    });
  });
  test('without the trigger, rows are found by looking', async () => {
    await withOutbox(async (database) => {
      await database.query('DROP TRIGGER outbox_inserted ON outbox');
      await using reader = await opened(database, { pollMs: 5 });
      const pull = reader.pull(LIMIT, never);
      await insert(database, 'seen', 1);
      expect(keysIn(database, (await pull).arrivals)).toEqual(['seen']);
    });
  });
  test('columns keep their types, and the committed position is where the next reader begins', async () => {
    await withOutbox(async (database) => {
      await database.query('ALTER TABLE outbox ADD COLUMN at timestamptz, ADD COLUMN raw bytea');
      await database.query(
        `INSERT INTO outbox (key, value, at, raw) VALUES ('a', '{"cents": [5]}', to_timestamp(7), '\\x00ff'), ('b', '1', to_timestamp(8), null)`,
      );
      const over = {
        value: ({ value, raw }: Readonly<Record<string, unknown>>) => [value, raw],
        timestamp: (row: Readonly<Record<string, unknown>>) => row['at'] as Date,
      };
      const source = declared(database, over);
      await using reader = await opened(database, over);
      const { arrivals, position } = await reader.pull({ ...LIMIT, records: 1 }, never);
      expect(arrivals.map((raw) => source.decode(raw))).toMatchObject([{ key: 'a', value: [{ cents: [5] }, Buffer.from([0, 255])], timestamp: 7_000 }]);
      await using next = await opened(database, over, position);
      expect((await next.pull(LIMIT, never)).arrivals.map((raw) => source.decode(raw))).toMatchObject([{ key: 'b', timestamp: 8_000 }]);
    });
  });
  test('pulls of large rows are kept small', async () => {
    await withOutbox(async (database) => {
      await database.query(`INSERT INTO outbox (key, value) SELECT n::text, to_jsonb(repeat('x', 1000)) FROM generate_series(1, 250) AS n`);
      await using reader = await opened(database);
      const sizes: number[] = [];
      for (let rows = 0; rows < 250;) {
        const { arrivals } = await reader.pull({ records: 4_096, bytes: 50_000 }, never);
        sizes.push(arrivals.length);
        rows += arrivals.length;
      }
      expect(sizes[0]).toBe(100);
      for (const size of sizes.slice(1)) expect(size).toBeLessThan(50);
    });
  });
  test('rows are deleted when their records are durable', async () => {
    await withOutbox(async (database) => {
      await database.query(`INSERT INTO outbox (key, value) SELECT n::text, '0' FROM generate_series(1, 3) AS n`);
      const left = async (): Promise<number> => (await database.query('SELECT id FROM outbox')).length;
      await using reader = await opened(database, { deletePublished: true });
      const { position } = await reader.pull({ ...LIMIT, records: 2 }, never);
      expect(await left()).toBe(3);
      await reader.acknowledge([], position!);
      expect(await left()).toBe(1);
      expect((await reader.pull(LIMIT, never)).position).toBe(4n);
      // What the reader before could not delete is deleted when the next one is opened.
      await using next = await opened(database, { deletePublished: true }, 4n);
      expect(await left()).toBe(0);
      const pull = next.pull(LIMIT, never);
      await insert(database, 'new', 1);
      expect((await pull).position).toBe(5n);
    });
  });
  test('two readers at a time number each row once, and both read all rows in one order', async () => {
    await withOutbox(async (database) => {
      await using one = await opened(database, { pollMs: 5 });
      await using two = await opened(database, { pollMs: 5 });
      const keys = Array.from({ length: 60 }, (_, n) => String(n));
      const take = async (reader: Reader): Promise<readonly unknown[]> => {
        const seen: unknown[] = [];
        while (seen.length < keys.length) seen.push(...keysIn(database, (await reader.pull({ ...LIMIT, records: 7 }, never)).arrivals));
        return seen;
      };
      const taken = Promise.all([take(one), take(two)]);
      for (const key of keys) await insert(database, key, 0);
      expect(await taken).toEqual([keys, keys]);
    });
  });
  test('an abort ends a pull that waits, and a lost connection rejects it', async () => {
    await withOutbox(async (database) => {
      await using reader = await opened(database);
      const stop = new AbortController();
      const pull = reader.pull(LIMIT, stop.signal);
      stop.abort();
      expect(await pull).toEqual({ arrivals: [], ended: false });
      const lost = reader.pull(LIMIT, never);
      lost.catch(() => {});
      await database.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'stoplog outbox'`);
      await expect(lost).rejects.toMatchObject({ code: 'STOPLOG_SOURCE', facts: { source: 'outbox', outage: true } });
    });
  });
});

describe.skipIf(host === undefined)('a refusal of the outbox of PostgreSQL', () => {
  test.each([
    ['SELECT', /there is no table 'outbox'. These statements make one:\nCREATE TABLE "outbox"/],
    ['CREATE TABLE outbox (id int)', /table 'outbox' is no outbox \(column "position" of relation "outbox" does not exist\)/],
    ['CREATE TABLE outbox (id int, position bigint)', /its column 'position' owns no sequence/],
  ])('a table that is no outbox is named with the statements that make one: %s', async (sql, message) => {
    await withSchema(host!, async (database) => {
      await database.query(sql);
      await expect(opened(database)).rejects.toMatchObject({ code: 'STOPLOG_SOURCE', message: expect.stringMatching(message) });
    });
  });
  test('a server that is not there is an outage, a role that is unknown is not', async () => {
    await withOutbox(async (database) => {
      const unreachable = { ...database.connection, host: join(tmpdir(), 'no-such-socket') };
      await expect(opened(database, { connection: unreachable })).rejects.toMatchObject({ code: 'STOPLOG_SOURCE', facts: { outage: true } });
      const unknown = await opened(database, { connection: { ...database.connection, user: 'nobody' } }).catch((error: unknown) => error);
      expect(unknown).toMatchObject({ code: 'STOPLOG_SOURCE', message: expect.stringContaining('role "nobody" does not exist') });
      expect(unknown).not.toHaveProperty('facts.outage');
    });
  });
  test('a database that was restored is refused, in place of passing over its new rows', async () => {
    await withOutbox(async (database) => {
      await expect(opened(database, {}, 9n)).rejects.toMatchObject({ code: 'STOPLOG_SOURCE', facts: { source: 'outbox', position: 9n, last: 0n } });
    });
  });
});
test('the table of an outbox may be in a schema, and a wrong connection is refused', () => {
  expect(postgresOutboxTable('sales.outbox')).toContain('CREATE SEQUENCE "sales"."outbox_position" OWNED BY "sales"."outbox".position;');
  expect(postgresOutboxTable('sales.outbox')).toContain('CREATE INDEX "outbox_waiting" ON "sales"."outbox" (id)');
  expect(() => postgresOutbox('outbox', { connection: 5 as never, table: 'outbox', key: () => 1, value: () => 1 })).toThrow(
    /the connection of source 'outbox' is of type number/,
  );
});

test.skipIf(host === undefined)(
  'a pipeline that is killed repeatedly publishes each row of PostgreSQL once, in the order of its key, while eight programs write',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'stoplog-outbox-'));
    await withOutbox(async (database) => {
      await database.query('CREATE TABLE account (id text PRIMARY KEY, changes int NOT NULL)');
      const keys = ['a', 'b', 'c'];
      for (const key of keys) await database.query('INSERT INTO account VALUES ($1, 0)', [key]);
      const change = `WITH c AS (UPDATE account SET changes = changes + 1 WHERE id = $1 RETURNING id, changes)
        INSERT INTO outbox (key, value) SELECT id, to_jsonb(changes - 1) FROM c`;
      let isWriting = true;
      /** Each transaction has its id before it waits for its account, and every eighth commits late. */
      const program = (number: number): Promise<void> =>
        withSession(database, async (session) => {
          for (let n = number; isWriting; n++) {
            await session.query('BEGIN; SELECT pg_current_xact_id()');
            await session.query(change, [keys[n % 3]]);
            if (n % 8 === 0) await session.query('SELECT pg_sleep(0.02)');
            await session.query('COMMIT');
          }
        });
      const pipeline = new URL('./fixtures/outbox-to-topic.mjs', import.meta.url);
      const env = { TARGET: JSON.stringify(database.connection), DELETES: 'yes' };
      for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
      const programs = Promise.all(Array.from({ length: 8 }, (_, number) => program(number)));
      try {
        const kills = await killWhilePublishing(join(folder, 'data'), pipeline, env, 2);
        isWriting = false;
        await programs;
        const [sum] = await database.query<{ readonly rows: string }>('SELECT sum(changes) AS rows FROM account');
        console.log(`postgres: ${kills.join(', ')} records of ${sum!.rows} at the kills`);
        const all = await publishAll(join(folder, 'data'), pipeline, Number(sum!.rows));
        for (const key of keys) expect(all[key]).toEqual(Array.from({ length: all[key]!.length }, (_, n) => n));
        expect(kills.every((count) => count < Number(sum!.rows))).toBe(true);
      } finally {
        isWriting = false;
        await programs;
        vi.unstubAllEnvs();
        rmSync(folder, { recursive: true });
      }
    });
  },
  180_000,
);
