/** Makes a new data file from a log: whole, verified, flushed, and as long as its last page. */
import { chmodSync, closeSync, fsyncSync, openSync, readSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { Watch } from '../../port/watch.ts';
import { copyTables, verifyCopy, type Copied } from './copy.ts';
import { syncFolder } from '../folder/durable.ts';
import { openEnv, openFresh, stats, type Env } from '../tables/env.ts';
import { PAGE_SIZE } from '../layout/keyspace.ts';
import { DATA_FILE, LOCK_FILE } from '../folder/files.ts';
import { META_BYTES, neededBytes } from '../layout/pages/meta-page.ts';

export interface FreshCopy extends Copied {
  readonly path: string;
  readonly bytes: number;
}

/** `folder` must be new and used by no other process; afterwards it holds the data file. */
export const makeFreshCopy = async (from: Env, folder: string, watch: Watch, taken?: () => void): Promise<FreshCopy> => {
  const path = join(folder, DATA_FILE);
  const mapSize = mapFor(from);
  const made = openFresh(folder, mapSize);
  let copied: Copied;
  try {
    chmodSync(path, 0o600);
    copied = await copyTables(from, made, watch, taken);
  } finally {
    await made.root.close();
  }
  const bytes = trim(path);
  const copy = openEnv({ path: folder, mapSize }, true);
  try {
    await verifyCopy(copy, copied, watch);
  } finally {
    await copy.root.close();
  }
  rmSync(join(folder, LOCK_FILE));
  syncFolder(folder);
  return { path, bytes, entries: copied.entries, checksum: copied.checksum };
};

/** A map with room for the copy, and no more: a process that opens the log with a small map may have little address space. */
const mapFor = (from: Env): number => GIB * Math.ceil(1 + (2 * stats(from).lastPageNumber * PAGE_SIZE) / GIB);
const GIB = 2 ** 30;

/**
 * Pages that were allocated and freed may be missing at the end of the file, and LMDB keeps holes behind it: the file is cut
 * after its last page.
 */
const trim = (path: string): number => {
  const fd = openSync(path, 'r+');
  try {
    const pages = Buffer.alloc(PAGE_SIZE + META_BYTES);
    readSync(fd, pages, 0, pages.length, 0);
    const needed = neededBytes(pages, pages.subarray(PAGE_SIZE));
    truncateSync(path, needed);
    fsyncSync(fd);
    return needed;
  } finally {
    closeSync(fd);
  }
};
