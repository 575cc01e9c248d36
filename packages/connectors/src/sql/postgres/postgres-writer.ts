/** Writes batches to a table of PostgreSQL: the rows of a batch, the versions of its tombstones and its position are one transaction. */
import { StoplogError } from '@stoplog/core';
import type { SinkBatch, SinkStart, SinkWriter } from '@stoplog/core/port';
import { Owner } from '../pure/owner.ts';
import { LOCK_OWNER, MOVE, READ_OWNER, remove, upsert } from '../pure/postgres-statements.ts';
import { rowsOf, type Row } from '../pure/rows.ts';
import type { Column, Table } from '../pure/table.ts';
import { abandon, connect, type Client } from './client.ts';
import { claim } from './claim.ts';

/** PostgreSQL's numbers of eight bytes come as text. */
interface OwnerRow {
  readonly epoch: string;
  readonly position: string | null;
}

export class PostgresWriter implements SinkWriter {
  readonly #client: Client;
  readonly #table: Table;
  readonly #owner: Owner;
  readonly #upsert: string;
  readonly #remove: string;
  #end: Promise<void> | undefined;

  private constructor(client: Client, table: Table, owner: Owner) {
    this.#client = client;
    this.#table = table;
    this.#owner = owner;
    this.#upsert = upsert(table);
    this.#remove = remove(table);
  }
  static async open(connection: string | object | undefined, table: Table, start: SinkStart): Promise<PostgresWriter> {
    const client = await connect('sink', table.sink, connection);
    const owner = new Owner(table.sink, start);
    try {
      await claim(client, table, owner);
      return new PostgresWriter(client, table, owner);
    } catch (error) {
      await client.end().catch(() => {});
      throw error;
    }
  }
  async recover(): Promise<bigint | undefined> {
    const { rows } = await this.#client.query<OwnerRow>(READ_OWNER, [...this.#owner.row]);
    const position = rows[0]?.position;
    return position === null || position === undefined ? undefined : BigInt(position);
  }
  async write(batch: SinkBatch, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const client = this.#client;
    const stop = (): void => abandon(client);
    signal.addEventListener('abort', stop, { once: true });
    try {
      await client.query('BEGIN');
      try {
        await this.#rows(batch);
        await client.query('COMMIT');
      } catch (error) {
        // Fails, too, where the connection is gone, and the server has rolled back.
        await client.query('ROLLBACK').catch(() => {});
        throw error;
      }
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }
  async [Symbol.asyncDispose](): Promise<void> {
    await (this.#end ??= this.#client.end());
  }

  async #rows({ records, position }: SinkBatch): Promise<void> {
    const [client, table, owner] = [this.#client, this.#table, this.#owner];
    const { rows: found } = await client.query<OwnerRow>(LOCK_OWNER, [...owner.row]);
    owner.check(found[0]?.epoch === undefined ? undefined : BigInt(found[0].epoch));
    const known = BigInt(found[0]?.position ?? 0);
    if (position <= known) return;
    const rows = rowsOf(table, records, known, owner.place);
    const [living, gone] = [rows.filter(({ value }) => value !== undefined), rows.filter(({ value }) => value === undefined)];
    for (const [sql, some] of [
      [this.#upsert, living],
      [this.#remove, gone],
    ] as const) {
      if (some.length === 0) continue;
      try {
        await client.query(sql, [this.#json(some), table.name]);
      } catch (error) {
        throw refused(table, owner.place, some, error);
      }
    }
    await client.query(MOVE, [...owner.row, String(position)]);
  }
  #json(rows: readonly Row[]): string {
    const { key, value, isJson } = this.#table;
    const place = this.#owner.place;
    return JSON.stringify(
      rows.map((row) => ({
        ...columnsOf(key, row.key, jsonColumn),
        ...(row.value === undefined ? {} : columnsOf(value, row.value, isJson ? (json) => json : jsonColumn)),
        stoplog_key: row.id,
        stoplog_partition: place,
        stoplog_offset: String(row.offset),
        stoplog_index: row.index,
      })),
    );
  }
}

const columnsOf = (columns: readonly Column[], values: readonly unknown[], of: (value: unknown) => unknown): object =>
  Object.fromEntries(columns.map(({ name }, i) => [name, of(values[i])]));
/** A value in the JSON of a row: large numbers as digits, times as ISO 8601, bytes as PostgreSQL writes them in text; other objects are JSON or arrays. */
const jsonColumn = (value: unknown): unknown => {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
  return value;
};

/** The server's refusal of a value, with the records it may be about: it names the column, and not the row. */
const refused = ({ sink, name }: Table, place: string, rows: readonly Row[], error: unknown): unknown => {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string' || !/^2[23]/.test(error.code)) return error;
  const detail = 'detail' in error && typeof error.detail === 'string' ? ` (${error.detail})` : '';
  const [first, last] = [rows[0]!.offset, rows.at(-1)!.offset];
  return new StoplogError(
    'STOPLOG_SINK',
    { sink, table: name, sqlstate: error.code, from: first, to: last },
    `sink '${sink}' cannot write ${rows.length === 1 ? `${place}@${first}` : `one of ${rows.length} records of ${place}@${first} to ${last}`} to table '${name}': ${error.message}${detail}. Its partition waits: change the table, or the function of the column`,
    { cause: error },
  );
};
