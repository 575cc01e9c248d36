/** `@stoplog/connectors/sqlite`: a table of a SQLite file as a sink. */
export { sqliteSink, type SqliteSink } from './sqlite-sink.ts';
export type { KeyColumns, ValueColumns } from '../pure/table.ts';
