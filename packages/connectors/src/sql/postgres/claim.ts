/** Makes the tables that are missing, and makes an owner the newest of its partition. A role that may not make tables finds them made. */
import { StoplogError } from '@stoplog/core';
import type { Owner } from '../pure/owner.ts';
import {
  addColumns,
  addKey,
  addVersion,
  CLAIM,
  COLUMNS_OF,
  createTable,
  HAS_TABLE,
  LOCK_SCHEMA,
  OWN_TABLES,
  quotedTable,
  READ_OWNER,
  upsert,
} from '../pure/postgres-statements.ts';
import { VERSION, type Table } from '../pure/table.ts';
import type { Client } from './client.ts';

export const claim = async (client: Client, table: Table, owner: Owner): Promise<void> => {
  await client.query('BEGIN');
  try {
    await ensureTables(client, table);
    await checkKey(client, table);
    const { rows } = await client.query(CLAIM, [...owner.row, owner.start.epoch]);
    if (rows.length === 0) {
      const { rows: current } = await client.query<{ readonly epoch: string }>(READ_OWNER, [...owner.row]);
      throw owner.fenced(current[0] && BigInt(current[0].epoch));
    }
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
};

const ensureTables = async (client: Client, table: Table): Promise<void> => {
  const has = async (name: string): Promise<boolean> => (await client.query<{ readonly there: boolean }>(HAS_TABLE, [name])).rows[0]!.there;
  const make = async (sql: string): Promise<void> => {
    await client.query(LOCK_SCHEMA);
    await client.query(sql);
  };
  for (const [name, sql] of Object.entries(OWN_TABLES)) if (!(await has(name))) await make(sql);
  const name = quotedTable(table);
  if (!(await has(name))) {
    if (!table.isJson) throw missing(table, `there is no table '${table.name}', and the types of its columns are not known: ${createTable(table)}`);
    await client.query(LOCK_SCHEMA);
    // Another owner may have made it meanwhile.
    if (!(await has(name))) await client.query(createTable(table));
  }
  const { rows } = await client.query<{ readonly name: string }>(COLUMNS_OF, [name]);
  const there = new Set(rows.map((column) => column.name));
  const lacks = [...table.key, ...table.value].map((column) => column.name).filter((column) => !there.has(column));
  if (lacks.length > 0)
    throw missing(table, `table '${table.name}' has no ${lacks.map((column) => `column '${column}'`).join(' and no ')}: ${addColumns(table, lacks)}`);
  if (!VERSION.every((column) => there.has(column))) await make(addVersion(table));
};
/** PostgreSQL refuses to plan an upsert where the key's columns are not unique together. */
const checkKey = async (client: Client, table: Table): Promise<void> => {
  try {
    await client.query(upsert(table), ['[]', table.name]);
  } catch (error) {
    const isKeys = error instanceof Error && 'code' in error && error.code === '42P10';
    throw isKeys ? missing(table, `the key of table '${table.name}' is not unique: ${addKey(table)}`) : error;
  }
};
const missing = ({ sink, name }: Table, sentence: string): StoplogError =>
  new StoplogError('STOPLOG_SINK', { sink, table: name }, `sink '${sink}' cannot be opened: ${sentence}`);
