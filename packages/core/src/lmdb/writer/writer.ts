/**
 * The writer thread: the only code of a process that opens write transactions.
 *
 * It runs no user code and no promise inside a transaction, and it is never terminated, only asked to end: a thread
 * that dies inside a write transaction takes the lock of the whole folder with it. Calls come by the ports of logs (callers.ts)
 * and gather while the disk flushes (queue.ts); calls.ts has the work of each, and waiting.ts the waits that it ends.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { errorToData, StoplogError } from '../../pure/errors.ts';
import { FORMAT } from '../layout/keyspace.ts';
import { formatKey } from '../layout/meta.ts';
import { putMeta, readMeta } from '../tables/rows.ts';
import { Callers } from './callers.ts';
import { Cleanups } from '../tables/cleanups.ts';
import { openEnv, type Env, type EnvOptions } from '../tables/env.ts';
import { holdFolder, type Hold } from './hold.ts';
import { LogTime } from '../tables/log-time.ts';
import { applyFile } from '../transaction/file-identity.ts';
import { Flushing } from '../transaction/flushing.ts';
import { checkTables, examineFolder, markFolder } from '../folder/folder.ts';
import { describeIo } from '../folder/io-errors.ts';
import type { HostAnswer, HostMessage } from './host-messages.ts';
import { Presence } from './presence.ts';
import { CallQueue } from './queue.ts';
import { inodesIn } from '../folder/in-place.ts';
import { openDataFile, type DataFile } from '../folder/slack.ts';
import { transactions, type Transact } from '../transaction/transactions.ts';
import { removeDead } from '../folder/unfinished.ts';
import { Upkeep } from './upkeep.ts';
import { Waiting } from './waiting.ts';

export interface WriterData {
  readonly env: EnvOptions;
  readonly gate: SharedArrayBuffer;
}

/** The number of attempts to open the folder while its data file is being replaced. */
const ATTEMPTS = 10;

const { env: envOptions, gate: gateBuffer } = workerData as WriterData;
const host = parentPort!;
/** Ends this thread once its answers are sent. On Deno the port has no `close`; there the thread's global object has it. */
const end = (): void => {
  if (typeof host.close === 'function') host.close();
  else (globalThis as unknown as { close(): void }).close();
};

const main = async (message: HostMessage): Promise<void> => {
  if (message.type !== 'open') return end();
  let env: Env;
  let file: DataFile;
  let flushing: Flushing;
  let transact: Transact;
  let times: LogTime;
  let hold: Hold;
  try {
    ({ env, file } = await openFiles(envOptions.path));
    hold = holdFolder(envOptions.path, env, file, (text) => host.postMessage({ type: 'warned', code: 'STOPLOG_LOCK_LOST', text } satisfies HostAnswer));
    flushing = new Flushing(env);
    transact = transactions(env, envOptions, new Int32Array(gateBuffer), file, flushing);
    times = new LogTime(env, envOptions.clock);
    initialise(env, transact, file, times);
    flushing.look(transact);
  } catch (error) {
    host.postMessage({ type: 'failed', error: errorToData(describeIo(envOptions.path, error)) } satisfies HostAnswer);
    end();
    return;
  }
  serve({ env, inTransaction: transact, file, flushing, times, hold });
  host.postMessage({ type: 'ready' } satisfies HostAnswer);
};

/** Opens the environment, and the same files directly: retried where the files were replaced in between. */
const openFiles = async (path: string): Promise<{ readonly env: Env; readonly file: DataFile }> => {
  for (let n = 1; ; n++) {
    const isOurs = examineFolder(path, envOptions.groupMayWrite) === 'ours';
    if (isOurs) removeDead(path, 'shrink');
    const { data, lock } = inodesIn(path);
    const env = openEnv(envOptions, false, isOurs ? undefined : (tables) => checkTables(path, tables));
    const file = openDataFile(path);
    if (((data ?? file.inode) === file.inode && (lock ?? file.lockInode) === file.lockInode) || n === ATTEMPTS) return { env, file };
    file.close();
    await env.root.close();
  }
};

const initialise = (env: Env, inTransaction: Transact, file: DataFile, times: LogTime): void => {
  const isMarked = examineFolder(envOptions.path, envOptions.groupMayWrite) === 'ours';
  // This lengthens the file before the mark is set: from then on a file that is too short has been cut.
  inTransaction(() => {
    if (readMeta<number>(env, formatKey()) === undefined) {
      if (isMarked) throw hidden(envOptions.path);
      putMeta(env, formatKey(), FORMAT);
    }
    applyFile(env, file.inode);
    if (times.isToBeSaved()) times.save(env);
  });
  markFolder(envOptions.path, envOptions.groupMayWrite);
};

/** Without its names a log would look empty, and assign its numbers again. */
const hidden = (path: string): StoplogError =>
  new StoplogError(
    'STOPLOG_LOG_CORRUPT',
    { path, table: 'meta', reason: 'missing' },
    `the names in ${path} cannot be found, although the folder was marked as a log after they had been written: the disk or a foreign program changed the data file. Nothing was written; restore the folder from a backup, or keep the rest with 'stoplog repair'`,
  );

interface Serving {
  readonly env: Env;
  readonly inTransaction: Transact;
  readonly file: DataFile;
  readonly flushing: Flushing;
  readonly times: LogTime;
  readonly hold: Hold;
}
const serve = ({ env, inTransaction, file, flushing, times, hold }: Serving): void => {
  const cleanups = new Cleanups(env, times);
  const waiting = new Waiting(env);
  const queue = new CallQueue(
    env,
    inTransaction,
    (grown) => waiting.grew(grown),
    undefined,
    (error) => waiting.fail(error),
  );
  const presence = new Presence(env, queue, (groupId) => waiting.groupChanged(groupId));
  const upkeep = new Upkeep(env, queue, cleanups, envOptions.maintenance, () => flushing.look(inTransaction), times);
  const callers = new Callers({ env, cleanups, queue, waiting, presence, upkeep });
  upkeep.start();

  const close = async (): Promise<void> => {
    presence.leaveAll();
    upkeep.stop();
    upkeep.keepClock();
    waiting.stop();
    queue.close();
    callers.close();
    hold.release();
    await env.root.close();
    file.close();
    host.postMessage({ type: 'closed' } satisfies HostAnswer);
    end();
  };
  host.on('message', (message: HostMessage) => {
    if (message.type === 'link') callers.add(message.line);
    else if (message.type === 'close') void close();
  });
};

host.once('message', (message: HostMessage) => void main(message));
