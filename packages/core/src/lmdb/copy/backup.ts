/**
 * A backup: a folder with a copy of the data file and a manifest, made next to its final path and moved there by one rename.
 *
 * Whenever the process dies, there is a whole backup under the name or none. A backup is restored, and never opened: a log
 * that is opened is cleaned, gets heartbeats and appends, and would no longer be what was backed up.
 */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Backup } from '../../port/administration.ts';
import type { Watch } from '../../port/watch.ts';
import { StoplogError } from '../../pure/errors.ts';
import { FORMAT } from '../layout/keyspace.ts';
import { manifestText } from '../layout/manifest.ts';
import { failpoint } from '../../failpoints/failpoint.ts';
import { makeFolder, syncFolder, writeNew } from '../folder/durable.ts';
import type { Env } from '../tables/env.ts';
import { BACKUP_FILE } from '../folder/files.ts';
import { describeCopying } from '../folder/io-errors.ts';
import { makeFreshCopy } from './fresh-copy.ts';
import { besideName, removeDeadBeside } from '../folder/unfinished.ts';

export const makeBackup = async (env: Env, target: string, watch: Watch): Promise<Backup> => {
  const path = resolve(target);
  try {
    checkFree(path);
    makeFolder(dirname(path));
    removeDeadBeside(path);
    const folder = besideName(path);
    mkdirSync(folder, { mode: 0o700 });
    try {
      let taken = '';
      const copy = await makeFreshCopy(env, folder, watch, () => (taken = new Date().toISOString()));
      failpoint('backup.copied');
      const sha256 = await hashOf(copy.path, watch.signal);
      writeNew(join(folder, BACKUP_FILE), manifestText({ format: FORMAT, taken, bytes: copy.bytes, sha256, entries: copy.entries }));
      syncFolder(folder);
      failpoint('backup.whole');
      // The rename replaces an empty folder, and fails on a folder that was created meanwhile and holds anything.
      renameSync(folder, path);
      failpoint('backup.placed');
      syncFolder(dirname(path));
      return { path, taken, bytes: copy.bytes, sha256, entries: copy.entries };
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  } catch (error) {
    throw watch.signal?.aborted === true ? watch.signal.reason : describeCopying(path, error);
  }
};

const checkFree = (path: string): void => {
  if (!existsSync(path) || readdirSync(path).length === 0) return;
  throw new StoplogError('STOPLOG_USAGE', { path }, `${path} exists already, and nothing is written over: name a new folder, such as ${path}-2`);
};

export const hashOf = async (path: string, signal: AbortSignal | undefined): Promise<string> => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1024 * 1024 }), hash, { signal: signal ?? new AbortController().signal });
  return hash.digest('hex');
};
