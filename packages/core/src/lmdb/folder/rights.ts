/**
 * Checks that other users cannot change the files of a data folder: a user who can is able to hand the process any bytes, and LMDB
 * trusts its pages.
 *
 * A folder that others may write to, or that belongs to another user, is refused. Root may open the folder of any user, as when a
 * container runs as root on a foreign volume; and a folder of root counts as safe. Windows has no such rights.
 */
import { accessSync, chmodSync, constants, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StoplogError } from '../../pure/errors.ts';

const OTHERS_MAY_WRITE = 0o022;
const GROUP_MAY_WRITE = 0o020;
const ROOT = 0;

/** `files` are the existing ones that will be written to: LMDB does not survive a write that is not permitted (SIGSEGV). */
export const checkRights = (path: string, files: readonly string[]): void => {
  checkOthers(path);
  accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  for (const name of files) accessSync(join(path, name), constants.R_OK | constants.W_OK);
};

/**
 * Takes the right to write from the group of a folder that belongs to this user. A platform adds it to volumes between two starts
 * (`fsGroup` of Kubernetes). A folder that everybody may write to stays as it is, and is refused.
 */
export const removeGroupWrite = (path: string): void => {
  const { uid, mode } = statSync(path, { throwIfNoEntry: false }) ?? {};
  if (uid === undefined || mode === undefined || uid !== process.geteuid?.()) return;
  if ((mode & OTHERS_MAY_WRITE) === GROUP_MAY_WRITE) chmodSync(path, mode & 0o7777 & ~GROUP_MAY_WRITE);
};

const checkOthers = (path: string): void => {
  const me = process.geteuid?.();
  if (me === undefined) return;
  const { uid, mode } = statSync(path);
  if (uid !== me && uid !== ROOT && me !== ROOT) {
    throw new StoplogError(
      'STOPLOG_LOG_UNAVAILABLE',
      { path, owner: uid, user: me },
      `${path} belongs to user ${uid}, and this process runs as user ${me}: run it as the one who owns the folder, or name a folder of your own`,
    );
  }
  if ((mode & OTHERS_MAY_WRITE) === 0) return;
  // An empty folder is made private, like a new one.
  if (uid === me && readdirSync(path).length === 0) return chmodSync(path, 0o700);
  const onlyGroup = (mode & OTHERS_MAY_WRITE) === GROUP_MAY_WRITE ? ', or open it with lmdb(path, { ownerOnly: true }), which does so at each start' : '';
  throw new StoplogError(
    'STOPLOG_LOG_UNAVAILABLE',
    { path, mode: (mode & 0o777).toString(8) },
    `others may write to ${path} (mode ${(mode & 0o777).toString(8)}), which lets them damage the log: ${uid === me || me === ROOT ? `run chmod go-w ${path}${onlyGroup}` : `name a folder inside it, such as ${path}/log`}`,
  );
};
