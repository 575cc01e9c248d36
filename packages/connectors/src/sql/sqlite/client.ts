/**
 * The one door to better-sqlite3, which is loaded when a sink is opened: a pipeline module can be imported, and its plan shown, without it.
 *
 * The file is opened in WAL mode, so that readers do not wait for the sink, and each commit is flushed (`synchronous = FULL`, which
 * better-sqlite3 does not set in WAL mode): the log goes on from a commit of the sink, so a power cut must not take that back.
 */
import { StoplogError } from '@stoplog/core';
import { asError } from '@stoplog/core/kit';
import type { Database, Statement } from 'better-sqlite3';

export type { Database, Statement };

/** How long a transaction waits for that of another connection; the thread stands still meanwhile. After it the sink is opened again, as after any failure. */
const BUSY_MS = 5_000;

export const openDatabase = async (sink: string, path: string): Promise<Database> => {
  const { default: SqliteDatabase } = await import('better-sqlite3').catch((error: unknown) => {
    const cause = asError(error).message;
    throw new StoplogError(
      'STOPLOG_SINK',
      { sink, cause },
      `sink '${sink}' needs the package better-sqlite3, which cannot be loaded (${cause.split('\n')[0]}): npm install better-sqlite3`,
    );
  });
  const database = new SqliteDatabase(path, { timeout: BUSY_MS });
  try {
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
};
