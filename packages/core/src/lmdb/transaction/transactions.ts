/**
 * Opens write transactions that build on the last commit, and on nothing else.
 *
 * Every process that opens an LMDB file writes the number that it read as the last commit's into the shared lock table
 * (`mdb_env_open2`), without a lock. If another process has committed since, the number goes back by one, and the next
 * transaction would be built on the commit before the last and overwrite it: an acknowledged commit gone, two values
 * at one offset (seen twice in eight runs of sixty processes that opened a folder under load). The meta pages in the file
 * have the right number. So inside each transaction, before the first put, the number LMDB gave it is compared with theirs; if it
 * is behind, nothing is written, the number is corrected by opening the file once more while this process does not commit, and
 * the transaction is retried (docs/decisions/0018).
 *
 * No transaction begins in files that have lost their names (in-place.ts). A commit to a data file without a name is gone with the
 * process (shrink.ts); a lock file without a name keeps no process out that opens the folder later. A commit is acknowledged only if
 * both names were right when its transaction began and still right when it had ended: then no other process can have opened the
 * folder with another lock in between, so none can have overwritten the commit.
 *
 * No transaction begins after one whose flush failed. The failed commit may already be visible (flushing.ts), so retrying could apply
 * it twice; and a system forgets the pages that it could not write: the next flush would report success, and a commit built on the
 * lost pages would be lost too.
 */
import { join } from 'node:path';
import { StoplogError } from '../../pure/errors.ts';
import type { Env, EnvOptions } from '../tables/env.ts';
import { setRight } from '../tables/set-right.ts';
import { Flushing } from './flushing.ts';
import { through } from './gate.ts';
import { DATA_FILE, LOCK_FILE } from '../folder/files.ts';
import type { DataFile } from '../folder/slack.ts';

class SetBack extends Error {}

const ATTEMPTS = 20;
/**
 * The write lock is not fair: a process that takes it again at once takes it before those that wait have woken up, and they may wait for
 * minutes. So a busy process pauses between two transactions while others have the folder open, for longer than a thread takes to wake.
 */
const PAUSE_MS = 0.5;
const nobody = new Int32Array(new SharedArrayBuffer(4));

/**
 * Runs `write` inside a transaction, and returns the number of the newest commit then; an error rolls the transaction back.
 * `showsEarly`: the commit will be visible before it is flushed.
 */
export type Transact = (write: (showsEarly: boolean) => void) => number;

export const transactions = (env: Env, options: EnvOptions, gate: Int32Array, file: DataFile, flushing: Flushing = new Flushing(env)): Transact => {
  let broken: StoplogError | undefined;
  let endedAt = -Infinity;
  const attempt = (write: (showsEarly: boolean) => void): number => {
    /** The number of the commit in progress. */
    let number = Infinity;
    try {
      through(gate, () =>
        env.root.transactionSync(() => {
          const newest = file.lengthen();
          const gone = file.replaced();
          if (gone !== undefined) throw replaced(options.path, gone);
          const begun = env.root.getWriteTxnId();
          if (begun <= newest) throw new SetBack();
          write(flushing.showsEarly);
          number = begun;
        }, flushing.flags),
      );
    } catch (error) {
      if (file.newest() >= number) throw (broken = unflushed(options.path, error));
      throw error;
    }
    const gone = file.replaced();
    if (gone !== undefined) throw (broken = replacedMeanwhile(options.path, gone));
    endedAt = performance.now();
    return file.newest();
  };
  return (write) => {
    if (broken !== undefined) throw broken;
    if (flushing.hasOthers && performance.now() - endedAt < PAUSE_MS) Atomics.wait(nobody, 0, 0, PAUSE_MS);
    for (let n = 1; ; n++) {
      try {
        return attempt(write);
      } catch (error) {
        if (!(error instanceof SetBack)) throw error;
        if (n === ATTEMPTS) {
          throw new StoplogError(
            'STOPLOG_LOG_UNAVAILABLE',
            { path: options.path },
            `${options.path} is opened by other processes faster than it can be written: nothing of this commit was kept; try again when fewer processes start at once`,
            {
              cause: error,
            },
          );
        }
        setRight(options);
      }
    }
  };
};

const REPLACED: Readonly<Record<string, (path: string) => string>> = {
  [DATA_FILE]: (path) => `the data file in ${path} was replaced or removed while this process had it open, as 'stoplog compact --shrink' does`,
  [LOCK_FILE]: (path) =>
    `the lock file ${join(path, LOCK_FILE)} was replaced or removed while this process had it open, so another process could write to the folder at the same time`,
};
const replaced = (path: string, file: string): StoplogError =>
  new StoplogError(
    'STOPLOG_LOG_UNAVAILABLE',
    { path, file, retry: false },
    `${REPLACED[file]!(path)}: nothing of this commit was kept; open the log again, or restart the process, and every other process that has the folder open`,
  );
const replacedMeanwhile = (path: string, file: string): StoplogError =>
  new StoplogError(
    'STOPLOG_LOG_UNAVAILABLE',
    { path, file, retry: false },
    `${REPLACED[file]!(path)}, in the middle of this commit: it may be kept or not. All commits acknowledged before it are kept; this process commits no more. Restart it, and every other process that has the folder open`,
  );

/** LMDB's message may have further parts that do not matter here, except that it has failed for good. */
const reasonOf = (message: string): string =>
  message.includes('MDB_PANIC') ? 'MDB_PANIC, as when another process is killed while it flushes' : message.split(':')[0]!;

const unflushed = (path: string, error: unknown): StoplogError =>
  new StoplogError(
    'STOPLOG_LOG_UNAVAILABLE',
    { path, retry: false },
    `a commit to ${path} could not be flushed (${reasonOf(error instanceof Error ? error.message : String(error))}): it is visible, and may not survive a power cut. All commits acknowledged before it are kept; this process commits no more. Check the disk, restart the process, and check the log with 'stoplog check'`,
    { cause: error },
  );
