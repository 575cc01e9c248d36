/** Writes a history to a file opened for appending: what is written is there, whatever becomes of the process that wrote it. */
import { existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import { parseHistory, type Event } from './history.ts';

export const witness = (path: string): ((event: Event) => void) => {
  const fd = openSync(path, 'a');
  // A line begins on a line of its own: a kill may have torn the last one, of whichever process, in the middle.
  return (event) => void writeSync(fd, `\n${JSON.stringify(event)}\n`);
};
/** ms since 1970, by a clock that a test which shifts `Date.now` leaves alone: it is compared between processes. */
export const moment = (): number => Math.round(performance.timeOrigin + performance.now());
/** Of a process that died before its first event there is none. */
export const readHistory = (path: string): readonly Event[] => (existsSync(path) ? parseHistory(readFileSync(path, 'utf8')) : []);
