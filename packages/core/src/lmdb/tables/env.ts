/**
 * Opens the environment, once per thread, and names its tables. The only file that imports `lmdb`.
 *
 * Readers open it read-only: a thread that only reads may be terminated at any time. One thread of the process, the
 * writer, opens it for writing. The page is 8 KB, so that a key of 4,000 bytes is stored unchanged behind its store's prefix
 * (long-keys.ts) and large batches cost half the free-list entries.
 */
import { existsSync } from 'node:fs';
import * as lmdb from 'lmdb';
import type { Database, RootDatabase } from 'lmdb';
import { PAGE_SIZE, TABLES, type Table } from '../layout/keyspace.ts';
import type { TreePages } from './pages.ts';
import { checkAddressSpace } from '../folder/address-space.ts';
import { describeIo } from '../folder/io-errors.ts';
import { checkLocks, lostLocks } from '../folder/lock-holders.ts';
import { checkSpareFiles } from '../folder/spare-files.ts';

export interface EnvOptions {
  readonly path: string;
  /** The size to which the file may grow, in bytes; address space, not memory. */
  readonly mapSize: number;
  readonly maintenance?: Partial<MaintenanceOptions> | undefined;
  /** The group of the folder is trusted, and gets the right to write to its files. */
  readonly groupMayWrite?: boolean | undefined;
  /** Clocks that a test moves: a double for the wall clock, milliseconds since 1970, and optionally one for the monotonic clock. */
  readonly clock?: SharedArrayBuffer | undefined;
}
export interface MaintenanceOptions {
  /** The interval between two rounds of retention and compaction; Infinity: only on command. */
  readonly everyMs: number;
  /** Bytes a second that cleaning may read and remove. */
  readonly bytesPerSecond: number;
}
/** The machine's clocks, or the ones that a test moves. */
export const clocksOf = (shared: SharedArrayBuffer | undefined): { readonly wall: () => number; readonly monotonic: () => number } => {
  if (shared === undefined) return { wall: () => Date.now(), monotonic: () => performance.now() };
  const times = new Float64Array(shared);
  return { wall: () => times[0]!, monotonic: () => times.at(-1)! };
};
export type TableDb = Database<Buffer, Buffer>;
export interface Env {
  readonly path: string;
  readonly mapSize: number;
  readonly readOnly: boolean;
  /** The highest commit that this thread knows (seen.ts). */
  readonly seen: { commit: number; isChecked: boolean };
  /**
   * The commit that this thread's read transaction sees: the low 32 bits of its number. Each commit writes the page with the names of
   * the tables, and a page holds the number of the commit that wrote it.
   */
  readonly snapshot: () => number;
  readonly root: RootDatabase<Buffer, Buffer>;
  readonly tables: Readonly<Record<Table, TableDb>>;
}

const MAX_READERS = 2048;

// The library exports this function, which its types leave out: the number in the page of the last value that was read.
const { getLastTxnId } = lmdb as unknown as { readonly getLastTxnId: () => number };

const common = { keyEncoding: 'binary', encoding: 'binary' } as const;

/** Flags of a write transaction whose call returns when it is flushed: after the lock is released, or before (flushing.ts). */
export const FLUSH_AFTER: number = 0x10002;
export const FLUSH_BEFORE: number = 2;

/** `inspect` receives the names of the existing tables before any is made; an error that it throws leaves the file unchanged. */
export const openEnv = (
  options: EnvOptions,
  readOnly: boolean,
  inspect?: (tables: readonly string[]) => void,
  more: { readonly noSync?: boolean } = {},
): Env => {
  checkAddressSpace(options.path, options.mapSize);
  checkSpareFiles();
  if (existsSync(options.path)) checkLocks(options.path);
  const root = lmdb.open<Buffer, Buffer>({
    path: options.path,
    mapSize: options.mapSize,
    pageSize: PAGE_SIZE,
    maxReaders: MAX_READERS,
    maxDbs: TABLES.length + 4,
    noSubdir: false,
    readOnly,
    ...more,
    ...common,
  });
  const names = [...root.getKeys()].map((name) => name.toString().replace(/\0$/, ''));
  // The library ends the name of a table with a zero byte.
  inspect?.(names);
  const tables = {} as Record<Table, TableDb>;
  for (const name of TABLES) {
    const table = root.openDB<Buffer, Buffer>({ name, ...common });
    if (table === undefined || table === null) throw new Error(`the table '${name}' is missing`);
    tables[name] = table;
  }
  // A read takes a slot in the table of readers, and keeps it until another table is opened: `readers` lists the process from then on.
  root.getBinary(Buffer.of(0));
  const name = [...root.getKeys({ limit: 1 })][0]!;
  const snapshot = (): number => {
    root.getBinary(name);
    return getLastTxnId() | 0;
  };
  const seen = { commit: snapshot(), isChecked: false };
  root.resetReadTxn();
  return { path: options.path, mapSize: options.mapSize, readOnly, seen, snapshot, root, tables };
};

/** A new file in a folder that no other process knows yet. Nothing is flushed: the caller flushes once, at the end. */
export const openFresh = (path: string, mapSize: number): Env => openEnv({ path, mapSize }, false, undefined, { noSync: true });

interface Reads {
  getBinaryFast(key: Buffer, options?: { readonly transaction: Snapshot }): Buffer | undefined;
}
export type Snapshot = ReturnType<RootDatabase['useReadTransaction']>;

/** The bytes of a key, in memory that the next read overwrites; undefined when absent. */
export const peek = (table: TableDb, key: Buffer, transaction?: Snapshot): Buffer | undefined => {
  // The type of this method lacks the options, which it passes on to the read.
  const reads: Reads = table;
  const found = reads.getBinaryFast(key, transaction === undefined ? undefined : { transaction });
  // The result is the whole read buffer, with its length set to that of the value.
  return found?.subarray(0, found.length);
};

/** The error of a read: one of LMDB itself, which has a number for a code, becomes one with a name and a remedy. */
export const asLogError = (env: Env, error: unknown): unknown =>
  typeof (error as { readonly code?: unknown } | null)?.code === 'number' || (error instanceof Error && error.message.includes('closed database'))
    ? describeIo(env.path, error)
    : error;

interface Stats extends TreePages {
  readonly lastTxnId: number;
  readonly lastPageNumber: number;
  readonly pageSize: number;
  /** The tree of free pages, and that of the tables' names. */
  readonly free: TreePages;
  readonly root: TreePages;
}
/** The number of the last commit of any process. */
export const stats = (env: Env): Stats => env.root.getStats() as Stats;

/** A tree of LMDB's, and the table and the key of each of its entries; undefined for entries of LMDB itself. */
export interface Tree {
  readonly name: string;
  readonly db: Database<Buffer, Buffer>;
  readonly entryOf: (key: Buffer) => { readonly table: Table; readonly key: Buffer } | undefined;
  /** True when a new file is empty: sorted entries are then appended. */
  readonly beginsEmpty: boolean;
}
/** All trees except LMDB's own; `log` comes before `ends`. */
export const treesOf = ({ tables }: Env): readonly Tree[] =>
  TABLES.map((table) => ({ name: table, db: tables[table], entryOf: (key) => ({ table, key }), beginsEmpty: true }));
export const statsOf = ({ db }: Tree): TreePages & { readonly entryCount: number } => db.getStats() as TreePages & { readonly entryCount: number };

interface Slot {
  readonly pid: number;
  /** The commit whose snapshot it holds; undefined when it holds none. */
  readonly commit: number | undefined;
}
/** Clears the slots of processes that have died. LMDB takes a process without its lock for dead, although it may be alive and reading (lock-holders.ts). */
export const checkReaders = (env: Env): void => {
  if (lostLocks(env.path).length === 0) env.root.readerCheck();
};

/** All readers that have the file open, of any process, except those whose process has died. */
export const readers = (env: Env): readonly Slot[] => {
  checkReaders(env);
  return [...env.root.readerList().matchAll(/^\s*(\d+) +[0-9a-f]+ +(\d+|-)$/gm)].map(([, pid, commit]) => ({
    pid: Number(pid),
    commit: commit === '-' ? undefined : Number(commit),
  }));
};
/** The numbers of the other processes that have the file open. */
export const othersWith = (env: Env): readonly number[] => [...new Set(readers(env).map(({ pid }) => pid))].filter((pid) => pid !== process.pid);
