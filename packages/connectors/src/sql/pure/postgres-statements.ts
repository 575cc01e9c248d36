/**
 * The SQL of the PostgreSQL sink. The rows of a batch cross as one JSON array, whatever their number; PostgreSQL reads each column by the type
 * that the table gives it.
 *
 * A version is a partition, an offset and an index. An upsert and a deletion look at the version that is there: one of another partition
 * is replaced, one of the same partition only by a newer version. `stoplog_deleted` has the versions of tombstones.
 */
import { VERSION, type Table } from './table.ts';

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
/** A name may have a schema: `sales.orders`. */
export const quotedTable = ({ name }: Pick<Table, 'name'>): string => name.split('.').map(quoted).join('.');
const names = (columns: readonly { readonly name: string }[]): readonly string[] => columns.map(({ name }) => name);
const list = (columns: readonly string[]): string => columns.map(quoted).join(', ');

/** The sink's own tables, made one after the other where one is missing. */
export const OWN_TABLES: Readonly<Record<string, string>> = {
  stoplog_positions: `CREATE TABLE IF NOT EXISTS stoplog_positions (
    group_name text NOT NULL, sink text NOT NULL, topic text NOT NULL, partition integer NOT NULL,
    epoch bigint NOT NULL, position bigint,
    PRIMARY KEY (group_name, sink, topic, partition))`,
  stoplog_deleted: `CREATE TABLE IF NOT EXISTS stoplog_deleted (
    table_name text NOT NULL, key text NOT NULL,
    stoplog_partition text NOT NULL, stoplog_offset bigint NOT NULL, stoplog_index integer NOT NULL, deleted_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (table_name, key))`,
};
const VERSION_TYPES = ['text', 'bigint', 'integer'] as const;
/** The lock of a transaction that makes tables: two that make the same table at the same time would fail. */
export const LOCK_SCHEMA = `SELECT pg_advisory_xact_lock(hashtext('stoplog'))`;
export const HAS_TABLE = 'SELECT to_regclass($1) IS NOT NULL AS there';
export const COLUMNS_OF = 'SELECT attname AS name FROM pg_attribute WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped';

/** Only a table with a JSON column can be made: the types of other columns are not known. */
export const createTable = (table: Table): string => {
  const columns = [
    ...names(table.key).map((column) => `${quoted(column)} text NOT NULL`),
    ...names(table.value).map((column) => `${quoted(column)} ${table.isJson ? 'jsonb' : '…'}`),
    ...VERSION.map((column, i) => `${column} ${VERSION_TYPES[i]}`),
  ];
  return `CREATE TABLE ${quotedTable(table)} (${columns.join(', ')}, PRIMARY KEY (${list(names(table.key))}))`;
};
export const addVersion = (table: Table): string =>
  `ALTER TABLE ${quotedTable(table)} ${VERSION.map((column, i) => `ADD COLUMN IF NOT EXISTS ${column} ${VERSION_TYPES[i]}`).join(', ')}`;
export const addColumns = (table: Table, columns: readonly string[]): string =>
  `ALTER TABLE ${quotedTable(table)} ${columns.map((column) => `ADD COLUMN ${quoted(column)} …`).join(', ')}`;
export const addKey = (table: Table): string => `ALTER TABLE ${quotedTable(table)} ADD UNIQUE (${list(names(table.key))})`;

const OF_OWNER = 'group_name = $1 AND sink = $2 AND topic = $3 AND partition = $4';
/** Makes this owner the newest; returns no row where a newer one was here. */
export const CLAIM: string = `
  INSERT INTO stoplog_positions AS there (group_name, sink, topic, partition, epoch) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (group_name, sink, topic, partition) DO UPDATE SET epoch = excluded.epoch WHERE there.epoch <= excluded.epoch
  RETURNING epoch`;
export const READ_OWNER: string = `SELECT epoch, position FROM stoplog_positions WHERE ${OF_OWNER}`;
/** Waits for a transaction of another owner of this row. A server that does not flush commits is told to flush this one: the log goes on from it. */
export const LOCK_OWNER: string = `
  SELECT epoch, position,
    CASE WHEN current_setting('synchronous_commit') = 'off' THEN set_config('synchronous_commit', 'on', true) END AS flushed
  FROM stoplog_positions WHERE ${OF_OWNER} FOR UPDATE`;
export const MOVE: string = `UPDATE stoplog_positions SET position = $5 WHERE ${OF_OWNER}`;

const isNewer = (there: string, than: string): string =>
  `(${there}.stoplog_partition IS DISTINCT FROM ${than}.stoplog_partition OR (${there}.stoplog_offset, ${there}.stoplog_index) < (${than}.stoplog_offset, ${than}.stoplog_index))`;
/** $1: the rows as JSON, $2: the table's name. Each row has its columns, and its id as `stoplog_key`. */
const given = (table: Table, columns: readonly string[]): string =>
  `given AS (SELECT ${columns.map((column) => `r.${quoted(column)}`).join(', ')}, one ->> 'stoplog_key' AS stoplog_key
    FROM jsonb_array_elements($1::jsonb) AS one, LATERAL jsonb_populate_record(NULL::${quotedTable(table)}, one) AS r)`;

export const upsert = (table: Table): string => {
  const [keys, values] = [names(table.key), names(table.value)];
  const columns = [...keys, ...values, ...VERSION];
  const updated = [...values, ...VERSION].map((column) => `${quoted(column)} = excluded.${quoted(column)}`);
  return `
    WITH ${given(table, columns)},
    living AS (SELECT * FROM given WHERE NOT EXISTS (
      SELECT 1 FROM stoplog_deleted AS gone WHERE gone.table_name = $2 AND gone.key = given.stoplog_key AND NOT ${isNewer('gone', 'given')})),
    back AS (DELETE FROM stoplog_deleted AS gone USING living WHERE gone.table_name = $2 AND gone.key = living.stoplog_key)
    INSERT INTO ${quotedTable(table)} AS there (${list(columns)}) SELECT ${list(columns)} FROM living
    ON CONFLICT (${list(keys)}) DO UPDATE SET ${updated.join(', ')} WHERE ${isNewer('there', 'excluded')}`;
};
export const remove = (table: Table): string => {
  const keys = names(table.key);
  const same = keys.map((column) => `there.${quoted(column)} = given.${quoted(column)}`);
  return `
    WITH ${given(table, [...keys, ...VERSION])},
    removed AS (DELETE FROM ${quotedTable(table)} AS there USING given WHERE ${same.join(' AND ')} AND ${isNewer('there', 'given')})
    INSERT INTO stoplog_deleted AS there (table_name, key, stoplog_partition, stoplog_offset, stoplog_index)
    SELECT $2, stoplog_key, stoplog_partition, stoplog_offset, stoplog_index FROM given
    ON CONFLICT (table_name, key) DO UPDATE SET stoplog_partition = excluded.stoplog_partition, stoplog_offset = excluded.stoplog_offset,
      stoplog_index = excluded.stoplog_index, deleted_at = now() WHERE ${isNewer('there', 'excluded')}`;
};
