/**
 * The data file as its two meta pages describe it, read with ordinary file calls: LMDB maps the file unchecked, and a file that
 * is shorter than its last commit is a SIGBUS when read.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { StoplogError } from '../../pure/errors.ts';
import { hasMagic, META_BYTES, neededBytes, pageSizeOf, pageSizeProblem } from '../layout/pages/meta-page.ts';
import { DATA_FILE } from './files.ts';

export const checkDataFile = (path: string, marked: boolean): void => {
  const fd = openSync(join(path, DATA_FILE), 'r');
  try {
    const size = fstatSync(fd).size;
    // Without a mark nothing is promised yet: another process may be creating the folder at this moment.
    if (!marked && size === 0) return;
    const first = readAt(fd, 0);
    if (first === undefined) throw torn(path, size, 'it is empty or shorter than a meta page');
    if (!hasMagic(first)) throw marked ? torn(path, size, 'its first meta page is damaged') : foreign(path, `its ${DATA_FILE} is not an LMDB file`);
    const pageSize = pageSizeOf(first);
    const problem = pageSizeProblem(pageSize);
    if (problem !== undefined) throw torn(path, size, problem);
    const second = readAt(fd, pageSize);
    if (second === undefined) throw torn(path, size, 'it ends before its second meta page');
    if (!hasMagic(second)) throw torn(path, size, 'its second meta page is damaged');
    if (pageSizeOf(second) !== pageSize) throw torn(path, size, 'its meta pages disagree');
    const needed = neededBytes(first, second);
    // The size is read after the pages: in between, another process may have made the file longer, and never shorter.
    const long = fstatSync(fd).size;
    if (marked && long < needed) throw torn(path, long, `its last commit needs ${needed} bytes`);
  } finally {
    closeSync(fd);
  }
};

const readAt = (fd: number, position: number): Buffer | undefined => {
  const page = Buffer.alloc(META_BYTES);
  return readSync(fd, page, 0, META_BYTES, position) === META_BYTES ? page : undefined;
};

/** The error for a folder that another program made. */
export const foreign = (path: string, why: string): StoplogError =>
  new StoplogError('STOPLOG_LOG_FOREIGN', { path }, `${path} is not a Stoplog data folder: ${why}. Choose an empty or a new folder; nothing was changed`);

const torn = (path: string, size: number, why: string): StoplogError =>
  new StoplogError(
    'STOPLOG_LOG_CORRUPT',
    { path, file: DATA_FILE, size, reason: why },
    `${join(path, DATA_FILE)} is damaged (${size} bytes): ${why}. It was not opened; restore the folder from a backup, or keep the rest with 'stoplog repair'`,
  );
