/**
 * Opens the environment, once per thread, and names its tables. The only file that imports `lmdb`.
 *
 * Readers open it read-only: a thread that only reads may be terminated at any time. One thread of the process, the
 * writer, opens it for writing. The page is 8 KB, so that a key of 1,978 bytes fits behind its store's prefix and
 * large batches cost half the free-list entries.
 */
import { open, type Database, type RootDatabase } from 'lmdb';
import { TABLES, type Table } from '../../pure/log/keyspace.ts';
import { checkAddressSpace } from './address-space.ts';
import { describeIo } from './folder.ts';

export interface EnvOptions {
  readonly path: string;
  /** How far the file may grow, in bytes; address space, not memory. */
  readonly mapSize: number;
  readonly maintenance?: Partial<MaintenanceOptions> | undefined;
  /** A clock that a test moves: one double, milliseconds since 1970. */
  readonly clock?: SharedArrayBuffer | undefined;
}
export interface MaintenanceOptions {
  /** How often the log looks for something to forget; Infinity: only on command. */
  readonly everyMs: number;
  /** Bytes a second that cleaning may read and remove. */
  readonly bytesPerSecond: number;
}
export type TableDb = Database<Buffer, Buffer>;
export interface Env {
  readonly path: string;
  readonly root: RootDatabase<Buffer, Buffer>;
  readonly tables: Readonly<Record<Table, TableDb>>;
}

/** 1 TiB of address space; what is used is what the file holds. */
export const DEFAULT_MAP_SIZE: number = 2 ** 40;
export const PAGE_SIZE = 8192;
const MAX_READERS = 2048;

const common = { keyEncoding: 'binary', encoding: 'binary' } as const;

/** Flags of every write transaction: one flush, after the lock is released, finished before the call returns. */
export const WRITE_FLAGS: number = 0x10002;

/** `inspect` sees the names of the tables that are there before any is made; what it throws leaves the file as it was. */
export const openEnv = (options: EnvOptions, readOnly: boolean, inspect?: (tables: readonly string[]) => void): Env => {
  checkAddressSpace(options.path, options.mapSize);
  const root = open<Buffer, Buffer>({
    path: options.path,
    mapSize: options.mapSize,
    pageSize: PAGE_SIZE,
    maxReaders: MAX_READERS,
    maxDbs: TABLES.length + 4,
    noSubdir: false,
    readOnly,
    ...common,
  });
  // The library ends the name of a table with a zero byte.
  inspect?.([...root.getKeys()].map((name) => name.toString().replace(/\0$/, '')));
  const tables = {} as Record<Table, TableDb>;
  for (const name of TABLES) {
    const table = root.openDB<Buffer, Buffer>({ name, ...common });
    if (table === undefined || table === null) throw new Error(`the table '${name}' is missing`);
    tables[name] = table;
  }
  return { path: options.path, root, tables };
};

/** The bytes of a key, in memory that the next read overwrites; undefined when absent. */
export const peek = (table: TableDb, key: Buffer): Buffer | undefined => {
  const found = table.getBinaryFast(key);
  // What is returned is the whole read buffer, dressed with the length of the value.
  return found?.subarray(0, found.length);
};

/** What a read threw: an error of LMDB itself, which has a number for a code, as one with a name and a remedy. */
export const told = (env: Env, error: unknown): unknown =>
  typeof (error as { readonly code?: unknown } | null)?.code === 'number' || (error instanceof Error && error.message.includes('closed database'))
    ? describeIo(env.path, error)
    : error;

interface Stats {
  readonly lastTxnId: number;
  readonly lastPageNumber: number;
  readonly pageSize: number;
}
/** The number of the last commit, whoever made it, in whichever process. */
export const stats = (env: Env): Stats => env.root.getStats() as Stats;
