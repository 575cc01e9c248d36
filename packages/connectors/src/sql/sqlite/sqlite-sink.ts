/** A table of a SQLite file as a sink: the latest value of each key, exactly once in effect. */
import type { Sink } from '@stoplog/core';
import { checkSettings } from '@stoplog/core/kit';
import type { SinkStart } from '@stoplog/core/port';
import { tableOf, type KeyColumns, type ValueColumns } from '../pure/table.ts';
import { checkPath } from './client.ts';
import { SqliteWriter } from './sqlite-writer.ts';

export interface SqliteSink<K, V> {
  /** The file of the database, made where it is missing. Its folder must be there. */
  readonly path: string;
  /** The table, made where it is missing. Columns for the version of a row are added to a table that has none. */
  readonly table: string;
  /** The column of the key ('key' by default), or the columns that it is spread over. They are the table's primary key, or unique together. */
  readonly key?: string | KeyColumns<K>;
  /** The column of the value as JSON ('value' by default), or the columns that it is spread over. */
  readonly value?: string | ValueColumns<V>;
}

/**
 * A sink that keeps the latest value of each key in a table of a SQLite file; a tombstone deletes the row. Needs the package
 * better-sqlite3.
 *
 * The rows of a batch and its position are one transaction, so each record has its effect once, whatever dies. A row is replaced
 * by a newer record only. Actors of several threads write to one file one after the other.
 *
 * @example
 * const rows = sqliteSink<string, z.infer<typeof Order>>('orders-file', {
 *   path: './orders.db',
 *   table: 'orders',
 *   key: 'id',
 *   value: { customer: (order) => order.customerId, cents: (order) => order.cents },
 * });
 * const toRows = pipeline('orders-to-rows', stream(orders).to(rows));
 */
export const sqliteSink = <K, V>(name: string, spec: SqliteSink<K, V>): Sink<K, V> => {
  checkSettings(`sink '${name}'`, spec, { path: true, table: true, key: true, value: true });
  const table = tableOf(name, spec);
  const { path } = spec;
  checkPath('sink', name, path);
  return Object.freeze({ kind: 'sink' as const, name, open: (start: SinkStart) => SqliteWriter.open(path, table, start) });
};
