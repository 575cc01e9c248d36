/**
 * Checks that this process may open the files that LMDB opens: the lock file, the data file, and the data file again for its flushes.
 *
 * LMDB's binding does not survive an open that fails half-way (SIGSEGV where it frees memory that it had not allocated), so they
 * are opened and closed for a trial. Another thread may still take the last ones in between; a limit is rarely that near.
 */
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';

const NEEDED = 4;

/** Throws EMFILE or ENFILE, as the system does. */
export const checkSpareFiles = (): void => {
  const opened: number[] = [];
  try {
    while (opened.length < NEEDED) opened.push(openSync(devNull, 'r'));
  } finally {
    for (const file of opened) closeSync(file);
  }
};
