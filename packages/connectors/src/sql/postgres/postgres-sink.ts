/** A table of PostgreSQL as a sink: the latest value of each key, exactly once in effect. */
import type { Sink } from '@stoplog/core';
import { checkSettings } from '@stoplog/core/kit';
import type { SinkStart } from '@stoplog/core/port';
import { tableOf, type KeyColumns, type ValueColumns } from '../pure/table.ts';
import { checkConnection } from './client.ts';
import { PostgresWriter } from './postgres-writer.ts';

export interface PostgresSink<K, V> {
  /** `postgres://user@host:port/database`, or settings of the package pg. By default pg's own: PGHOST, PGDATABASE and the other variables of libpq. */
  readonly connection?: string | object | undefined;
  /** The table, `orders` or `sales.orders`. One with a JSON column is made where it is missing; columns for the version of a row are added to a table that has none. */
  readonly table: string;
  /** The column of the key ('key' by default), or the columns that it is spread over. They are the table's primary key, or unique together. */
  readonly key?: string | KeyColumns<K>;
  /** The column of the value as JSON ('value' by default), or the columns that it is spread over. */
  readonly value?: string | ValueColumns<V>;
}

/**
 * A sink that keeps the latest value of each key in a table of PostgreSQL; a tombstone deletes the row. Needs the package pg.
 *
 * The rows of a batch and its position are one transaction, so each record has its effect once, whatever dies. A row is replaced
 * by a newer record only. Each partition has a connection of its own.
 *
 * @example
 * const rows = postgresSink<string, z.infer<typeof Order>>('orders-table', {
 *   connection: process.env['DATABASE_URL'],
 *   table: 'sales.orders',
 *   key: 'id',
 *   value: { customer: (order) => order.customerId, cents: (order) => order.cents },
 * });
 * const toRows = pipeline('orders-to-rows', stream(orders).to(rows));
 */
export const postgresSink = <K, V>(name: string, spec: PostgresSink<K, V>): Sink<K, V> => {
  checkSettings(`sink '${name}'`, spec, { connection: true, table: true, key: true, value: true });
  const { connection } = spec;
  checkConnection('sink', name, connection);
  const table = tableOf(name, spec);
  return Object.freeze({ kind: 'sink' as const, name, open: (start: SinkStart) => PostgresWriter.open(connection, table, start) });
};
