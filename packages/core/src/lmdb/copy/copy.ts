/**
 * Copies a log entry by entry, as of one commit: each entry is checked when it is read, and the finished copy is read again.
 *
 * LMDB's own copy (`backup`) is faster, but blind: it copies damage and the bytes of deleted entries, reports nothing until
 * it is done, and cannot be stopped. Here damaged entries are refused, and the copy has full pages and next to no free ones.
 * The snapshot is held while the copy is made, and not while it is verified: until then the original cannot reuse its freed
 * pages, and grows by all that is appended and overwritten (`npm run bench -- backup`).
 */
import { setImmediate as turnOfOthers } from 'node:timers/promises';
import type { Progress, Watch } from '../../port/watch.ts';
import { crc32 } from '../../pure/bytes/checksum.ts';
import { assert, StoplogError } from '../../pure/errors.ts';
import { EntryCheck } from '../layout/entry-check.ts';
import { TABLES, type Table, PAGE_SIZE } from '../layout/keyspace.ts';
import { pagesOf } from '../tables/pages.ts';
import { FLUSH_BEFORE, peek, statsOf, asLogError, treesOf, type Env, type Snapshot, type TableDb, type Tree } from '../tables/env.ts';
import { describeIo } from '../folder/io-errors.ts';

interface Entry {
  readonly table: Table;
  readonly key: Buffer;
  readonly value: Buffer;
  /** The key in its tree. */
  readonly treeKey: Buffer;
}
/** The entries read and written between two turns of the event loop: some milliseconds. */
const SLICE = { entries: 1_000, bytes: 1024 * 1024 };

export interface Copied {
  readonly entries: Readonly<Record<Table, number>>;
  /** The checksum of all keys and values, in order. */
  readonly checksum: number;
}

/** `to` must be empty and used by no other process. `taken` is called once the snapshot is taken. */
export const copyTables = async (from: Env, to: Env, watch: Watch, taken: () => void = () => {}): Promise<Copied> => {
  const check = new EntryCheck();
  const sum = new Sum();
  await walk(
    from,
    'copying',
    watch,
    (tree, entries) => {
      append(to, tree, entries, (entry) => {
        check.see(entry.table, entry.key, entry.value);
        sum.add(entry);
      });
    },
    taken,
  );
  return sum;
};

const append = (to: Env, { name, beginsEmpty }: Tree, entries: Iterable<Entry>, see: (entry: Entry) => void): void => {
  const { db } = treesOf(to).find((tree) => tree.name === name)!;
  try {
    to.root.transactionSync(() => {
      for (const entry of entries) {
        see(entry);
        // Entries are appended in key order, so that pages are filled one after the other.
        const accepted: unknown = db.putSync(entry.treeKey, entry.value, { append: beginsEmpty });
        if (accepted !== true) throw new Error(`a put into '${name}' was not accepted`);
      }
    }, FLUSH_BEFORE);
  } catch (error) {
    throw describeIo(to.path, error);
  }
};

/** Reads a copy from its file, and compares it with the entries that were written. */
export const verifyCopy = async (copy: Env, expected: Copied, watch: Watch): Promise<void> => {
  const sum = new Sum();
  await walk(copy, 'verifying', watch, (_, entries) => {
    for (const entry of entries) sum.add(entry);
  });
  if (sum.checksum === expected.checksum && TABLES.every((table) => sum.entries[table] === expected.entries[table])) return;
  throw new StoplogError(
    'STOPLOG_LOG_CORRUPT',
    { path: copy.path, reason: 'copy' },
    `the copy in ${copy.path} does not read as it was written: the disk it was made on, or the memory, is at fault; nothing of it was kept`,
  );
};

class Sum implements Copied {
  readonly entries = Object.fromEntries(TABLES.map((table) => [table, 0])) as Record<Table, number>;
  checksum = 0;
  add({ table, key, value }: Entry): void {
    this.entries[table]++;
    this.checksum = crc32(value, crc32(key, this.checksum));
  }
}

/** All entries of all trees, as of one commit, in slices with a turn of the event loop between two of them. */
const walk = async (
  env: Env,
  step: Progress['step'],
  { signal, onProgress }: Watch,
  see: (tree: Tree, entries: Iterable<Entry>) => void,
  taken: () => void = () => {},
): Promise<void> => {
  signal?.throwIfAborted();
  try {
    env.root.resetReadTxn();
    const snapshot = env.root.useReadTransaction();
    try {
      taken();
      const trees = treesOf(env).map((tree) => {
        const found = statsOf(tree);
        return { tree, count: found.entryCount, bytes: pagesOf(found) * PAGE_SIZE };
      });
      const total = trees.reduce((sum, { bytes }) => sum + bytes, 0);
      let before = 0;
      for (const { tree, count, bytes } of trees) {
        const slices = new Slices(env, tree, snapshot);
        for (let seen = 0, more = true; more;) {
          see(tree, slices);
          more = slices.seen > seen;
          seen = slices.seen;
          if (!more) break;
          onProgress?.({ step, passed: before + Math.round(bytes * Math.min(1, seen / count)), total });
          await turnOfOthers();
          signal?.throwIfAborted();
        }
        before += bytes;
      }
    } finally {
      snapshot.done();
    }
  } catch (error) {
    throw asLogError(env, error);
  }
};

/**
 * Each iteration yields the next entries of a tree, as many as a slice may have. A value is valid until the next one is read.
 */
class Slices implements Iterable<Entry> {
  readonly #env: Env;
  readonly #tree: Tree;
  readonly #transaction: Snapshot;
  #after: Buffer | undefined;
  seen = 0;

  constructor(env: Env, tree: Tree, transaction: Snapshot) {
    this.#env = env;
    this.#tree = tree;
    this.#transaction = transaction;
  }

  *[Symbol.iterator](): Generator<Entry> {
    try {
      yield* this.#next();
    } catch (error) {
      throw asLogError(this.#env, error);
    }
  }
  *#next(): Generator<Entry> {
    const { db, name, entryOf } = this.#tree;
    const transaction = this.#transaction;
    const range = { transaction, limit: SLICE.entries, ...(this.#after === undefined ? {} : { start: this.#after, exclusiveStart: true }) };
    let bytes = 0;
    // Batches are large, and are read into the same memory one after the other: a search for each costs less than memory for
    // each.
    const entries = name === 'log' ? borrowed(db, db.getKeys(range), transaction) : db.getRange(range);
    for (const { key: treeKey, value } of entries) {
      this.#after = treeKey;
      this.seen++;
      bytes += treeKey.length + value.length;
      const entry = entryOf(treeKey);
      if (entry !== undefined) yield { ...entry, value, treeKey };
      if (bytes >= SLICE.bytes) break;
    }
  }
}

function* borrowed(db: TableDb, keys: Iterable<Buffer>, transaction: Snapshot): Generator<Pick<Entry, 'key' | 'value'>> {
  for (const key of keys) {
    const value = peek(db, key, transaction);
    assert(value !== undefined, 'what a snapshot lists, it holds');
    yield { key, value };
  }
}
