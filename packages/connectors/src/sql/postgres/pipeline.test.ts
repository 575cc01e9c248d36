/** Pipelines that write to PostgreSQL: killed again and again, and beside a server that goes away. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lmdb } from '@stoplog/core/lmdb';
import { run, type App, type Status } from '@stoplog/runtime';
import { filter, firstValueFrom } from 'rxjs';
import { describe, expect, inject, test, vi } from 'vitest';
import { finish, killRepeatedly, RECORDS } from '../fixtures/kills.ts';
import { numbers } from '../fixtures/numbers.mjs';
import { openSchema, withSchema } from './fixtures/database.ts';
import { makeServer } from './fixtures/server.ts';

const host = inject('postgres');
const PIPELINE = new URL('./fixtures/numbers-to-postgres.mjs', import.meta.url);
/** Each change of a row is a row of `changes`. */
const TABLES = `
  CREATE TABLE numbers (key int PRIMARY KEY, n int);
  CREATE TABLE changes (key int);
  CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO changes VALUES (NEW.key); RETURN NULL; END $$;
  CREATE TRIGGER changed AFTER INSERT OR UPDATE ON numbers FOR EACH ROW EXECUTE FUNCTION note();`;
const all = (count: number): readonly { readonly key: number }[] => Array.from({ length: count }, (_, key) => ({ key }));
const withData = async (target: object, body: (data: string) => Promise<void>): Promise<void> => {
  const data = mkdtempSync(join(tmpdir(), 'stoplog-postgres-'));
  vi.stubEnv('TARGET', JSON.stringify(target));
  try {
    await body(data);
  } finally {
    vi.unstubAllEnvs();
    rmSync(data, { recursive: true, force: true });
  }
};
const reported = (app: App, what: (status: Status) => boolean): Promise<Status> => firstValueFrom(app.status.pipe(filter(what)));
const append = (app: App, from: number, to: number): Promise<unknown> =>
  app.log.append(
    numbers,
    all(to)
      .slice(from)
      .map(({ key }) => ({ key, value: key })),
  );

// Without a server the reason is printed when the run begins (fixtures/setup.ts).
describe.skipIf(host === undefined)('a pipeline that writes to PostgreSQL', () => {
  test('a pipeline that is killed repeatedly has the effect of each record once', async () => {
    await withSchema(host!, async ({ connection, query }) => {
      await query(TABLES);
      await withData(connection, async (data) => {
        const changes = async (): Promise<number> => Number((await query<{ readonly n: string }>('SELECT count(*) AS n FROM changes'))[0]!.n);
        console.log('postgres:', await killRepeatedly({ data, pipeline: PIPELINE, env: { TARGET: JSON.stringify(connection) }, changes }));
        await finish(data, PIPELINE);
        expect(await query('SELECT key FROM numbers WHERE n = key ORDER BY key')).toEqual(all(RECORDS));
        expect(await query('SELECT key FROM changes ORDER BY key')).toEqual(all(RECORDS));
      });
    });
  });

  test('a server that goes away, and comes back: its partitions wait, as the status says, and no record is lost or has its effect twice', async () => {
    const server = await makeServer();
    try {
      const before = await openSchema(server.host);
      await before.query(TABLES);
      const name = before.connection.options;
      await withData(before.connection, async (data) => {
        await using app = await run(PIPELINE, { log: lmdb(data), threads: 2, logger: 'none' });
        await append(app, 0, 500);
        await app.settled();
        expect((await reported(app, () => true)).retrying).toEqual([]);
        await server.stop();
        await append(app, 500, 1_000);
        const { state, retrying, failed, lag } = await reported(app, (status) => status.retrying.length === 2);
        expect([state, failed, lag]).toEqual(['running', [], 500]);
        expect(retrying).toMatchObject([0, 1].map(() => ({ task: 0, error: { code: 'STOPLOG_SINK' }, failures: expect.any(Number) })));
        await server.start();
        await app.settled();
        expect((await reported(app, (status) => status.retrying.length === 0)).state).toBe('running');
      });
      const after = await openSchema(server.host);
      const schema = name.split('=')[1]!;
      expect(await after.query(`SELECT key FROM ${schema}.numbers WHERE n = key ORDER BY key`)).toEqual(all(1_000));
      expect(await after.query(`SELECT key FROM ${schema}.changes ORDER BY key`)).toEqual(all(1_000));
      await after.close();
    } finally {
      await server.dispose();
    }
  });

  test('a pipeline that begins without a server runs, and writes when there is one', async () => {
    const server = await makeServer();
    try {
      const { connection, query } = await openSchema(server.host);
      await query(TABLES);
      await server.stop();
      await withData(connection, async (data) => {
        await using app = await run(PIPELINE, { log: lmdb(data), threads: 2, logger: 'none' });
        await append(app, 0, 100);
        await reported(app, (status) => status.retrying.length === 2);
        await server.start();
        await app.settled();
      });
      const after = await openSchema(server.host);
      expect(await after.query(`SELECT count(*) FROM ${connection.options.split('=')[1]!}.changes`)).toEqual([{ count: '100' }]);
      await after.close();
    } finally {
      await server.dispose();
    }
  });
});
