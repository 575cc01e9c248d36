/**
 * Whether others may change what is in a data folder: who may, can hand the process any bytes, and LMDB trusts its pages.
 *
 * A folder that others may write to, or that belongs to another user, is refused. Root may open anybody's, as it does where a
 * container runs as root on a volume of somebody else's; and a folder that root owns is nobody else's. Windows has no such rights.
 */
import { accessSync, chmodSync, constants, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StoplogError } from '../../pure/errors.ts';

const OTHERS_MAY_WRITE = 0o022;
const ROOT = 0;

/** `files` are those that are there and will be written to: LMDB does not survive it when it may not (SIGSEGV). */
export const checkRights = (path: string, files: readonly string[]): void => {
  checkOthers(path);
  accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  for (const name of files) accessSync(join(path, name), constants.R_OK | constants.W_OK);
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
  // An empty one is made ours, as a new one is.
  if (uid === me && readdirSync(path).length === 0) return chmodSync(path, 0o700);
  throw new StoplogError(
    'STOPLOG_LOG_UNAVAILABLE',
    { path, mode: (mode & 0o777).toString(8) },
    `others may write to ${path} (mode ${(mode & 0o777).toString(8)}), and who may can damage the log: ${uid === me || me === ROOT ? `run chmod go-w ${path}` : `name a folder inside it, such as ${path}/log`}`,
  );
};
