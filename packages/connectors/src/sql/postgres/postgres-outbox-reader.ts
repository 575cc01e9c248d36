/**
 * Reads an outbox of PostgreSQL from a position on, over one connection: it reads the rows that have a position, and when there are none it
 * numbers the rows that were committed meanwhile. Then it waits for a notice, or for the next look.
 */
import { isStoplogError, StoplogError } from '@stoplog/core';
import { asError } from '@stoplog/core/kit';
import type { ArrivalBatch, PullLimit, RawArrival, SourceReader, SourceStart } from '@stoplog/core/port';
import { restoredError, type OutboxRow, waitFor } from '../outbox/outbox.ts';
import { arrivalOf } from '../outbox/row-bytes.ts';
import {
  CHANNEL,
  lastGiven,
  OID_OF,
  outboxStatements,
  type OutboxStatements,
  postgresOutboxTable,
  SEQUENCE_OF,
  tableName,
} from '../pure/postgres-outbox-statements.ts';
import { type Client, connect } from './client.ts';

interface Parts {
  readonly source: string;
  readonly connection: string | object | undefined;
  readonly table: string;
  readonly deletePublished: boolean;
  readonly pollMs: number;
}
interface Found {
  readonly oid: number;
  readonly sequence: string;
}

/** The rows of the first pull, which tells how large rows are. */
const FIRST_ROWS = 100;

export class PostgresOutboxReader implements SourceReader<RawArrival> {
  readonly #parts: Parts;
  readonly #client: Client;
  readonly #sql: OutboxStatements;
  readonly #found: Found;
  #position: bigint;
  /** The mean size of a row, as of the last pull. */
  #rowBytes: number | undefined;
  /** A notice, or the end of the connection, since the last look. */
  #hasNews = false;
  #wake = (): void => {};

  private constructor(parts: Parts, client: Client, found: Found, position: bigint) {
    this.#parts = parts;
    this.#client = client;
    this.#sql = outboxStatements(parts.table);
    this.#found = found;
    this.#position = position;
    client.on('notification', ({ payload }) => {
      if (payload === undefined || payload === '' || payload === String(found.oid)) this.#news();
    });
    // The next query then fails, and the source is opened again.
    client.on('end', () => this.#news());
  }

  static open(parts: Parts, start: SourceStart): Promise<PostgresOutboxReader> {
    return naming(parts.source, () => this.#open(parts, start));
  }
  static async #open(parts: Parts, { position }: SourceStart): Promise<PostgresOutboxReader> {
    const client = await connect('source', parts.source, parts.connection);
    try {
      const found = await describe(client, parts, position);
      const reader = new PostgresOutboxReader(parts, client, found, position);
      await client.query(`LISTEN ${CHANNEL}`);
      await reader.#deleteBefore(position);
      return reader;
    } catch (error) {
      await client.end().catch(() => {});
      throw error;
    }
  }

  pull(limit: PullLimit, signal: AbortSignal): Promise<ArrivalBatch<RawArrival>> {
    return naming(this.#parts.source, () => this.#pull(limit, signal));
  }
  async #pull(limit: PullLimit, signal: AbortSignal): Promise<ArrivalBatch<RawArrival>> {
    while (!signal.aborted) {
      this.#hasNews = false;
      const arrivals = (await this.#read(limit)) ?? ((await this.#number(limit)) ? await this.#read(limit) : undefined);
      if (arrivals !== undefined) return { arrivals, position: this.#position, ended: false };
      await waitFor(this.#parts.pollMs, signal, (wake) => {
        this.#wake = wake;
        if (this.#hasNews) wake();
      });
    }
    return { arrivals: [], ended: false };
  }
  acknowledge(_items: readonly unknown[], position: bigint): Promise<void> {
    return naming(this.#parts.source, () => this.#deleteBefore(position));
  }
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.end().catch(() => {});
  }

  /** The next rows that have a position; undefined if there are none. */
  async #read(limit: PullLimit): Promise<readonly RawArrival[] | undefined> {
    const { rows } = await this.#client.query<OutboxRow>(this.#sql.rows, [String(this.#position), this.#most(limit)]);
    if (rows.length === 0) return undefined;
    const arrivals = rows.map((row) => arrivalOf(row, row['id'], Date.now()));
    this.#rowBytes = arrivals.reduce((sum, { value }) => sum + value!.length, 0) / rows.length;
    this.#position = BigInt(rows.at(-1)!['position'] as string) + 1n;
    return arrivals;
  }
  /** Whether any row was numbered. */
  async #number({ records }: PullLimit): Promise<boolean> {
    const results = (await this.#client.query(this.#sql.number(this.#found.sequence, this.#found.oid, records))) as unknown as readonly {
      readonly command: string;
      readonly rowCount: number | null;
    }[];
    return (results.find(({ command }) => command === 'UPDATE')?.rowCount ?? 0) > 0;
  }
  #most({ records, bytes }: PullLimit): number {
    if (this.#rowBytes === undefined) return Math.min(records, FIRST_ROWS);
    return Math.max(1, Math.min(records, Math.floor(bytes / this.#rowBytes)));
  }
  async #deleteBefore(position: bigint): Promise<void> {
    if (this.#parts.deletePublished) await this.#client.query(this.#sql.deleteBefore, [String(position)]);
  }
  #news(): void {
    this.#hasNews = true;
    this.#wake();
  }
}

/** Names the source in an error of the database, and tells an outage, which is waited for, from a mistake. */
const naming = async <T>(source: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (isStoplogError(error)) throw error;
    const cause = asError(error);
    const outage = isOutage(cause);
    throw new StoplogError(
      'STOPLOG_SOURCE',
      { source, cause: cause.message, ...(outage ? { outage } : {}) },
      `source '${source}' failed: ${cause.message}. ${outage ? 'The connection is made again after a while, for as long as it takes' : 'Correct the table, or the settings of the connection'}`,
      { cause },
    );
  }
};
/** Classes of SQLSTATE: lost connections, transactions to be repeated, too few resources, locks, shutdowns. An error without a state is not the server's. */
const OUTAGES: ReadonlySet<string> = new Set(['08', '40', '53', '55', '57']);
const isOutage = (error: Error & { readonly severity?: unknown; readonly code?: unknown }): boolean =>
  error.severity === undefined || OUTAGES.has(String(error.code).slice(0, 2));

const describe = async (client: Client, { source, table }: Parts, position: bigint): Promise<Found> => {
  const wrong = (what: string): StoplogError =>
    new StoplogError('STOPLOG_SOURCE', { source, table }, `source '${source}': ${what}. These statements make one:\n${postgresOutboxTable(table)}`);
  const name = tableName(table);
  const [{ oid } = { oid: null }] = (await client.query<{ readonly oid: string | null }>(OID_OF, [name])).rows;
  if (oid === null) throw wrong(`there is no table '${table}'`);
  const owned = await client.query<{ readonly sequence: string | null }>(SEQUENCE_OF, [name]).catch((error: unknown) => {
    throw wrong(`table '${table}' is no outbox (${asError(error).message})`);
  });
  const sequence = owned.rows[0]?.sequence ?? undefined;
  if (sequence === undefined) throw wrong(`table '${table}' is no outbox: its column 'position' owns no sequence`);
  const last = BigInt((await client.query<{ readonly last: string }>(lastGiven(sequence))).rows[0]!.last);
  if (position > last + 1n) throw restoredError(source, position, last);
  return { oid: Number(oid), sequence };
};
