/**
 * Walks the tree pages of a data file before LMDB maps it, and refuses a damaged file.
 *
 * LMDB trusts its pages, which have no checksum: a flipped bit in one of them ends the process by a signal, or silently hides
 * the pages below it. So the first open of a folder in a process walks it with our own reader, as `stoplog check` does: page
 * numbers, kinds, nodes within their page, keys in order, counts, every page used once, and the seals of values on these
 * pages. Batches are left out: each has a checksum that is checked when it is read, and a hidden batch leaves a gap.
 *
 * Where the walk would take longer than an open may take, it is left out unless requested. The duration is known in advance:
 * each tree says how many pages it has.
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

/** The number of pages that are walked without a request, 4 MB: some twenty milliseconds. */
const MOST_PAGES = 512;
/** Where other processes commit faster than damage can be read twice, they have the file open, and live. */
const ATTEMPTS = 20;

/** `wanted` false skips the walk. The folder must be a Stoplog folder, and its data file as long as it says. */
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
      // A page that was overwritten while it was read is no damage: only faults in a commit that is still the last one count.
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

/** The commit that LMDB will open. After a power cut that is not the newest one, whose pages may be missing. */
const mayBeOpened = (metas: Metas, newest: Snapshot): readonly Snapshot[] => {
  const boot = bootNumber();
  const opened = openedOf(metas, boot ?? 0) ?? newest;
  if (boot !== undefined || opened === newest) return [opened];
  return [newest, opened];
};

const faultOf = (file: PageFile, snapshot: Snapshot, isAlways: boolean): PageFault | undefined => {
  // Reads without looking at the meta pages after each page: they are read at the end, if anything was found.
  const read: ReadPages = (page, count) => file.page(page, count);
  if (!isAlways && snapshot.lastPage > MOST_PAGES && pagesToWalk(read, snapshot) > MOST_PAGES) return undefined;
  for (const fault of faultsOf(read, snapshot, file.account(snapshot), true)) if (fault !== undefined) return fault;
  return undefined;
};

const pagesToWalk = (read: ReadPages, snapshot: Snapshot): number => {
  let pages = 0;
  const tables = tablesOf(walk(read, snapshot.main, snapshot));
  for (const [name, { branches, leaves, overflows, entries }] of [['', snapshot.free] as const, ['', snapshot.main] as const, ...tables])
    // For a batch on pages of its own, only the header of the first page is checked.
    pages += branches + leaves + (name === 'log' ? Math.min(overflows, entries) : overflows);
  // A tree that says it has more pages than the file has is damaged, and must be walked.
  return pages > snapshot.lastPage ? 0 : pages;
};

/** The number by which LMDB notices a restart of the machine since a commit; undefined where only LMDB knows it. */
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
