/**
 * The number of open file descriptors of this process and its limit, for the error that reports a lack of them.
 *
 * Reading either number takes a descriptor itself. The limit does not change, so it is read at the start; if no descriptor is left to
 * count the open ones, all are in use. Only Linux reports these numbers.
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

/** The thrown error, or `STOPLOG_TOO_FEW_FILES` if a lack of descriptors caused it. */
export const orLackOfFiles = (thrown: unknown): unknown => (lacksFiles(thrown) ? lackOfFiles(thrown) : thrown);
/** The error for a failure that a lack of descriptors caused. */
export const lackOfFiles = (cause: unknown): StoplogError => tooFewFiles(asError(cause), { open: opened(), allowed });

/** False if enough descriptors are free that a module that is not found is really missing. */
export const mayLackFiles = (): boolean => allowed === undefined || allowed - (opened() ?? allowed) < SPARE_FILES;
/** More descriptors than all threads together need while they load a pipeline. */
const SPARE_FILES = 1_024;

const opened = (): number | undefined => {
  try {
    // The descriptor that reads the folder is counted too.
    return readdirSync('/proc/self/fd').length - 1;
  } catch {
    return allowed;
  }
};
