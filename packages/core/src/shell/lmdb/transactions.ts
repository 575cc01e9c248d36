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
 * And none in a file that has lost its name: what was committed there would be gone with the process (shrink.ts).
 */
import { spawnSync } from 'node:child_process';
import { StoplogError } from '../../pure/errors.ts';
import { WRITE_FLAGS, type Env, type EnvOptions } from './env.ts';
import { through } from './gate.ts';
import type { DataFile } from './slack.ts';

class SetBack extends Error {}

const ATTEMPTS = 20;
const OPEN_MS = 10_000;

/** Runs `write` inside a transaction; what it throws takes the transaction back. */
export type Transact = (write: () => void) => void;

export const transactions = (env: Env, options: EnvOptions, gate: Int32Array, file: DataFile): Transact => {
  const attempt = (write: () => void): void =>
    through(gate, () =>
      env.root.transactionSync(() => {
        const newest = file.lengthen();
        if (!file.isInPlace()) throw replaced(options.path);
        if (env.root.getWriteTxnId() <= newest) throw new SetBack();
        write();
      }, WRITE_FLAGS),
    );
  return (write) => {
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

const replaced = (path: string): StoplogError =>
  new StoplogError(
    'STOPLOG_LOG_UNAVAILABLE',
    { path },
    `the data file in ${path} was replaced or removed while this process had it open, as 'stoplog compact --shrink' does: nothing of this commit was kept; open the log again, or restart the process`,
  );

/** Opens the file in a process of its own, which writes the number of the last commit as the file has it now. */
const setRight = (options: EnvOptions): void => {
  const module = new URL('./env.js', import.meta.url).href;
  const code = `import(${JSON.stringify(module)}).then(({ openEnv }) => { openEnv(${JSON.stringify(options)}, true); process.exit(0); });`;
  spawnSync(process.execPath, ['-e', code], { stdio: 'ignore', timeout: OPEN_MS, env: { ...process.env, NODE_OPTIONS: '', STOPLOG_FAILPOINTS: '' } });
};
