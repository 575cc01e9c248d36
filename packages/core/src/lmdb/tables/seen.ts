/**
 * A thread that reads sees every commit that was acknowledged to it, and every commit that it has read.
 *
 * A read transaction takes the number of the last commit from the lock file, and a process that opens the folder can set that
 * number back by one (decision 0018). Until the next commit the thread would then read the commit before the last: an acknowledged
 * record would be missing, a store would return an old value, and the position behind the newest record would be out of range.
 * So the thread keeps the highest number that it knows, and corrects the lock file when a transaction begins below it.
 */
import { StoplogError } from '../../pure/errors.ts';
import type { Env } from './env.ts';
import { setRight } from './set-right.ts';

/** A commit of another process writes its page first and the number a moment later. */
const SPINS = 100;
const ATTEMPTS = 20;

/** Notes a commit that was acknowledged to this thread. */
export const saw = (env: Env, commit: number): void => {
  if (isBelow(env.seen.commit, commit)) env.seen.commit = commit | 0;
};

/** Begins a new read transaction, on a commit that is not older than any that this thread knows. */
export const refresh = (env: Env): void => {
  env.root.resetReadTxn();
  // The writer reads inside its own transactions, whose commits may be rolled back; transactions.ts checks them.
  if (!env.readOnly) return;
  for (let n = 0; isStale(env); n++) {
    if (n === SPINS + ATTEMPTS)
      throw new StoplogError(
        'STOPLOG_LOG_UNAVAILABLE',
        { path: env.path },
        `${env.path} is opened by others so often that its last commit cannot be read: try again when fewer processes start at once`,
      );
    if (n >= SPINS) setRight(env);
    env.root.resetReadTxn();
  }
};

/** The same for a single lookup, which goes on with a read transaction of the same turn of the event loop. */
export const check = (env: Env): void => {
  const { seen } = env;
  if (seen.isChecked) return;
  if (isStale(env)) refresh(env);
  // The library ends a read transaction in a later turn.
  seen.isChecked = true;
  queueMicrotask(() => {
    seen.isChecked = false;
  });
};

const isStale = (env: Env): boolean => {
  const snapshot = env.snapshot();
  if (isBelow(snapshot, env.seen.commit)) return true;
  env.seen.commit = snapshot;
  return false;
};

/** The numbers are the low 32 bits, which begin at zero again after four billion commits. */
const isBelow = (a: number, b: number): boolean => ((a - b) | 0) < 0;
