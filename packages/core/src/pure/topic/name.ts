/**
 * A name is a key in the log, a word in an error and a file in an export. One allow-list fits all of them: Kafka's rule for
 * topics. `.` and `..` denote folders.
 */
import { StoplogError } from '../errors.ts';

export type NamedKind = 'topic' | 'store' | 'pipeline' | 'source' | 'sink' | 'producer';

const ALLOWED = /^[a-zA-Z0-9._-]{1,249}$/;

export function checkName(kind: NamedKind, name: unknown): asserts name is string {
  if (typeof name === 'string' && ALLOWED.test(name) && name !== '.' && name !== '..') return;
  const shown = typeof name === 'string' ? JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name) : `a ${name === null ? 'null' : typeof name}`;
  throw new StoplogError(
    'STOPLOG_NAME',
    { kind, name: typeof name === 'string' ? name : undefined },
    `${shown} cannot name a ${kind}: use 1 to 249 of the characters a-z A-Z 0-9 . _ - (but not "." or "..")`,
  );
}
