/**
 * The one door to pg, which is loaded when a sink or source is opened: a pipeline module can be imported, and its plan shown, without it.
 *
 * A connection that is lost between two batches makes the client emit an error, which would end the process if nothing listened; the next
 * query then fails, and the sink or source is opened again. A connection whose other end is silently gone is found by keep-alive and by time limits.
 */
import { StoplogError } from '@stoplog/core';
import { asError } from '@stoplog/core/kit';
import type { Client, ClientConfig } from 'pg';

export type { Client };

/** How long connecting may take, and any one query: longer than a batch ever takes, and than a lock of another owner should last. */
const CONNECT_MS = 10_000;
const QUERY_MS = 60_000;

export const connect = async (edge: 'sink' | 'source', name: string, connection: string | object | undefined): Promise<Client> => {
  const { default: pg } = await import('pg').catch((error: unknown) => {
    const cause = asError(error).message;
    throw new StoplogError(
      edge === 'sink' ? 'STOPLOG_SINK' : 'STOPLOG_SOURCE',
      { [edge]: name, cause },
      `${edge} '${name}' needs the package pg, which cannot be loaded (${cause.split('\n')[0]}): npm install pg`,
    );
  });
  const given: ClientConfig = typeof connection === 'string' ? { connectionString: connection } : (connection ?? {});
  const client = new pg.Client({
    application_name: `stoplog ${name}`,
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: QUERY_MS,
    ...given,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    return client;
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
};

/** Refuses what is no connection, where the compiler did not. */
export const checkConnection = (edge: 'sink' | 'source', name: string, connection: unknown): void => {
  if (connection === undefined || typeof connection === 'string' || (typeof connection === 'object' && connection !== null)) return;
  throw new StoplogError(
    'STOPLOG_USAGE',
    { [edge]: name },
    `the connection of ${edge} '${name}' is of type ${connection === null ? 'null' : typeof connection}: give 'postgres://user@host/database', settings of the package pg, or leave it out for PGHOST and its like`,
  );
};

/** Ends the connection at once, in the middle of a query as well: the server rolls its transaction back. */
export const abandon = (client: Client): void => {
  // The socket of the client; its types name the connection by no member.
  (client as Client & { readonly connection: { readonly stream: { destroy(): void } } }).connection.stream.destroy();
};
