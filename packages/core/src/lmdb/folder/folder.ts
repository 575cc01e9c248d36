/**
 * Looks at a data folder before LMDB maps it, because afterwards it is too late for an exception.
 *
 * A data file shorter than its own meta page says is a SIGBUS when read; a foreign file would be taken over and changed.
 * So the folder is read with ordinary file calls first, and everything that is not ours is refused by name. Ours is
 * marked by `stoplog.json`, written last when a folder is created: without it, nothing here was ever promised.
 */
import { closeSync, existsSync, fsyncSync, lstatSync, openSync, readFileSync, readdirSync, realpathSync, renameSync, statSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { StoplogError } from '../../pure/errors.ts';
import { FORMAT, TABLES } from '../layout/keyspace.ts';
import { checkDataFile, foreign } from './data-file.ts';
import { BACKUP_FILE, DATA_FILE, LOCK_FILE } from './files.ts';
import { describeIo } from './io-errors.ts';
import { makeFolder, syncFolder } from './durable.ts';
import { checkRights, giveGroupWrite, setFileRights } from './rights.ts';
import { asUnfinished } from './unfinished.ts';

const MARK_FILE = 'stoplog.json';
/** A mark has less than a hundred bytes; later versions may have more to say. */
const MARK_BYTES_MAX = 64 * 1024;
/** Ends the name of a mark that is being written. */
const NOT_YET = '.new';

/** The result of `examineFolder`: no log yet, a folder of ours, or one whose mark is missing. */
export type FolderState = 'new' | 'ours' | 'unmarked';

/** `groupMayWrite`: the group of the folder is trusted (rights.ts). */
export const examineFolder = (path: string, groupMayWrite: boolean = false): FolderState => {
  try {
    return examine(path, groupMayWrite);
  } catch (error) {
    throw describeIo(path, error);
  }
};

const examine = (path: string, groupMayWrite: boolean): FolderState => {
  if (!existsSync(path)) return 'new';
  if (!statSync(path).isDirectory()) throw foreign(path, 'it is a file, not a folder');
  const entries = readdirSync(path);
  const files = [DATA_FILE, LOCK_FILE, MARK_FILE].filter((name) => entries.includes(name));
  for (const name of files) checkIsFile(path, name);
  if (entries.includes(BACKUP_FILE)) throw isBackup(path);
  checkUnfinished(path, entries);
  if (files.length > 0) checkRights(path, files, groupMayWrite);
  const marked = entries.includes(MARK_FILE);
  if (marked) checkMark(path);
  if (!entries.includes(DATA_FILE)) {
    if (marked) {
      throw new StoplogError(
        'STOPLOG_LOG_CORRUPT',
        { path, reason: 'missing' },
        `${path} was a Stoplog data folder, but its ${DATA_FILE} is gone: restore it from a backup, or delete the folder to start empty`,
      );
    }
    const others = entries.filter((name) => name !== LOCK_FILE && !(name.startsWith(MARK_FILE) && name.endsWith(NOT_YET)));
    if (others.length > 0) throw foreign(path, `it holds other files (${others.slice(0, 3).join(', ')})`);
    checkRights(path, [], groupMayWrite);
    return 'new';
  }
  checkDataFile(path, marked);
  return marked ? 'ours' : 'unmarked';
};

const checkMark = (path: string): void => {
  const file = join(path, MARK_FILE);
  // A file of gigabytes fits in no string.
  const { size } = statSync(file);
  if (size > MARK_BYTES_MAX) throw foreign(path, `its ${MARK_FILE} has ${size} bytes`);
  const text = readFileSync(file, 'utf8');
  let format: unknown;
  try {
    format = (JSON.parse(text) as { format?: unknown }).format;
  } catch {
    throw foreign(path, `its ${MARK_FILE} is not JSON`);
  }
  if (typeof format !== 'number') throw foreign(path, `its ${MARK_FILE} names no format`);
  if (format > FORMAT) {
    throw new StoplogError(
      'STOPLOG_LOG_FORMAT',
      { path, found: format, known: FORMAT },
      `${path} has format ${format}, this version of Stoplog reads up to ${FORMAT}: upgrade @stoplog/core; the folder was not touched`,
    );
  }
};

/** A file without our mark is ours if its creation was interrupted, and then it holds no tables but ours. */
export const checkTables = (path: string, found: readonly string[]): void => {
  const other = found.find((name) => !(TABLES as readonly string[]).includes(name));
  if (other !== undefined) throw foreign(path, `its ${DATA_FILE} belongs to another program (it holds '${other}')`);
};

/** Makes the folder with rights for its owner only, or for its group too, and resolves links, so that two names of it become the same path. */
export const createFolder = (path: string, groupMayWrite: boolean = false): string => {
  try {
    makeFolder(path);
    if (groupMayWrite) giveGroupWrite(path);
    return realpathSync(path);
  } catch (error) {
    throw describeIo(path, error);
  }
};

/** Marks a folder as ours, as the last step: durable before it is believed. Several processes may do so at the same time. */
export const markFolder = (path: string, groupMayWrite: boolean = false): void => {
  if (!existsSync(join(path, MARK_FILE))) writeMark(path);
  const names = groupMayWrite ? [DATA_FILE, LOCK_FILE, MARK_FILE] : [DATA_FILE, LOCK_FILE];
  for (const name of names) if (existsSync(join(path, name))) setFileRights(join(path, name), groupMayWrite);
};
const writeMark = (path: string): void => {
  const fresh = join(path, `${MARK_FILE}.${process.pid}-${threadId}${NOT_YET}`);
  const fd = openSync(fresh, 'w', 0o600);
  try {
    writeSync(fd, `${JSON.stringify({ format: FORMAT, what: 'a Stoplog data folder: see docs/internals/format.md' })}\n`);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(fresh, join(path, MARK_FILE));
  // New files survive a power cut only if their folder was flushed as well.
  syncFolder(path);
  syncFolder(dirname(path));
};

/**
 * Refuses links: a link would connect the lock of one folder to the data of another, and a write to any file it names. Refuses pipes
 * and folders: opening a pipe waits for a writer.
 */
const checkIsFile = (path: string, name: string): void => {
  const stats = lstatSync(join(path, name));
  if (stats.isFile()) return;
  if (!stats.isSymbolicLink()) throw foreign(path, `its ${name} is no file`);
  throw new StoplogError(
    'STOPLOG_LOG_UNAVAILABLE',
    { path, file: name },
    `${join(path, name)} is a symbolic link: put the file itself there; to keep a log elsewhere, link the whole folder. Nothing was changed`,
  );
};
const isBackup = (path: string): StoplogError =>
  new StoplogError(
    'STOPLOG_LOG_UNAVAILABLE',
    { path },
    `${path} is a backup, which is not opened, for that would change it: restore it first, stoplog restore ${path} --log lmdb:./data`,
  );
const checkUnfinished = (path: string, entries: readonly string[]): void => {
  for (const { making, pid, alive } of entries.flatMap((name) => asUnfinished(name) ?? [])) {
    // Beside a whole data file, the file of a killed shrink is useless, and is removed.
    if (making === 'shrink' && !alive) continue;
    if (making === 'restore' && entries.includes(DATA_FILE)) continue;
    throw new StoplogError(
      'STOPLOG_LOG_UNAVAILABLE',
      { path, pid },
      alive
        ? `process ${pid} is ${making === 'shrink' ? 'shrinking' : 'restoring'} ${path}: open it when that is done. Nothing was changed`
        : `a restore into ${path} was cut off: run stoplog restore again, or delete the folder to start empty. Nothing was changed`,
    );
  }
};
