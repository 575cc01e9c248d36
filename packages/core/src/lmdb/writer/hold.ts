/**
 * Leaves the name of this process in the open folder, and checks each second whether it still holds the lock (lock-holders.ts).
 */
import { holdsLock, leaveName, lostText, removeNames } from '../folder/lock-holders.ts';
import type { DataFile } from '../folder/slack.ts';
import { othersWith, type Env } from '../tables/env.ts';

const LOOK_MS = 1_000;

export interface Hold {
  /** Called before the environment is closed: a name without a lock would mark a process that lost its lock. */
  readonly release: () => void;
}

/** `warn` is called once, if this process has lost its lock. */
export const holdFolder = (path: string, env: Env, { inode, lockInode }: DataFile, warn: (text: string) => void): Hold => {
  removeNames(path, othersWith(env).length === 0);
  const takeAway = leaveName(path, { data: inode, lock: lockInode });
  if (takeAway === undefined) return { release: () => {} };
  const look = setInterval(() => {
    if (holdsLock(lockInode) !== false) return;
    clearInterval(look);
    warn(lostText(path));
  }, LOOK_MS);
  return {
    release: () => {
      clearInterval(look);
      takeAway();
    },
  };
};
