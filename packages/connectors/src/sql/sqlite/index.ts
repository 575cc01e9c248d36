/** `@stoplog/connectors/sqlite`: a table of a SQLite file as a sink, and an outbox in a SQLite file as a source. */
export { sqliteOutbox, type SqliteOutbox } from './sqlite-outbox.ts';
export { sqliteSink, type SqliteSink } from './sqlite-sink.ts';
export type { Outbox, OutboxRow } from '../outbox/outbox.ts';
export type { KeyColumns, ValueColumns } from '../pure/table.ts';
