/**
 * A table that a sink keeps the latest value of each key in: its key columns, its value columns, and three columns with the version of the
 * record that the row was made from.
 *
 * By default a key is one column, `key`, and a value is one column of JSON, `value`. A declaration with functions spreads either over
 * columns of its own.
 */
import { StoplogError } from '@stoplog/core';
import { checkName } from '@stoplog/core/kit';
import type { SinkRecord } from '@stoplog/core/port';

/** Columns by name, each with the function that gives its value. */
export type KeyColumns<K> = Readonly<Record<string, (key: K) => unknown>>;
export type ValueColumns<V> = Readonly<Record<string, (value: V, record: SinkRecord) => unknown>>;
export interface TableSpec<K, V> {
  /** The table's name. */
  readonly table: string;
  /** The column of the key ('key' by default), or the columns that it is spread over. Together they are the primary key. */
  readonly key?: string | KeyColumns<K>;
  /** The column of the value as JSON ('value' by default), or the columns that it is spread over. */
  readonly value?: string | ValueColumns<V>;
}

export interface Column {
  readonly name: string;
  readonly of: (from: unknown, record: SinkRecord) => unknown;
}
export interface Table {
  /** The name of the sink. */
  readonly sink: string;
  readonly name: string;
  readonly key: readonly Column[];
  readonly value: readonly Column[];
  /** True where the value is one column of JSON. */
  readonly isJson: boolean;
}

/** The columns with a row's version: the topic partition, the offset and the index of its record. */
export const VERSION: readonly string[] = ['stoplog_partition', 'stoplog_offset', 'stoplog_index'];

export const tableOf = <K, V>(sink: string, { table, key = 'key', value = 'value' }: TableSpec<K, V>): Table => {
  checkName('sink', sink);
  const bad = (setting: string, found: unknown, remedy: string): StoplogError =>
    new StoplogError('STOPLOG_USAGE', { sink, setting }, `the ${setting} of sink '${sink}' is ${shown(found)}: ${remedy}`);
  const isName = (name: unknown): name is string => typeof name === 'string' && name !== '' && !name.includes('\0');
  if (!isName(table)) throw bad('table', table, 'give the name of a table');
  const columns = (setting: string, given: unknown, single: Column['of']): readonly Column[] => {
    if (isName(given)) return [{ name: given, of: single }];
    if (typeof given !== 'object' || given === null || Object.keys(given).length === 0)
      throw bad(
        setting,
        given,
        `give the name of a column, or columns with a function each: { ${setting === 'key' ? 'id: (key) => key.id' : 'cents: (value) => value.cents'} }`,
      );
    return Object.entries(given).map(([name, of]: [string, unknown]) => {
      if (!isName(name) || typeof of !== 'function') throw bad(setting, given, `give each column a function, as in { ${name || 'id'}: (${setting}) => … }`);
      // The declared types of a sink are the types that its pipeline writes.
      return { name, of: of as Column['of'] };
    });
  };
  const declared: Table = {
    sink,
    name: table,
    key: columns('key', key, (from) => from),
    value: columns('value', value, (from) => from),
    isJson: typeof value === 'string',
  };
  const names = [...declared.key, ...declared.value].map(({ name }) => name);
  const twice = names.find((name, i) => names.indexOf(name) !== i || VERSION.includes(name));
  if (twice !== undefined)
    throw new StoplogError(
      'STOPLOG_USAGE',
      { sink, column: twice },
      `sink '${sink}' has column '${twice}' twice, or it is the sink's own (${VERSION.join(', ')}): give each column a name of its own`,
    );
  return declared;
};

const shown = (value: unknown): string => (typeof value === 'string' ? JSON.stringify(value) : value === null ? 'null' : `of type ${typeof value}`);
