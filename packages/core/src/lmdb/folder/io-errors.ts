/**
 * Errors of the disk, of the file system and of LMDB, each as an error with a code and a remedy.
 *
 * LMDB reports by number, its binding by text, Node by a code; the three are compared here and nowhere else.
 */
import { statfsSync } from 'node:fs';
import { isStoplogError, StoplogError } from '../../pure/errors.ts';
import { DATA_FILE } from './files.ts';

const isFull = (path: string): boolean => {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize < 1024 * 1024;
  } catch {
    return false;
  }
};

/**
 * The messages of LMDB's binding where LMDB let no reader begin. The binding assumes that one can, so the message depends on the read that is
 * the first: most are TypeErrors about a property of the transaction that is null. Messages count, not classes: an error that has crossed a
 * thread has only its message.
 */
const NO_READER =
  /No transaction to renew|properties of (?:null|undefined) \((?:reading|setting) '(?:refCount|renewingRefCount|renewingCursors|address|notCurrent|isDone|done|use|renew|abort|flags)'\)/;

/** Turns an error of the file system or of LMDB into one with a code and a remedy. */
export const describeIo = (path: string, error: unknown): Error => {
  if (error instanceof StoplogError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const code = (error as { code?: unknown } | null)?.code;
  const is = (...signs: (string | number)[]): boolean => signs.some((sign) => code === sign || (typeof sign === 'string' && message.includes(sign)));
  // LMDB calls a write that was cut short, as at the end of a disk, an input/output error.
  if (is('ENOSPC', 'No space left', 28) || (is('EIO', 'Input/output error', 5) && isFull(path))) {
    return new StoplogError(
      'STOPLOG_LOG_FULL',
      { path },
      `no space left on the disk of ${path}: nothing of this commit was kept, reads go on, and writes do once there is space`,
      { cause: error },
    );
  }
  if (is('MDB_MAP_FULL', -30792)) {
    return new StoplogError('STOPLOG_LOG_FULL', { path }, `${path} has reached the size of its map: open it with a larger one, lmdb(path, { mapSize })`, {
      cause: error,
    });
  }
  if (is('EACCES', 'EPERM', 'Permission denied', 'Operation not permitted', 13)) {
    return new StoplogError(
      'STOPLOG_LOG_UNAVAILABLE',
      { path },
      `no permission for ${path}: run as the user who owns it, or give this one the right to read and write there`,
      { cause: error },
    );
  }
  if (is('EROFS', 'Read-only file system', 30)) {
    return new StoplogError('STOPLOG_LOG_UNAVAILABLE', { path }, `${path} is on a read-only file system: mount it for writing, or copy the folder elsewhere`, {
      cause: error,
    });
  }
  if (is('MDB_PANIC', -30795)) {
    return new StoplogError(
      'STOPLOG_LOG_UNAVAILABLE',
      { path },
      `LMDB has failed for good at ${path} in this process, as it does when another process is killed while it flushes, or when the disk takes no more: all acknowledged commits are kept. Restart this process`,
      { cause: error },
    );
  }
  // LMDB knows a process by its number, and two processes in containers may have the same one.
  if (NO_READER.test(message)) {
    return new StoplogError(
      'STOPLOG_LOG_UNAVAILABLE',
      { path, pid: process.pid },
      `no reader could begin in ${path}: another process with the number of this one, ${process.pid}, has it open, as processes in two containers can, or there are too many readers. ` +
        `Let the containers share their process numbers (docker run --pid), or run the processes in one`,
      { cause: error },
    );
  }
  // Node 24 has its own message when it cannot read a package's file.
  if (is('EMFILE', 'ENFILE', 'Too many open files', 'too many open files', 24)) {
    return new StoplogError('STOPLOG_TOO_FEW_FILES', { path }, `too many files are open: raise the limit (ulimit -n) or close some, then try again`, {
      cause: error,
    });
  }
  if (is('MDB_CORRUPTED', 'MDB_PAGE_NOTFOUND', 'MDB_INVALID', 'Invalid dupdata', -30796, -30797, -30793)) {
    return new StoplogError(
      'STOPLOG_LOG_CORRUPT',
      { path, file: DATA_FILE, reason: message },
      `${path} is damaged: ${message}. Restore the folder from a backup, or keep the rest with 'stoplog repair'`,
      { cause: error },
    );
  }
  return new StoplogError('STOPLOG_LOG_UNAVAILABLE', { path }, `${path} cannot be used: ${message}`, { cause: error });
};

/** The error of a copy of a log to, or in, `path`. */
export const describeCopying = (path: string, error: unknown): Error => {
  const described = describeIo(path, error);
  if (!isStoplogError(described) || described.code !== 'STOPLOG_LOG_FULL') return described;
  return new StoplogError(
    'STOPLOG_LOG_FULL',
    { path },
    `no space left for the copy on the disk of ${path}: nothing was left there, and the log is as it was. Make room for as much as is in use ('stoplog describe --log' says how much), or name another disk`,
    { cause: error },
  );
};
