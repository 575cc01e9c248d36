/**
 * Makes the data file as small as its contents: a fresh copy replaces it by one rename, while no process has the folder open.
 *
 * Whenever the process dies, the name stands for the old file or for the new one, and both hold every commit. LMDB's table of
 * readers shows the processes that have the folder open, since each of them takes a slot. Between that look and the rename a
 * process may still open the folder. So the rename happens under the write lock, after another look at the table and at the
 * number of the last commit, which must be the copied one; and a writer that has the old file open sees under the same lock
 * that its file has lost its name, and commits nothing to it (transactions.ts).
 */
import { chmodSync, chownSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Shrunk } from '../../port/administration.ts';
import type { Watch } from '../../port/watch.ts';
import { StoplogError } from '../../pure/errors.ts';
import { failpoint } from '../../failpoints/failpoint.ts';
import { syncFolder } from '../folder/durable.ts';
import { FLUSH_BEFORE, openEnv, othersWith, readers, type Env, type EnvOptions } from '../tables/env.ts';
import { createFolder, examineFolder } from '../folder/folder.ts';
import { DATA_FILE } from '../folder/files.ts';
import { describeCopying } from '../folder/io-errors.ts';
import { makeFreshCopy, type FreshCopy } from './fresh-copy.ts';
import { inodesIn, type FoundInodes } from '../folder/in-place.ts';
import { isOpenHere } from '../writer/host.ts';
import { newestCommit } from '../folder/slack.ts';
import { removeDead, unfinishedName } from '../folder/unfinished.ts';
import { usageOfEnv } from '../tables/usage.ts';
import { verifyFile } from '../doctor/verify.ts';

export const shrinkFolder = async (options: EnvOptions, watch: Watch): Promise<Shrunk> => {
  const found = examineFolder(options.path, options.groupMayWrite);
  if (found !== 'ours')
    throw new StoplogError('STOPLOG_LOG_UNAVAILABLE', { path: options.path }, `there is no log in ${options.path}: check the path; nothing was changed`);
  try {
    const path = createFolder(options.path, options.groupMayWrite);
    if (isOpenHere(path)) throw inUse(path, [process.pid]);
    removeDead(path, 'shrink');
    // Entries hidden by damage would not be copied, and would be lost with the old file.
    verifyFile(path, true);
    const folder = join(path, unfinishedName('shrink'));
    mkdirSync(folder, { mode: 0o700 });
    const env = openEnv({ ...options, path }, false);
    const opened = inodesIn(path);
    try {
      checkAlone(env);
      const before = usageOfEnv(env).fileBytes;
      let copied: number | undefined;
      const copy = await makeFreshCopy(env, folder, watch, () => (copied = snapshotOf(env)));
      failpoint('shrink.copied');
      swap(env, opened, copy, copied);
      failpoint('shrink.swapped');
      syncFolder(path);
      failpoint('shrink.synced');
      return { path, bytesBefore: before, bytes: copy.bytes };
    } finally {
      await env.root.close();
      rmSync(folder, { recursive: true, force: true });
    }
  } catch (error) {
    throw watch.signal?.aborted === true ? watch.signal.reason : describeCopying(options.path, error);
  }
};

const swap = (env: Env, opened: FoundInodes, copy: FreshCopy, copied: number | undefined): void => {
  env.root.transactionSync(() => {
    // A process that opened the folder with another lock file is in another table of readers.
    const { data, lock } = inodesIn(env.path);
    if (data !== opened.data || lock !== opened.lock) throw changed(env.path);
    checkAlone(env);
    if (copied === undefined || copied !== newestCommit(env.path)) throw changed(env.path);
    keepRights(join(env.path, DATA_FILE), copy.path);
    renameSync(copy.path, join(env.path, DATA_FILE));
  }, FLUSH_BEFORE);
};

/** Gives the copy to the user and the group that may use the old file: root shrinks the log of another user, too. */
const keepRights = (from: string, to: string): void => {
  const [{ uid, gid, mode }, made] = [statSync(from), statSync(to)];
  if (process.geteuid?.() === 0 && (uid !== made.uid || gid !== made.gid)) chownSync(to, uid, gid);
  chmodSync(to, mode & 0o7777);
};

/** The commit that was copied: among the readers, only this process holds a snapshot. */
const snapshotOf = (env: Env): number | undefined => readers(env).find(({ pid, commit }) => pid === process.pid && commit !== undefined)?.commit;

const checkAlone = (env: Env): void => {
  const others = othersWith(env);
  if (others.length > 0) throw inUse(env.path, others);
};

const inUse = (path: string, pids: readonly number[]): StoplogError =>
  new StoplogError(
    'STOPLOG_LOG_UNAVAILABLE',
    { path, pids },
    `${path} is open in ${pids.length === 1 ? 'process' : 'the processes'} ${pids.join(', ')}, and is shrunk only when nobody has it open: stop ${pids.length === 1 ? 'it' : 'them'} first. Nothing was changed`,
  );
const changed = (path: string): StoplogError =>
  new StoplogError(
    'STOPLOG_LOG_UNAVAILABLE',
    { path },
    `another process wrote to ${path} while it was being copied: stop it, and shrink again. Nothing was changed`,
  );
