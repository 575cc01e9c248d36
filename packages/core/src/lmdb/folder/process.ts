/**
 * Checks whether a process is still alive. Its number alone is not enough: the number may have been given to another process.
 *
 * On Linux the start time of a process, in ticks since boot, is in /proc; a pid with another start time is another process, and
 * a process that has died before its parent waited for it is dead. Elsewhere, and where /proc is hidden, the pid must
 * do: a wrong "alive" costs a wait for the session, never a second holder. A wrong "dead" would remove a member again and again.
 *
 * A number counts in one name space only. In the name space of another container it belongs to another process, or to none.
 */
import { readFileSync, readlinkSync } from 'node:fs';

interface Seen {
  /** A letter: Z for a process that has died and is still listed. */
  readonly state: string;
  readonly started: string;
}
const look = (pid: number): Seen | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The command may hold spaces and brackets; what follows its last bracket does not: the state, field 3, and the start, field 22.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', started: fields[19] ?? '' };
  } catch {
    return undefined;
  }
};

export const processStarted = (pid: number): string => look(pid)?.started ?? '';

/** The name space that our process numbers belong to; undefined where the system has only one, or does not show it. */
const SPACE = ((): string | undefined => {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0];
  } catch {
    return undefined;
  }
})();
/** The identity of this process for others, besides its number: its start, and `@` with the name space of that number. */
export const ownStart = (): string => (SPACE === undefined ? processStarted(process.pid) : `${processStarted(process.pid)}@${SPACE}`);

/** Undefined: the number belongs to another name space, and is no proof here. */
export const isAlive = (pid: number, start: string): boolean | undefined => {
  const [started = '', space] = start.split('@');
  if (space !== undefined && SPACE !== undefined && space !== SPACE) return undefined;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const seen = look(pid);
  if (seen === undefined || started === '') return true;
  return seen.started === started && seen.state !== 'Z' && seen.state !== 'X';
};
