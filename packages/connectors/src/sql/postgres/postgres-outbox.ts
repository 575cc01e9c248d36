/** A table of PostgreSQL as a source: rows written by transactions of another program become records, each once and in order. */
import type { ByteSource } from '@stoplog/core';
import type { SourceStart } from '@stoplog/core/port';
import { checkOutbox, decoderOf, type Outbox } from '../outbox/outbox.ts';
import { checkConnection } from './client.ts';
import { PostgresOutboxReader } from './postgres-outbox-reader.ts';

export interface PostgresOutbox<K, V> extends Outbox<K, V> {
  /** `postgres://user@host:port/database`, or settings of the package pg. By default pg's own: PGHOST, PGDATABASE and the other variables of libpq. */
  readonly connection?: string | object | undefined;
}
const POLL_MS = 1_000;

/**
 * A source whose records are the rows of a table of PostgreSQL. Needs the package pg, and a table as `postgresOutboxTable` makes it.
 *
 * A program inserts a row in the transaction of its own change. A row may be committed long after rows with higher ids, so the reader gives each
 * row its position when the row is committed, and reads by that. It listens for commits, and looks every second besides. The position behind the
 * rows is committed with their records: each row becomes one record, whatever dies.
 *
 * @example
 * const created = postgresOutbox('accounts-created', {
 *   connection: process.env['DATABASE_URL'],
 *   table: 'outbox',
 *   key: (row) => z.string().parse(row['key']),
 *   value: (row) => Order.parse(row['value']),
 * });
 * const toTopic = pipeline('accounts', source(created).to(orders));
 */
export const postgresOutbox = <K, V>(name: string, spec: PostgresOutbox<K, V>): ByteSource<K, V> => {
  checkOutbox(name, spec as PostgresOutbox<never, unknown>, { connection: true });
  const { connection, table, deletePublished = false, pollMs = POLL_MS } = spec;
  checkConnection('source', name, connection);
  return Object.freeze({
    kind: 'source' as const,
    name,
    open: (start: SourceStart) => PostgresOutboxReader.open({ source: name, connection, table, deletePublished, pollMs }, start),
    decode: decoderOf(spec),
  });
};
