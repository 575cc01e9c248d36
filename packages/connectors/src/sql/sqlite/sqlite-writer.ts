/** Writes batches to a SQLite file: the rows of a batch, the versions of its tombstones and its position are one transaction. */
import { StoplogError } from '@stoplog/core';
import { asError } from '@stoplog/core/kit';
import type { SinkBatch, SinkStart, SinkWriter } from '@stoplog/core/port';
import { Owner } from '../pure/owner.ts';
import { rowsOf } from '../pure/rows.ts';
import {
  addVersion,
  CLAIM,
  createTable,
  FORGET_DELETED,
  MOVE,
  OWN_TABLES,
  quoted,
  READ_OWNER,
  REMEMBER_DELETED,
  remove,
  upsert,
} from '../pure/sqlite-statements.ts';
import { VERSION, type Table } from '../pure/table.ts';
import { openDatabase, type Database, type Statement } from './client.ts';

interface OwnerRow {
  readonly epoch: bigint;
  readonly position: bigint | null;
}

export class SqliteWriter implements SinkWriter {
  readonly #database: Database;
  readonly #table: Table;
  readonly #owner: Owner;
  readonly #readOwner: Statement<unknown[], OwnerRow>;
  readonly #write: (batch: SinkBatch) => void;

  private constructor(database: Database, table: Table, start: SinkStart) {
    this.#database = database;
    this.#table = table;
    this.#owner = new Owner(table.sink, start);
    this.#claim();
    this.#readOwner = database.prepare<unknown[], OwnerRow>(READ_OWNER).safeIntegers();
    this.#checkKey();
    const statements = [upsert(table), FORGET_DELETED, remove(table), REMEMBER_DELETED, MOVE].map((sql) => database.prepare<unknown[]>(sql));
    const transaction = database.transaction((batch: SinkBatch) => this.#rows(batch, statements));
    this.#write = (batch) => transaction.immediate(batch);
  }
  static async open(path: string, table: Table, start: SinkStart): Promise<SqliteWriter> {
    const database = await openDatabase(table.sink, path);
    try {
      return new SqliteWriter(database, table, start);
    } catch (error) {
      database.close();
      throw error;
    }
  }
  async recover(): Promise<bigint | undefined> {
    return this.#readOwner.get(...this.#owner.row)?.position ?? undefined;
  }
  async write(batch: SinkBatch, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.#write(batch);
  }
  async [Symbol.asyncDispose](): Promise<void> {
    this.#database.close();
  }

  /** Makes what is missing, and makes this owner the newest. */
  #claim(): void {
    const [database, owner] = [this.#database, this.#owner];
    database
      .transaction(() => {
        database.exec(OWN_TABLES);
        this.#ensureTable();
        const { changes } = database.prepare(CLAIM).run(...owner.row, owner.start.epoch);
        if (changes === 0) throw owner.fenced(database.prepare<unknown[], OwnerRow>(READ_OWNER).get(...owner.row)?.epoch);
      })
      .immediate();
  }
  #ensureTable(): void {
    const { sink, name, key, value } = this.#table;
    const found = this.#database.prepare<unknown[], { readonly name: string }>(`SELECT name FROM pragma_table_info(?)`).all(name);
    if (found.length === 0) {
      this.#database.exec(createTable(this.#table));
      return;
    }
    const there = new Set(found.map((column) => column.name.toLowerCase()));
    const missing = [...key, ...value].map((column) => column.name).filter((column) => !there.has(column.toLowerCase()));
    if (missing.length > 0)
      throw new StoplogError(
        'STOPLOG_SINK',
        { sink, table: name, missing },
        `table '${name}' of sink '${sink}' has no ${missing.map((column) => `column '${column}'`).join(' and no ')}: ${missing.map((column) => `ALTER TABLE ${quoted(name)} ADD COLUMN ${quoted(column)}`).join('; ')}`,
      );
    for (const column of VERSION) if (!there.has(column)) this.#database.exec(addVersion(this.#table, column));
  }
  /** SQLite refuses to prepare an upsert where the key's columns are not unique together. */
  #checkKey(): void {
    const { sink, name, key } = this.#table;
    try {
      this.#database.prepare(upsert(this.#table));
    } catch (cause) {
      const columns = key.map((column) => quoted(column.name)).join(', ');
      throw new StoplogError(
        'STOPLOG_SINK',
        { sink, table: name, cause: asError(cause).message },
        `table '${name}' of sink '${sink}' cannot be written by its key (${asError(cause).message}): make the key's columns unique, as by CREATE UNIQUE INDEX ${quoted(`${name}_key`)} ON ${quoted(name)} (${columns})`,
        { cause },
      );
    }
  }
  #rows({ records, position }: SinkBatch, [upserts, forgets, removes, remembers, moves]: readonly Statement<unknown[]>[]): void {
    const [table, owner] = [this.#table, this.#owner];
    const row = this.#readOwner.get(...owner.row);
    owner.check(row?.epoch);
    const known = row?.position ?? 0n;
    if (position <= known) return;
    for (const { id, key, value, offset, index } of rowsOf(table, records, known, owner.place)) {
      const version = [owner.place, offset, BigInt(index)];
      const keys = key.map(bound);
      if (value === undefined) {
        removes!.run(numbered(...keys, ...version));
        remembers!.run(numbered(table.name, id, ...version));
      } else {
        upserts!.run(numbered(table.name, id, ...keys, ...value.map(table.isJson ? jsonOf : bound), ...version));
        forgets!.run(numbered(table.name, id, ...version));
      }
    }
    moves!.run(position, ...owner.row);
  }
}

/** Parameters by their numbers: better-sqlite3 takes `?1` for a name. */
const numbered = (...values: readonly unknown[]): Readonly<Record<string, unknown>> => Object.fromEntries(values.map((value, i) => [i + 1, value]));
const jsonOf = (value: unknown): string => JSON.stringify(value) ?? 'null';
/** A value as SQLite has it: numbers that are integers as integers, true and false as 1 and 0, times as ISO 8601, bytes as blobs, other objects as JSON. */
const bound = (value: unknown): unknown => {
  switch (typeof value) {
    case 'undefined':
      return null;
    case 'number':
      return Number.isSafeInteger(value) ? BigInt(value) : value;
    case 'boolean':
      return value ? 1n : 0n;
    case 'object':
      if (value === null) return null;
      if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
      return value instanceof Date ? value.toISOString() : jsonOf(value);
    default:
      return value;
  }
};
