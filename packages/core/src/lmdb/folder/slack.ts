/**
 * Keeps the data file longer than its last commit needs, so that a file that is shorter can only have been cut.
 *
 * A transaction that takes pages at the end of the file and gives them back leaves them unwritten, and the file shorter
 * than its meta page says, though nothing is missing (42 of 3,000 commits of a test made for it). To distinguish that from a
 * truncation, which would be a SIGBUS when read, the writer lengthens the file ahead of need: a hole, which takes no
 * space on the disk. This happens under the write lock, so that no process shortens a file that another has just lengthened.
 */
import { closeSync, fstatSync, ftruncateSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { PAGE_SIZE } from '../layout/keyspace.ts';
import { DATA_FILE } from './files.ts';
import { lastCommit, META_BYTES, neededBytes } from '../layout/pages/meta-page.ts';
import { fileReplaced, inodesIn } from './in-place.ts';

/** More than the pages that one transaction takes and gives back. */
const LEAST: number = 32 * 1024 * 1024;
const AHEAD: number = 64 * 1024 * 1024;

export interface DataFile {
  /** The inodes of the open data file and lock file: their names may be given to other files. */
  readonly inode: bigint;
  readonly lockInode: bigint;
  /** Lengthens the file if necessary, and returns the number of the last commit in it; a few microseconds, inside every write transaction. */
  readonly lengthen: () => number;
  /** The number of the last commit in it. */
  readonly newest: () => number;
  /** The name of the data file or the lock file, if it now belongs to another file than the open one, or to none. */
  readonly replaced: () => string | undefined;
  readonly close: () => void;
}

export const openDataFile = (path: string): DataFile => {
  const fd = openSync(join(path, DATA_FILE), 'r+');
  const pages = Buffer.alloc(PAGE_SIZE + META_BYTES);
  const inode = fstatSync(fd, { bigint: true }).ino;
  // 0 is no inode: a lock file that is already gone is found replaced by the first transaction.
  const lockInode = inodesIn(path).lock ?? 0n;
  const second = pages.subarray(PAGE_SIZE);
  let size = 0;
  const readNewest = (): number => {
    readSync(fd, pages, 0, pages.length, 0);
    return lastCommit(pages, second);
  };
  const lengthen = (): number => {
    const newest = readNewest();
    const needed = neededBytes(pages, second);
    if (size - needed >= LEAST) return newest;
    size = fstatSync(fd).size;
    if (size - needed >= LEAST) return newest;
    try {
      ftruncateSync(fd, needed + AHEAD);
      size = needed + AHEAD;
    } catch {
      // The size of files is limited: commits continue as far as the limit allows, and make the file as long as they need.
    }
    return newest;
  };
  return { inode, lockInode, lengthen, newest: readNewest, replaced: () => fileReplaced(path, { data: inode, lock: lockInode }), close: () => closeSync(fd) };
};

/** The number of the last commit in the file. */
export const newestCommit = (path: string): number => {
  const fd = openSync(join(path, DATA_FILE), 'r');
  try {
    const pages = Buffer.alloc(PAGE_SIZE + META_BYTES);
    readSync(fd, pages, 0, pages.length, 0);
    return lastCommit(pages, pages.subarray(PAGE_SIZE));
  } finally {
    closeSync(fd);
  }
};
