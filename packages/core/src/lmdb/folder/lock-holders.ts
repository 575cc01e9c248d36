/**
 * Finds the processes that hold LMDB's lock on a lock file, and the ones that have lost it while they have the folder open.
 *
 * LMDB keeps a POSIX lock on the first byte of `lock.mdb` for as long as a process has the folder open. A process that opens the
 * folder and finds no lock there takes itself for the first, and resets the table of readers and the write locks. But a process
 * loses its POSIX locks on a file when it closes any descriptor of that file: a program that reads or copies its own data folder
 * (`cpSync`) gives them away silently, and the next process to open the folder breaks the locks of the first.
 *
 * Node cannot take a lock that would survive that. So each process that has a folder open leaves its name in the folder, as an empty
 * file, and a process that opens it compares those names with the locks that the system lists (`/proc/locks`). Where the system lists
 * none, no name is left, and LMDB's own behaviour remains (docs/decisions/0038).
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
  /** undefined: its number belongs to another name space. */
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

/** Leaves the name of this process in the folder. Returns a function that removes the name; undefined where the system does not list our lock. */
export const leaveName = (path: string, { data, lock }: Inodes): (() => void) | undefined => {
  if (holdersOf(lock)?.has(process.pid) !== true) return undefined;
  const file = join(path, `open-${process.pid}-${ownStart()}-${data}-${lock}`);
  try {
    writeFileSync(file, '', { mode: 0o600 });
  } catch {
    return undefined; // The disk may be full: then no process is warned.
  }
  return () => rmSync(file, { force: true });
};
/** Removes the names of dead processes; if no other process has the folder open, also the names of other name spaces. */
export const removeNames = (path: string, isAlone: boolean): void => {
  for (const { name, pid, alive } of openersIn(path))
    if (pid !== process.pid && (alive === false || (alive === undefined && isAlone))) rmSync(join(path, name), { force: true });
};

/** True while this process still holds its lock; undefined where the system does not list locks. */
export const holdsLock = (lock: bigint): boolean | undefined => holdersOf(lock)?.has(process.pid);

/** The other processes that have the folder open and do not hold its lock: they lost the lock, or the lock file was replaced. */
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
  // A process that is closing the folder removes its name before it releases the lock; so a name that shows twice is no such moment.
  return first.length === 0
    ? []
    : suspects()
        .filter(({ name }) => first.includes(name))
        .map(({ pid }) => pid);
};

/** Refuses to open a folder whose locks would be taken from another process; a folder that this process has open already may be opened. */
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

/** The warning for a process that has lost its own lock. */
export const lostText = (path: string): string =>
  `this process no longer holds the lock on ${path}: it was given away when a file descriptor of ${join(path, LOCK_FILE)} was closed, as when a program reads or copies its own data folder. ` +
  `This log continues, and no other process can open the folder until this one is restarted. To copy a log that is open, use 'stoplog backup'`;
