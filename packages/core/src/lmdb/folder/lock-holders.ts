/**
 * Which processes hold LMDB's lock on a lock file, and which have lost it while they have the folder open.
 *
 * LMDB keeps a POSIX lock on the first byte of `lock.mdb` for as long as a process has the folder open. Whoever opens the folder and finds
 * no lock there takes itself for the first, and resets the table of readers and the write locks. But a process loses its POSIX locks on
 * a file when it closes any descriptor of that file: a program that reads or copies its own data folder (`cpSync`) gives them
 * away without a word, and the next process to open the folder pulls the locks from under it.
 *
 * Node cannot take a lock that would survive that. So each process that has a folder open leaves its name in there, as an empty
 * file, and whoever comes compares those names with the locks that the system lists (`/proc/locks`). Where the system lists none, no
 * name is left, and everything is as LMDB has it (docs/decisions/0038).
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StoplogError } from '../../pure/errors.ts';
import { LOCK_FILE } from './files.ts';
import { inodesIn, type FoundInodes, type Inodes } from './in-place.ts';
import { isAlive, ownStart } from './process.ts';

const NAME = /^open-(\d+)-(\d*(?:@\d+)?)-(\d+)-(\d+)$/;

interface Opener extends Inodes {
  readonly name: string;
  readonly pid: number;
  /** undefined: its number is of another name space. */
  readonly alive: boolean | undefined;
}

/** The processes that hold a lock on the first byte of the file with this inode, as `/proc/locks` lists them. */
export const holdersIn = (listed: string, inode: bigint): ReadonlySet<number> => {
  const held = /^\d+: POSIX +\S+ +\S+ +(\d+) +[0-9a-f]+:[0-9a-f]+:(\d+) +0 /gm;
  return new Set([...listed.matchAll(held)].filter(([, , of]) => BigInt(of!) === inode).map(([, pid]) => Number(pid)));
};
const holdersOf = (inode: bigint): ReadonlySet<number> | undefined => {
  try {
    return holdersIn(readFileSync('/proc/locks', 'latin1'), inode);
  } catch {
    return undefined; // No such list on this system.
  }
};

const openersIn = (path: string): readonly Opener[] =>
  readdirSync(path).flatMap((name) => {
    const [, pid, started, data, lock] = NAME.exec(name) ?? [];
    return pid === undefined ? [] : [{ name, pid: Number(pid), alive: isAlive(Number(pid), started!), data: BigInt(data!), lock: BigInt(lock!) }];
  });

/** Leaves the name of this process in the folder. Returns what takes it away again; undefined where the system does not show our lock. */
export const leaveName = (path: string, { data, lock }: Inodes): (() => void) | undefined => {
  if (holdersOf(lock)?.has(process.pid) !== true) return undefined;
  const file = join(path, `open-${process.pid}-${ownStart()}-${data}-${lock}`);
  try {
    writeFileSync(file, '', { mode: 0o600 });
  } catch {
    return undefined; // A full disk, say: nobody is warned then.
  }
  return () => rmSync(file, { force: true });
};
/** Removes the names that the dead have left; if nobody else has the folder open, those of other name spaces too. */
export const removeNames = (path: string, isAlone: boolean): void => {
  for (const { name, pid, alive } of openersIn(path))
    if (pid !== process.pid && (alive === false || (alive === undefined && isAlone))) rmSync(join(path, name), { force: true });
};

/** Whether this process still holds its lock; undefined: the system does not tell. */
export const holdsLock = (lock: bigint): boolean | undefined => holdersOf(lock)?.has(process.pid);

/** The other processes that have the folder open and do not hold its lock: they lost it, or the lock file is another one now. */
export const lostLocks = (path: string): readonly number[] => {
  const suspects = (): readonly Opener[] => {
    const { data, lock }: FoundInodes = inodesIn(path);
    const others = openersIn(path).filter((one) => one.pid !== process.pid && one.alive === true && one.data === data);
    if (others.length === 0) return [];
    const holders = lock === undefined ? new Set() : holdersOf(lock);
    if (holders === undefined) return [];
    return others.filter((one) => one.lock !== lock || !holders.has(one.pid));
  };
  const first = suspects().map(({ name }) => name);
  // One that is closing the folder takes its name away before it lets the lock go; so what shows twice is no such moment.
  return first.length === 0
    ? []
    : suspects()
        .filter(({ name }) => first.includes(name))
        .map(({ pid }) => pid);
};

/** Refuses to open a folder whose locks would be pulled from under another process; one that this process has open already is open. */
export const checkLocks = (path: string): void => {
  const { lock } = inodesIn(path);
  const lost = lostLocks(path);
  if (lost.length === 0 || (lock !== undefined && holdsLock(lock) === true)) return;
  const [who, it] = lost.length === 1 ? [`process ${lost[0]} has`, 'it'] : [`the processes ${lost.join(', ')} have`, 'them'];
  throw new StoplogError(
    'STOPLOG_LOG_UNAVAILABLE',
    { path, pids: lost },
    `${who} ${path} open and no longer holds the lock on it, as when a program reads or copies ${LOCK_FILE} of its own data folder, or when that file was replaced: ` +
      `to open it here would break the log there. Restart ${it} first; to copy a log that is open, use 'stoplog backup'. Nothing was changed`,
  );
};

/** What a process is warned of that has lost its own lock. */
export const lostText = (path: string): string =>
  `this process no longer holds the lock on ${path}: it was given away when a file descriptor of ${join(path, LOCK_FILE)} was closed, as when a program reads or copies its own data folder. ` +
  `This log goes on, and no other process can open the folder until this one is restarted. To copy a log that is open, use 'stoplog backup'`;
