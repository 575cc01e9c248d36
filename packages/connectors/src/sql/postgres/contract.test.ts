/** The PostgreSQL sink keeps every promise of a sink, on a real server. */
import { sinkContract, type SinkUnderTest, type SinkValue } from '@stoplog/core/testing/contract';
import { describe, inject } from 'vitest';
import { openSchema } from './fixtures/database.ts';
import { postgresSink } from './index.ts';

const host = inject('postgres');
type Settings = Partial<Parameters<typeof postgresSink<string, SinkValue>>[1]>;

const CRASH = `
  CREATE FUNCTION crash() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'the disk is gone'; END $$;
  CREATE TRIGGER crash BEFORE UPDATE OF position ON stoplog_positions FOR EACH ROW EXECUTE FUNCTION crash();`;

const openOn = (create: string | undefined, settings: Settings, text: string) => async (): Promise<SinkUnderTest> => {
  const { connection, query, close } = await openSchema(host!);
  if (create !== undefined) await query(create);
  const sink = postgresSink<string, SinkValue>('rows', { connection, table: 'letters', ...settings });
  return {
    open: sink.open,
    read: async () => {
      const [found] = await query<{ readonly there: boolean }>(`SELECT to_regclass('letters') IS NOT NULL AS there`);
      const rows = found!.there ? await query<{ readonly key: string; readonly text: string }>(`SELECT key, ${text} AS text FROM letters`) : [];
      return new Map(rows.map((row) => [row.key, { text: row.text }]));
    },
    crash: async () => {
      await query(CRASH);
      return async () => void (await query('DROP FUNCTION crash CASCADE'));
    },
    dispose: close,
  };
};

// Without a server the reason is printed when the run begins (fixtures/setup.ts).
describe.skipIf(host === undefined)('PostgreSQL', () => {
  sinkContract('a table with a JSON column', openOn(undefined, {}, `value ->> 'text'`));
  sinkContract(
    'a table with columns',
    openOn(
      'CREATE TABLE letters (key varchar(40) PRIMARY KEY, text text, length bigint)',
      { value: { text: ({ text }) => text, length: ({ text }) => BigInt(text.length) } },
      'text',
    ),
  );
});
