/**
 * Reads an outbox of SQLite from a position on.
 *
 * The position is the number of the next row. SQLite serializes its writers, so a row with a smaller number is never committed later; with
 * AUTOINCREMENT no number is given twice, even when all rows are deleted. The file's change counter (`data_version`) tells, without reading
 * the table, that another connection has committed.
 *
 * In WAL mode a commit may be visible before it is flushed (`synchronous = NORMAL`). A power cut would take it back and give its number to
 * another row, so the WAL is flushed before rows are handed on.
 */
import { open as openFile } from 'node:fs/promises';
import { StoplogError } from '@stoplog/core';
import { assert } from '@stoplog/core/kit';
import type { ArrivalBatch, PullLimit, RawArrival, SourceReader, SourceStart } from '@stoplog/core/port';
import { type OutboxRow, restoredError, waitFor } from '../outbox/outbox.ts';
import { arrivalOf } from '../outbox/row-bytes.ts';
import { quoted } from '../pure/sqlite-statements.ts';
import { type Database, isBusy, openExisting, type Statement } from './client.ts';

interface Parts {
  readonly source: string;
  readonly path: string;
  readonly table: string;
  readonly id: string;
  readonly deletePublished: boolean;
  readonly pollMs: number;
}

export class SqliteOutboxReader implements SourceReader<RawArrival> {
  readonly #parts: Parts;
  readonly #database: Database;
  readonly #rows: Statement<[bigint, number], OutboxRow>;
  readonly #delete: Statement<[bigint]>;
  #position: bigint;
  /** The change counter at which the table had no more rows. */
  #readAt: number | undefined;

  private constructor(parts: Parts, database: Database, position: bigint) {
    this.#parts = parts;
    this.#database = database;
    this.#position = position;
    const [table, id] = [quoted(parts.table), quoted(parts.id)];
    this.#rows = database.prepare(`SELECT * FROM ${table} WHERE ${id} >= ? ORDER BY ${id} LIMIT ?`);
    this.#delete = database.prepare(`DELETE FROM ${table} WHERE ${id} < ?`);
  }

  static async open(parts: Parts, { position }: SourceStart): Promise<SqliteOutboxReader> {
    const database = await openExisting(parts.source, parts.path);
    try {
      checkTable(database, parts, position);
      const reader = new SqliteOutboxReader(parts, database, position);
      reader.#deleteBefore(position);
      return reader;
    } catch (error) {
      database.close();
      throw error;
    }
  }

  async pull(limit: PullLimit, signal: AbortSignal): Promise<ArrivalBatch<RawArrival>> {
    while (!signal.aborted) {
      const arrivals = this.#read(limit);
      if (arrivals.length > 0) {
        await this.#flush();
        this.#position = BigInt(arrivals.at(-1)!.item as number) + 1n;
        return { arrivals, position: this.#position, ended: false };
      }
      await waitFor(this.#parts.pollMs, signal);
    }
    return { arrivals: [], ended: false };
  }
  async acknowledge(_items: readonly unknown[], position: bigint): Promise<void> {
    this.#deleteBefore(position);
  }
  async [Symbol.asyncDispose](): Promise<void> {
    this.#database.close();
  }

  /** No rows when nothing has changed, and while a writer holds the file: the next look finds them. */
  #read({ records, bytes }: PullLimit): readonly RawArrival[] {
    return unlessBusy([], () => {
      const version = this.#database.pragma('data_version', { simple: true }) as number;
      if (version === this.#readAt) return [];
      const arrivals: RawArrival[] = [];
      let size = 0;
      for (const row of this.#rows.iterate(this.#position, records)) {
        const arrival = arrivalOf(row, row[this.#parts.id], Date.now());
        size += arrival.value!.length;
        if (size > bytes && arrivals.length > 0) break;
        arrivals.push(arrival);
      }
      this.#readAt = arrivals.length === 0 ? version : undefined;
      return arrivals;
    });
  }
  /** A delete that finds the file locked is made up for by the next one. */
  #deleteBefore(position: bigint): void {
    if (this.#parts.deletePublished) unlessBusy(undefined, () => void this.#delete.run(position));
  }
  /** SQLite holds no locks on the WAL that closing it could release. */
  async #flush(): Promise<void> {
    const wal = await openFile(`${this.#parts.path}-wal`, 'r+').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    try {
      await wal?.sync();
    } finally {
      await wal?.close();
    }
  }
}

const unlessBusy = <T>(otherwise: T, work: () => T): T => {
  try {
    return work();
  } catch (error) {
    if (isBusy(error)) return otherwise;
    throw error;
  }
};

const checkTable = (database: Database, { source, path, table, id }: Parts, position: bigint): void => {
  const columns = database.prepare<[string], { name: string; type: string; pk: number }>('SELECT name, type, pk FROM pragma_table_info(?)').all(table);
  const remedy = `make it with CREATE TABLE ${quoted(table)} (${quoted(id)} INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL, value TEXT NOT NULL)`;
  const wrong = (what: string): StoplogError => new StoplogError('STOPLOG_SOURCE', { source, path, table, id }, `source '${source}': ${what}; ${remedy}`);
  if (columns.length === 0) throw wrong(`${path} has no table '${table}'`);
  const numbers = columns.find(({ name }) => name === id);
  if (numbers === undefined) throw wrong(`table '${table}' has no column '${id}'`);
  const made = database.prepare<[string], { sql: string }>(`SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ? COLLATE NOCASE`).get(table);
  if (numbers.pk !== 1 || !/\bautoincrement\b/i.test(made?.sql ?? ''))
    throw wrong(`column '${id}' of table '${table}' is not AUTOINCREMENT, so SQLite gives the number of a deleted row again`);
  const last = database.prepare<[string], { seq: number }>('SELECT seq FROM sqlite_sequence WHERE name = ? COLLATE NOCASE').get(table)?.seq ?? 0;
  assert(Number.isSafeInteger(last), 'SQLite numbers the rows of an outbox from 1 on');
  if (position > BigInt(last) + 1n) throw restoredError(source, position, BigInt(last));
};
