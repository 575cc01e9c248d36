/** A table of a SQLite file as a source: rows written by transactions of another program become records, each once and in order. */
import type { ByteSource } from '@stoplog/core';
import type { SourceStart } from '@stoplog/core/port';
import { checkOutbox, decoderOf, type Outbox } from '../outbox/outbox.ts';
import { checkPath } from './client.ts';
import { SqliteOutboxReader } from './sqlite-outbox-reader.ts';

export interface SqliteOutbox<K, V> extends Outbox<K, V> {
  /** The file of the database, which the program that writes the rows has made. */
  readonly path: string;
  /** The column that numbers the rows, `INTEGER PRIMARY KEY AUTOINCREMENT`; 'id' by default. */
  readonly id?: string;
}
const POLL_MS = 50;

/**
 * A source whose records are the rows of a table of a SQLite file. Needs the package better-sqlite3.
 *
 * A program inserts a row in the transaction of its own change. SQLite has one writer at a time, so the numbers of the rows grow as they are
 * committed. The reader looks at the change counter of the file every 50 ms, and reads when it has changed. The position behind the rows is
 * committed with their records: each row becomes one record, whatever dies.
 *
 * @example
 * const created = sqliteOutbox('accounts-created', {
 *   path: './app.db',
 *   table: 'outbox',
 *   key: (row) => z.string().parse(row['key']),
 *   value: (row) => Order.parse(JSON.parse(String(row['value']))),
 * });
 * const toTopic = pipeline('accounts', source(created).to(orders));
 */
export const sqliteOutbox = <K, V>(name: string, spec: SqliteOutbox<K, V>): ByteSource<K, V> => {
  checkOutbox(name, spec as SqliteOutbox<never, unknown>, { path: true, id: true });
  const { path, table, id = 'id', deletePublished = false, pollMs = POLL_MS } = spec;
  checkPath('source', name, path);
  return Object.freeze({
    kind: 'source' as const,
    name,
    open: (start: SourceStart) => SqliteOutboxReader.open({ source: name, path, table, id, deletePublished, pollMs }, start),
    decode: decoderOf(spec),
  });
};
