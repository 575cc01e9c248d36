/** A data file made anew from a log: whole, verified, on the disk, and as long as its last page. */
import { chmodSync, closeSync, fsyncSync, openSync, readSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { Watch } from '../../port/watch.ts';
import { copyTables, verifyCopy, type Copied } from './copy.ts';
import { syncFolder } from '../folder/durable.ts';
import { openEnv, openFresh, stats, type Env } from '../tables/env.ts';
import { PAGE_SIZE } from '../layout/keyspace.ts';
import { DATA_FILE, LOCK_FILE } from '../folder/files.ts';
import { META_BYTES, neededBytes } from '../folder/folder.ts';

export interface FreshCopy extends Copied {
  readonly path: string;
  readonly bytes: number;
}

/** `folder` is new, and nobody else's; what is in it afterwards is the data file. */
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

/** Room for the copy, and no more: whoever opens the log with a small map may have little address space. */
const mapFor = (from: Env): number => GIB * Math.ceil(1 + (2 * stats(from).lastPageNumber * PAGE_SIZE) / GIB);
const GIB = 2 ** 30;

/** Pages that were taken and given back may be missing at the end of the file, and holes are kept behind it: it ends where its last page does. */
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
