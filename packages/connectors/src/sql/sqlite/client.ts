/**
 * The one door to better-sqlite3, which is loaded when a sink or source is opened: a pipeline module can be imported, and its plan shown,
 * without it.
 *
 * A sink opens its file in WAL mode, so that readers do not wait for the sink, and each commit is flushed (`synchronous = FULL`, which
 * better-sqlite3 does not set in WAL mode): the log goes on from a commit of the sink, so a power cut must not take that back. The file of a
 * source belongs to the program that writes it, and stays as it is.
 */
import { StoplogError } from '@stoplog/core';
import { asError } from '@stoplog/core/kit';
import type { Database, Options, Statement } from 'better-sqlite3';

export type { Database, Statement };

/** How long a transaction of a sink waits for that of another connection; the thread stands still meanwhile. After it the sink is opened again, as after any failure. */
const BUSY_MS = 5_000;
/** A source looks again soon, and its thread serves other sources. */
const SOURCE_BUSY_MS = 50;

export const openDatabase = async (sink: string, path: string): Promise<Database> => {
  const database = await opened('sink', sink, path, { timeout: BUSY_MS });
  try {
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
};
export const openExisting = (source: string, path: string): Promise<Database> =>
  opened('source', source, path, { timeout: SOURCE_BUSY_MS, fileMustExist: true });

/** Whether another connection holds the file. */
export const isBusy = (error: unknown): boolean => error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY');

/** Refuses a path that the threads of a pipeline cannot share. */
export const checkPath = (edge: 'sink' | 'source', name: string, path: unknown): void => {
  if (typeof path === 'string' && path.trim() !== '' && path.trim() !== ':memory:') return;
  throw new StoplogError(
    'STOPLOG_USAGE',
    { [edge]: name, path },
    `the path of ${edge} '${name}' is ${typeof path === 'string' ? JSON.stringify(path) : `of type ${typeof path}`}: give the path of a file, which all threads open`,
  );
};

const opened = async (edge: 'sink' | 'source', name: string, path: string, options: Options): Promise<Database> => {
  const { default: SqliteDatabase } = await import('better-sqlite3').catch((error: unknown) => {
    const cause = asError(error).message;
    throw new StoplogError(
      edge === 'sink' ? 'STOPLOG_SINK' : 'STOPLOG_SOURCE',
      { [edge]: name, cause },
      `${edge} '${name}' needs the package better-sqlite3, which cannot be loaded (${cause.split('\n')[0]}): npm install better-sqlite3`,
    );
  });
  return new SqliteDatabase(path, options);
};
