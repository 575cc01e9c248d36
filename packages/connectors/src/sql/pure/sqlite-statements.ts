/**
 * The SQL of the SQLite sink.
 *
 * A version is a partition, an offset and an index. An upsert and a deletion look at the version that is there: one of another partition
 * is replaced, one of the same partition only by a newer version. `stoplog_deleted` has the versions of tombstones.
 */
import { VERSION, type Table } from './table.ts';

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const list = (names: readonly string[]): string => names.map(quoted).join(', ');
const names = (columns: readonly { readonly name: string }[]): readonly string[] => columns.map(({ name }) => name);

/** The sink's own tables. */
export const OWN_TABLES: string = `
  CREATE TABLE IF NOT EXISTS stoplog_positions (
    group_name TEXT NOT NULL, sink TEXT NOT NULL, topic TEXT NOT NULL, partition INTEGER NOT NULL,
    epoch INTEGER NOT NULL, position INTEGER,
    PRIMARY KEY (group_name, sink, topic, partition)
  );
  CREATE TABLE IF NOT EXISTS stoplog_deleted (
    table_name TEXT NOT NULL, key TEXT NOT NULL,
    stoplog_partition TEXT NOT NULL, stoplog_offset INTEGER NOT NULL, stoplog_index INTEGER NOT NULL, deleted_at TEXT NOT NULL,
    PRIMARY KEY (table_name, key)
  );`;

const VERSION_TYPES = ['TEXT', 'INTEGER', 'INTEGER'] as const;

/** Columns without a type keep each value as it is bound. */
export const createTable = ({ name, key, value }: Table): string => {
  const columns = [
    ...names(key).map((column) => `${quoted(column)} NOT NULL`),
    ...names(value).map(quoted),
    ...VERSION.map((column, i) => `${column} ${VERSION_TYPES[i]}`),
  ];
  return `CREATE TABLE ${quoted(name)} (${columns.join(', ')}, PRIMARY KEY (${list(names(key))}))`;
};
export const addVersion = ({ name }: Table, column: string): string =>
  `ALTER TABLE ${quoted(name)} ADD COLUMN ${column} ${VERSION_TYPES[VERSION.indexOf(column)]}`;

const KEY_OF_OWNER = 'group_name = ? AND sink = ? AND topic = ? AND partition = ?';
/** Makes this owner the newest; changes nothing where a newer one was here. */
export const CLAIM: string = `
  INSERT INTO stoplog_positions (group_name, sink, topic, partition, epoch) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET epoch = excluded.epoch WHERE epoch <= excluded.epoch`;
export const READ_OWNER: string = `SELECT epoch, position FROM stoplog_positions WHERE ${KEY_OF_OWNER}`;
export const MOVE: string = `UPDATE stoplog_positions SET position = ? WHERE ${KEY_OF_OWNER}`;

const isNewer = (there: string, partition: string, version: string): string =>
  `(${there}.stoplog_partition IS NOT ${partition} OR (${there}.stoplog_offset, ${there}.stoplog_index) < (${version}))`;

/** Parameters: the table's name and the key's id, then key, value and version. */
export const upsert = ({ name, key, value }: Table): string => {
  const columns = [...names(key), ...names(value), ...VERSION];
  const updated = columns.slice(key.length).map((column) => `${quoted(column)} = excluded.${quoted(column)}`);
  // The numbers of the version's parameters, for the comparison with a tombstone.
  const [partition, offset, index] = VERSION.map((_, i) => `?${2 + key.length + value.length + i + 1}`);
  return `
    INSERT INTO ${quoted(name)} (${list(columns)})
    SELECT ${columns.map((_, i) => `?${3 + i}`).join(', ')}
    WHERE NOT EXISTS (SELECT 1 FROM stoplog_deleted AS gone WHERE table_name = ?1 AND key = ?2 AND NOT ${isNewer('gone', partition!, `${offset}, ${index}`)})
    ON CONFLICT (${list(names(key))}) DO UPDATE SET ${updated.join(', ')}
    WHERE ${isNewer(quoted(name), 'excluded.stoplog_partition', 'excluded.stoplog_offset, excluded.stoplog_index')}`;
};
/** Parameters: the table's name, the key's id, and the version of the value that was written. */
export const FORGET_DELETED: string = `DELETE FROM stoplog_deleted AS gone WHERE table_name = ?1 AND key = ?2 AND ${isNewer('gone', '?3', '?4, ?5')}`;

/** Parameters: the key, then the version. */
export const remove = ({ name, key }: Table): string => {
  const n = key.length;
  const where = names(key).map((column, i) => `${quoted(column)} = ?${i + 1}`);
  return `DELETE FROM ${quoted(name)} AS there WHERE ${where.join(' AND ')} AND ${isNewer('there', `?${n + 1}`, `?${n + 2}, ?${n + 3}`)}`;
};
/** Parameters: the table's name, the key's id, and the version of the tombstone. */
export const REMEMBER_DELETED: string = `
  INSERT INTO stoplog_deleted (table_name, key, stoplog_partition, stoplog_offset, stoplog_index, deleted_at)
  VALUES (?1, ?2, ?3, ?4, ?5, datetime('now'))
  ON CONFLICT DO UPDATE SET stoplog_partition = ?3, stoplog_offset = ?4, stoplog_index = ?5, deleted_at = excluded.deleted_at
  WHERE ${isNewer('stoplog_deleted', '?3', '?4, ?5')}`;
