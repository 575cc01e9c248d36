/**
 * Whether the process that owns something still lives. A number alone does not tell: it may have been given to another.
 *
 * On Linux the start time of a process, in ticks since boot, is in /proc; a pid with another start time is another process.
 * Elsewhere the pid must do: a wrong "alive" costs a wait for the session, never a second holder.
 */
import { readFileSync } from 'node:fs';

export const processStarted = (pid: number): string => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The command may hold spaces and brackets; what follows its last bracket does not. The start is field 22, the 20th after it.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
};

export const isAlive = (pid: number, started: string): boolean => {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return started === processStarted(pid);
};
