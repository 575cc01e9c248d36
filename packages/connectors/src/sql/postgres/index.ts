/** `@stoplog/connectors/postgres`: a table of PostgreSQL as a sink. */
export { postgresSink, type PostgresSink } from './postgres-sink.ts';
export type { KeyColumns, ValueColumns } from '../pure/table.ts';
