/** `@stoplog/connectors/postgres`: a table of PostgreSQL as a sink, and an outbox in PostgreSQL as a source. */
export { postgresOutbox, type PostgresOutbox } from './postgres-outbox.ts';
export { postgresOutboxTable } from '../pure/postgres-outbox-statements.ts';
export { postgresSink, type PostgresSink } from './postgres-sink.ts';
export type { Outbox, OutboxRow } from '../outbox/outbox.ts';
export type { KeyColumns, ValueColumns } from '../pure/table.ts';
