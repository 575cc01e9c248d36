/**
 * Reads a data file page by page with ordinary file calls, while other processes write: no map, no lock file, no reader slot.
 *
 * LMDB reuses no page of commit n before commit n + 1 is in its meta page. So each read looks at the meta pages afterwards:
 * if n is still the newest commit, the bytes are of commit n; if not, `Moved` is thrown, and the walk resumes where it was,
 * on the newest commit. No snapshot is ever held, so no old page is kept from reuse.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { META_BYTES, metasOf, TREE_BYTES, treeOf, type Metas, type Snapshot, type Tree } from '../layout/pages/meta-page.ts';
import { PageAccount } from '../layout/pages/page-account.ts';
import { walk, type Entry, type Walked } from '../layout/pages/walk.ts';
import { DATA_FILE } from '../folder/files.ts';

/** The offset in a meta page of the number of its commit. */
const AT_TXN = 152;

export class Moved extends Error {}

/** More pages than any of our values has. */
const MOST_PAGES = 2 ** 17;

export class PageFile {
  readonly #fd: number;
  /** Bytes read, for a rate. */
  bytesRead = 0;
  readonly pageSize: number;
  /** The commits at the time when a snapshot was read. */
  readonly #read = new WeakMap<Snapshot, string>();

  constructor(folder: string, pageSize: number) {
    this.#fd = openSync(join(folder, DATA_FILE), 'r');
    this.pageSize = pageSize;
  }
  get size(): number {
    return fstatSync(this.#fd).size;
  }
  /** An account of the pages of this snapshot in the file. */
  account({ lastPage }: Snapshot): PageAccount {
    return new PageAccount(lastPage, Math.ceil(this.size / this.pageSize));
  }
  close(): void {
    closeSync(this.#fd);
  }

  /** The meta pages, read until two reads agree: a page that is being written is half of each commit. */
  metas(): Metas {
    let bytes = this.#metaBytes();
    for (let again = this.#metaBytes(); !bytes.equals(again); again = this.#metaBytes()) bytes = again;
    const metas = metasOf(bytes.subarray(0, META_BYTES), bytes.subarray(this.pageSize), bytes.subarray(this.pageSize / 2, this.pageSize / 2 + META_BYTES));
    const commits = commitsOf((target, at, position) => target.set(bytes.subarray(position, position + 8), at), this.pageSize);
    for (const snapshot of [...(metas.newest === undefined ? [] : [metas.newest]), ...metas.others]) this.#read.set(snapshot, commits);
    return metas;
  }
  #metaBytes(): Buffer {
    return this.#at(0, this.pageSize + META_BYTES);
  }
  /** Pages as they are now; undefined when the file ends before them. */
  page(page: number, count: number): Uint8Array | undefined {
    // A damaged page number may be negative or exceed every file, as may the end of the run: no read accepts either.
    if (count < 1 || count > MOST_PAGES || page < 0 || !Number.isSafeInteger((page + count) * this.pageSize)) return undefined;
    const bytes = this.#at(page * this.pageSize, count * this.pageSize);
    this.bytesRead += bytes.length;
    return bytes.length === count * this.pageSize ? bytes : undefined;
  }

  /** Reads pages of this snapshot, and of no other. */
  reader(snapshot: Snapshot): (page: number, count: number) => Uint8Array | undefined {
    return (page, count) => {
      const bytes = this.page(page, count);
      if (!this.isNewest(snapshot)) throw new Moved();
      return bytes;
    };
  }
  /** True while no commit has followed the snapshot. */
  isNewest(snapshot: Snapshot): boolean {
    return this.commits() === this.#read.get(snapshot);
  }
  /** The numbers of the last two commits, to be compared. */
  commits(): string {
    return commitsOf((target, at, position) => readSync(this.#fd, target, at, 8, position), this.pageSize);
  }

  #at(position: number, size: number): Buffer {
    const bytes = Buffer.allocUnsafeSlow(size);
    let read = 0;
    while (read < size) {
      const n = readSync(this.#fd, bytes, read, size - read, position + read);
      if (n === 0) break;
      read += n;
    }
    return bytes.subarray(0, read);
  }
}

/** The numbers of the last two commits, as they are stored. */
const commitsOf = (copy: (target: Buffer, at: number, position: number) => unknown, pageSize: number): string => {
  const found = Buffer.alloc(16);
  copy(found, 0, AT_TXN);
  copy(found, 8, pageSize + AT_TXN);
  return found.toString('latin1');
};

/** The trees of the tables, by name. */
export const tablesOf = (items: Iterable<Walked>): ReadonlyMap<string, Tree> => {
  const tables = new Map<string, Tree>();
  for (const item of items) if (item.type === 'entry' && item.isTree && item.value.length === TREE_BYTES) tables.set(nameOf(item), treeOf(item.value));
  return tables;
};
/** LMDB ends the name of a table with a zero byte. */
export const nameOf = ({ key }: Entry): string => Buffer.from(key).toString().replace(/\0$/, '');

/** Calls with the newest snapshot, until no commit was made during the call. */
export const atOneCommit = <T>(choose: () => Snapshot, read: (snapshot: Snapshot) => T): T => {
  for (let n = 1; ; n++) {
    try {
      return read(choose());
    } catch (error) {
      if (!(error instanceof Moved) || n === ATTEMPTS) throw error;
    }
  }
};
const ATTEMPTS = 1_000;

/**
 * The entries of a table from a key on, each of a commit that was whole when it was read; each broken page is reported once.
 */
export function* scan(file: PageFile, choose: () => Snapshot, table: string, from: Uint8Array = new Uint8Array(0), values = true): Generator<Walked, void> {
  let at = from;
  const reported = new Set<string>();
  for (let stuck = 0; ;) {
    const snapshot = choose();
    try {
      const read = file.reader(snapshot);
      const tree = tablesOf(walk(read, snapshot.main, snapshot)).get(table);
      if (tree === undefined) return;
      for (const item of walk(read, tree, snapshot, { from: at, values })) {
        stuck = 0;
        if (item.type === 'entry') at = Buffer.concat([item.key, new Uint8Array(1)]);
        else {
          const name = `${item.page} ${item.what}`;
          if (reported.has(name)) continue;
          reported.add(name);
        }
        yield item;
      }
      return;
    } catch (error) {
      if (!(error instanceof Moved) || ++stuck > ATTEMPTS) throw error;
    }
  }
}
