/**
 * How many files this process has open, and how many it may have: what it is told with when they are too few.
 *
 * To ask takes a file, too. What may be open does not change, so it is asked at the beginning; that none can be opened to
 * count them says that all are. Only Linux tells either of them.
 */
import { readdirSync, readFileSync } from 'node:fs';
import type { StoplogError } from '@stoplog/core';
import { asError } from '@stoplog/core/kit';
import { lacksFiles } from '../pure/host/lacks-files.ts';
import { tooFewFiles } from '../pure/host/too-few-files.ts';

const limit = (): number | undefined => {
  try {
    const allowed = Number(/^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1]);
    return Number.isNaN(allowed) ? undefined : allowed;
  } catch {
    return undefined;
  }
};
const allowed = limit();

/** What was thrown, or, when it failed for want of files, that. */
export const orLackOfFiles = (thrown: unknown): unknown => (lacksFiles(thrown) ? lackOfFiles(thrown) : thrown);
/** What failed for want of files, as it is told. */
export const lackOfFiles = (cause: unknown): StoplogError => tooFewFiles(asError(cause), { open: opened(), allowed });

/** False where so many files may still be opened that a module which is not found is really not there. */
export const mayLackFiles = (): boolean => allowed === undefined || allowed - (opened() ?? allowed) < SPARE_FILES;
/** What loading a pipeline takes for a moment in all threads together, with room to spare. */
const SPARE_FILES = 1_024;

const opened = (): number | undefined => {
  try {
    // The one that counts them is among them.
    return readdirSync('/proc/self/fd').length - 1;
  } catch {
    return allowed;
  }
};
