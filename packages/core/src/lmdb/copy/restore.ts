/**
 * Restores a backup as a data folder: copies it, compares the copy with the manifest on the way, and puts it in place by one
 * link.
 *
 * The folder is a log from the moment its data file has its name, and the data file gets its name last, whole and flushed. A
 * link never replaces a file: when another process has created a log in the folder meanwhile, that log stays.
 */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync, linkSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Restored } from '../../port/administration.ts';
import type { Watch } from '../../port/watch.ts';
import { StoplogError } from '../../pure/errors.ts';
import { parseManifest, type Manifest } from '../layout/manifest.ts';
import { failpoint } from '../../failpoints/failpoint.ts';
import { syncFile, syncFolder } from '../folder/durable.ts';
import { BACKUP_FILE, DATA_FILE } from '../folder/files.ts';
import { checkDataFile } from '../folder/data-file.ts';
import { createFolder, markFolder } from '../folder/folder.ts';
import { describeCopying } from '../folder/io-errors.ts';
import { asUnfinished, removeDead, unfinishedName } from '../folder/unfinished.ts';

export const restoreBackup = async (from: string, to: string, watch: Watch): Promise<Restored> => {
  const source = resolve(from);
  const path = resolve(to);
  try {
    const manifest = manifestIn(source);
    const existed = existsSync(path);
    if (existed) removeDead(path, 'restore');
    checkEmpty(path);
    const folder = createFolder(path);
    const unfinished = join(folder, unfinishedName('restore'));
    try {
      mkdirSync(unfinished, { mode: 0o700 });
      await copyData(source, join(unfinished, DATA_FILE), manifest, watch);
      checkDataFile(unfinished, true);
      failpoint('restore.copied');
      linkSync(join(unfinished, DATA_FILE), join(folder, DATA_FILE));
      failpoint('restore.placed');
      markFolder(folder);
      rmSync(unfinished, { recursive: true });
      syncFolder(folder);
      syncFolder(dirname(folder));
    } catch (error) {
      rmSync(unfinished, { recursive: true, force: true });
      if (!existed && readdirSync(folder).length === 0) rmSync(folder, { recursive: true });
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw taken(path);
      throw error;
    }
    return { path, taken: manifest.taken, bytes: manifest.bytes, entries: manifest.entries };
  } catch (error) {
    throw watch.signal?.aborted === true ? watch.signal.reason : describeCopying(path, error);
  }
};

/** A file that is larger was not written by a backup, and is not read: it may be as large as the disk. */
const MANIFEST_BYTES_MAX = 64 * 1024;

const manifestIn = (source: string): Manifest => {
  const file = join(source, BACKUP_FILE);
  if (!existsSync(file)) {
    throw new StoplogError(
      'STOPLOG_LOG_FOREIGN',
      { path: source },
      `${source} is not a backup: it has no ${BACKUP_FILE}. Name a folder that 'stoplog backup' made; a data folder that was copied by other means is opened where it is`,
    );
  }
  const stats = statSync(file);
  if (!stats.isFile() || stats.size > MANIFEST_BYTES_MAX) throw damaged(source, `its ${BACKUP_FILE} has ${stats.size} bytes, and a manifest has a few hundred`);
  const manifest = parseManifest(source, readFileSync(file, 'utf8'));
  if (!existsSync(join(source, DATA_FILE)) || !lstatSync(join(source, DATA_FILE)).isFile()) throw damaged(source, `its ${DATA_FILE} is missing`);
  const { size } = statSync(join(source, DATA_FILE));
  if (size !== manifest.bytes) throw damaged(source, `its ${DATA_FILE} has ${size} bytes, and had ${manifest.bytes}`);
  return manifest;
};

const checkEmpty = (path: string): void => {
  if (existsSync(path) && readdirSync(path).length > 0) throw taken(path);
};

const copyData = async (source: string, target: string, manifest: Manifest, { signal, onProgress }: Watch): Promise<void> => {
  const hash = createHash('sha256');
  let passed = 0;
  const seeing = new Transform({
    transform: (chunk: Buffer, _, done) => {
      hash.update(chunk);
      passed += chunk.length;
      onProgress?.({ step: 'copying', passed, total: manifest.bytes });
      done(undefined, chunk);
    },
  });
  await pipeline(
    createReadStream(join(source, DATA_FILE), { highWaterMark: 1024 * 1024 }),
    seeing,
    createWriteStream(target, { flags: 'wx', mode: 0o600, highWaterMark: 1024 * 1024 }),
    { signal: signal ?? new AbortController().signal },
  );
  if (hash.digest('hex') !== manifest.sha256) throw damaged(source, `its ${DATA_FILE} is not what was backed up: the checksum differs`);
  syncFile(target);
};

const taken = (path: string): StoplogError => {
  const other = existsSync(path) ? readdirSync(path).flatMap((name) => asUnfinished(name) ?? [])[0] : undefined;
  return other === undefined
    ? new StoplogError(
        'STOPLOG_USAGE',
        { path },
        `${path} is not empty, and nothing is written over: restore into a new folder, or move the existing one away first`,
      )
    : new StoplogError('STOPLOG_USAGE', { path, pid: other.pid }, `process ${other.pid} is restoring into ${path}: wait for it, or end it and try again`);
};
const damaged = (path: string, why: string): StoplogError =>
  new StoplogError('STOPLOG_LOG_CORRUPT', { path, reason: why }, `the backup in ${path} is damaged: ${why}. Nothing was put in place; restore another backup`);
