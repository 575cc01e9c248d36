/**
 * Opens write transactions, and none that would be built on anything but the last commit.
 *
 * Every process that opens an LMDB file writes what it took for the number of the last commit into the shared lock table
 * (`mdb_env_open2`), without a lock. If another process has committed since, the number goes back by one, and the next
 * transaction would be built on the commit before the last and overwrite it: an acknowledged commit gone, two values
 * at one offset (seen twice in eight runs of sixty processes that opened a folder under load). The meta pages in the file
 * know better. So inside each transaction, before anything is put, the number LMDB gave it is compared with theirs; if it
 * is behind, nothing is written, the number is set right by opening the file once more while nobody here commits, and
 * the transaction begins anew (docs/decisions/0018).
 *
 * And none in files that have lost their names (in-place.ts). A commit to a data file without a name is gone with the process
 * (shrink.ts); a lock file without a name keeps no process out that opens the folder later. A commit is acknowledged only if
 * both names stood when its transaction began and still stood when it had ended: then no other process can have opened the folder
 * with another lock in between, so none can have overwritten the commit.
 *
 * Nor any after one whose flush failed. That one may show already (flushing.ts), so who tries it again has it twice; and
 * a system forgets what it could not write: the next flush would say that all is well, and what is built on the lost pages is lost.
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

/** Runs `write` inside a transaction, and returns the number of the newest commit then; what it throws takes the transaction back. It is told whether the commit will show before it is flushed. */
export type Transact = (write: (showsEarly: boolean) => void) => number;

export const transactions = (env: Env, options: EnvOptions, gate: Int32Array, file: DataFile, flushing: Flushing = new Flushing(env)): Transact => {
  let broken: StoplogError | undefined;
  const attempt = (write: (showsEarly: boolean) => void): number => {
    /** Of the commit that is about to be made. */
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
    return file.newest();
  };
  return (write) => {
    if (broken !== undefined) throw broken;
    for (let n = 1; ; n++) {
      try {
        return attempt(write);
      } catch (error) {
        if (!(error instanceof SetBack)) throw error;
        if (n === ATTEMPTS) {
          throw new StoplogError(
            'STOPLOG_LOG_UNAVAILABLE',
            { path: options.path },
            `${options.path} is opened by others faster than it can be written: nothing of this commit was kept; try again when fewer processes start at once`,
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
    { path, file },
    `${REPLACED[file]!(path)}: nothing of this commit was kept; open the log again, or restart the process, and every other process that has the folder open`,
  );
const replacedMeanwhile = (path: string, file: string): StoplogError =>
  new StoplogError(
    'STOPLOG_LOG_UNAVAILABLE',
    { path, file },
    `${REPLACED[file]!(path)}, in the middle of this commit: it may be kept or not. What was acknowledged before it stands; this process writes nothing more. Restart it, and every other process that has the folder open`,
  );

/** LMDB's words for an error may go on with others that are of no matter here, unless it is that it has given up. */
const reasonOf = (message: string): string =>
  message.includes('MDB_PANIC') ? 'MDB_PANIC, as when another process is killed while it flushes' : message.split(':')[0]!;

const unflushed = (path: string, error: unknown): StoplogError =>
  new StoplogError(
    'STOPLOG_LOG_UNAVAILABLE',
    { path },
    `a commit to ${path} could not be flushed (${reasonOf(error instanceof Error ? error.message : String(error))}): it shows, and may not survive a power cut. What was acknowledged before it stands; this process writes nothing more. See to the disk, restart the process, and look at what is there with 'stoplog check'`,
    { cause: error },
  );
