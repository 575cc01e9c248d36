/** The SQLite sink keeps every promise of a sink, in a real file. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sinkContract, type SinkUnderTest, type SinkValue } from '@stoplog/core/testing/contract';
import { describe } from 'vitest';
import { missingSqlite } from './fixtures/available.ts';
import { execute, rowsIn } from './fixtures/rows.ts';
import { sqliteSink } from './index.ts';

type Settings = Partial<Parameters<typeof sqliteSink<string, SinkValue>>[1]>;

const openOn = (settings: Settings, value: string) => async (): Promise<SinkUnderTest> => {
  const folder = mkdtempSync(join(tmpdir(), 'stoplog-sqlite-'));
  const path = join(folder, 'target.db');
  const sink = sqliteSink<string, SinkValue>('rows', { path, table: 'letters', ...settings });
  const tables = (): readonly unknown[] => rowsIn(path, `SELECT 1 FROM sqlite_schema WHERE name = 'letters'`);
  return {
    open: sink.open,
    read: async () =>
      new Map(
        tables().length === 0
          ? []
          : rowsIn<{ readonly key: string; readonly text: string }>(path, `SELECT key, ${value} AS text FROM letters`).map(({ key, text }) => [key, { text }]),
      ),
    // The records of a write reach the table before its position is moved.
    crash: async () => {
      execute(path, `CREATE TRIGGER crash BEFORE UPDATE OF position ON stoplog_positions BEGIN SELECT RAISE(FAIL, 'the disk is gone'); END`);
      return async () => execute(path, 'DROP TRIGGER crash');
    },
    dispose: async () => rmSync(folder, { recursive: true }),
  };
};

// Without better-sqlite3 the reason is printed (fixtures/available.ts).
describe.skipIf(missingSqlite !== undefined)('SQLite', () => {
  sinkContract('a table with a JSON column', openOn({}, `json_extract(value, '$.text')`));
  sinkContract('a table with columns', openOn({ value: { text: ({ text }) => text, length: ({ text }) => text.length } }, 'text'));
});
