/**
 * Checks that other users cannot change the files of a data folder: a user who can is able to hand the process any bytes, and LMDB
 * trusts its pages.
 *
 * A folder that others may write to, or that belongs to another user, is refused. Root may open the folder of any user, as when a
 * container runs as root on a foreign volume; and a folder of root counts as safe. Windows has no such rights.
 *
 * `groupMayWrite` is the declaration that the folder's group is trusted as its owner is: members of the group may own the folder, and its
 * files are made for all of them. A folder that everybody may write to is refused in any case.
 */
import { accessSync, chmodSync, constants, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StoplogError } from '../../pure/errors.ts';

const OTHERS_MAY_WRITE = 0o022;
const GROUP_MAY_WRITE = 0o020;
const EVERYBODY_MAY_WRITE = 0o002;
const ROOT = 0;

/** New files in the folder get its group (setgid), and not the group of the process that makes them. */
const SHARED_FOLDER = 0o2770;

/** `files` are the existing ones that will be written to: LMDB does not survive a write that is not permitted (SIGSEGV). */
export const checkRights = (path: string, files: readonly string[], groupMayWrite: boolean = false): void => {
  checkOthers(path, groupMayWrite);
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

/** Lets the group of a folder write to it, if the folder belongs to this user; other members of the group leave it as it is. */
export const giveGroupWrite = (path: string): void => {
  const { uid, mode } = statSync(path);
  if (uid === process.geteuid?.() && (mode & SHARED_FOLDER) !== SHARED_FOLDER) chmodSync(path, (mode & 0o7777) | SHARED_FOLDER);
};

/** Sets who may read and write a file of the folder: its owner, or the group too. Only the owner of a file and root can. */
export const setFileRights = (path: string, groupMayWrite: boolean): void => {
  const wanted = groupMayWrite ? 0o660 : 0o600;
  const { uid, mode } = statSync(path);
  const me = process.geteuid?.();
  if ((mode & 0o7777) !== wanted && (me === undefined || me === uid || me === ROOT)) chmodSync(path, wanted);
};

const checkOthers = (path: string, groupMayWrite: boolean): void => {
  const me = process.geteuid?.();
  if (me === undefined) return;
  const { uid, gid, mode } = statSync(path);
  const octal = (mode & 0o777).toString(8);
  if (uid !== me && uid !== ROOT && me !== ROOT && !(groupMayWrite && isMember(gid))) {
    const trusted =
      isMember(gid) && (mode & GROUP_MAY_WRITE) !== 0 ? `; or, if you trust its group ${gid}, open it with lmdb(path, { groupMayWrite: true })` : '';
    throw new StoplogError(
      'STOPLOG_LOG_UNAVAILABLE',
      { path, owner: uid, user: me },
      `${path} belongs to user ${uid}, and this process runs as user ${me}: run it as the one who owns the folder, or name a folder of your own${trusted}`,
    );
  }
  if ((mode & (groupMayWrite ? EVERYBODY_MAY_WRITE : OTHERS_MAY_WRITE)) === 0) return;
  // An empty folder is made private, like a new one.
  if (uid === me && readdirSync(path).length === 0) return chmodSync(path, 0o700);
  const onlyGroup =
    (mode & OTHERS_MAY_WRITE) === GROUP_MAY_WRITE
      ? ', or open it with lmdb(path, { ownerOnly: true }), which does so at each start, or with { groupMayWrite: true } if you trust everybody in its group'
      : '';
  const remedy = uid === me || me === ROOT ? `run chmod ${groupMayWrite ? 'o-w' : 'go-w'} ${path}${onlyGroup}` : `name a folder inside it, such as ${path}/log`;
  throw new StoplogError(
    'STOPLOG_LOG_UNAVAILABLE',
    { path, mode: octal },
    `others may write to ${path} (mode ${octal}), which lets them damage the log: ${remedy}`,
  );
};

const isMember = (gid: number): boolean => gid === process.getegid?.() || process.getgroups?.().includes(gid) === true;
