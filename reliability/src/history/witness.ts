/** Writes a history to a file opened for appending: a written event survives the process that wrote it. */
import { existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import { parseHistory, type Event } from './history.ts';

export const witness = (path: string): ((event: Event) => void) => {
  const fd = openSync(path, 'a');
  // Each event starts on a new line: a kill of any process may have torn the last one in the middle.
  return (event) => void writeSync(fd, `\n${JSON.stringify(event)}\n`);
};
/**
 * ms since 1970, by a clock that is not changed by a test that shifts `Date.now`: the times are compared between processes.
 */
export const moment = (): number => Math.round(performance.timeOrigin + performance.now());
/** A process that died before its first event has no history. */
export const readHistory = (path: string): readonly Event[] => (existsSync(path) ? parseHistory(readFileSync(path, 'utf8')) : []);
