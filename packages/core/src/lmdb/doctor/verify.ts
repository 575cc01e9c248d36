/**
 * Walks the tree pages of a data file before LMDB maps it, and refuses one that is damaged.
 *
 * LMDB trusts its pages, which have no checksum: a flipped bit in one of them ends the process by a signal, or hides what lies
 * below it without a word. So whoever opens a folder first in a process has it walked by our own reader, as `stoplog check` does:
 * page numbers, kinds, nodes within their page, keys in order, counts, every page used once, and the seals of what lies
 * on these pages. Batches are left out: each has a checksum that is looked at when it is read, and one that is hidden leaves a gap.
 *
 * Where that would take longer than an opening may, it is left out unless it is asked for. How long is known ahead: each tree says
 * how many pages it has.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StoplogError } from '../../pure/errors.ts';
import { openedOf, type Metas, type Snapshot } from '../layout/pages/meta-page.ts';
import { walk, type ReadPages } from '../layout/pages/walk.ts';
import { faultsOf, type PageFault } from './check-pages.ts';
import { PAGE_SIZE } from '../layout/keyspace.ts';
import { DATA_FILE } from '../folder/files.ts';
import { describeIo } from '../folder/io-errors.ts';
import { PageFile, tablesOf } from './page-file.ts';

/** So many pages are walked without being asked for, 4 MB of them: twenty milliseconds or so. */
const MOST_PAGES = 512;
/** Where others commit faster than damage can be looked at twice, they have the file open, and live. */
const ATTEMPTS = 20;

/** `wanted` false: not at all. The folder is one of ours, and its data file as long as it says. */
export const verifyFile = (path: string, wanted: boolean | undefined): void => {
  if (wanted === false) return;
  let file: PageFile;
  try {
    file = new PageFile(path, PAGE_SIZE);
  } catch (error) {
    throw describeIo(path, error);
  }
  try {
    for (let n = 0; n < ATTEMPTS; n++) {
      const metas = file.metas();
      const fault = faultIn(file, metas, wanted === true);
      if (fault === undefined) return;
      // A page that was written over while it was read is no damage: only what is seen in a commit that still is the last one.
      if (metas.newest === undefined || file.isNewest(metas.newest)) throw damaged(path, fault);
    }
  } catch (error) {
    throw describeIo(path, error);
  } finally {
    file.close();
  }
};

const faultIn = (file: PageFile, metas: Metas, isAlways: boolean): PageFault | undefined => {
  const [problem] = metas.problems;
  if (problem !== undefined) return { rule: 'page', page: problem.page, what: problem.what };
  const { newest } = metas;
  if (newest === undefined) return { rule: 'file', what: 'neither of its meta pages can be read' };
  if (newest.pageSize !== file.pageSize) return { rule: 'file', what: `its pages have ${newest.pageSize} bytes, ours ${file.pageSize}` };
  let fault: PageFault | undefined;
  for (const snapshot of mayBeOpened(metas, newest)) {
    fault = faultOf(file, snapshot, isAlways);
    if (fault === undefined) return undefined;
  }
  return fault;
};

/** The commit that LMDB will open. After a power cut it is not the newest, of which pages may be missing. */
const mayBeOpened = (metas: Metas, newest: Snapshot): readonly Snapshot[] => {
  const boot = bootNumber();
  const opened = openedOf(metas, boot ?? 0) ?? newest;
  if (boot !== undefined || opened === newest) return [opened];
  return [newest, opened];
};

const faultOf = (file: PageFile, snapshot: Snapshot, isAlways: boolean): PageFault | undefined => {
  // Without a look at the meta pages after each: there is one at the end, if anything was found.
  const read: ReadPages = (page, count) => file.page(page, count);
  if (!isAlways && snapshot.lastPage > MOST_PAGES && pagesToWalk(read, snapshot) > MOST_PAGES) return undefined;
  for (const fault of faultsOf(read, snapshot, file.account(snapshot), true)) if (fault !== undefined) return fault;
  return undefined;
};

const pagesToWalk = (read: ReadPages, snapshot: Snapshot): number => {
  let pages = 0;
  const tables = tablesOf(walk(read, snapshot.main, snapshot));
  for (const [name, { branches, leaves, overflows, entries }] of [['', snapshot.free] as const, ['', snapshot.main] as const, ...tables])
    // Of a batch that lies on pages of its own only the head of the first is looked at.
    pages += branches + leaves + (name === 'log' ? Math.min(overflows, entries) : overflows);
  // A tree that says it has more than the file has is damaged, and no reason to look away.
  return pages > snapshot.lastPage ? 0 : pages;
};

/** By what LMDB tells whether the machine was started anew since a commit; undefined where only it knows. */
const bootNumber = (): number | undefined => {
  try {
    return Number.parseInt(readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').slice(0, 8), 16);
  } catch {
    return undefined;
  }
};

const damaged = (path: string, { table, page, what }: PageFault): StoplogError =>
  new StoplogError(
    'STOPLOG_LOG_CORRUPT',
    { path, file: DATA_FILE, ...(table === undefined ? {} : { table }), ...(page === undefined ? {} : { page }), reason: what },
    `${join(path, DATA_FILE)} is damaged: ${[page === undefined ? [] : `page ${page}`, table === undefined ? [] : `table '${table}'`].flat().join(' of ')}${page === undefined && table === undefined ? '' : ': '}${what}. ` +
      `It was not opened; see everything that is wrong with 'stoplog check', then keep the rest with 'stoplog repair', or restore the folder from a backup`,
  );
