/**
 * The error of a process that may open no more files: the number it has open, the number it may have, and the remedy. What means such a
 * lack is known in lacks-files.ts, and nowhere else in this package.
 *
 * Reading either number takes a descriptor itself. The limit does not change, so it is read at the start; if no descriptor is left to
 * count the open ones, all are in use. Only Linux reports these numbers.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { isStoplogError, StoplogError } from '@stoplog/core';
import { asError } from '@stoplog/core/kit';
import { firstCause, lacksFiles, lacksFilesEverywhere } from '../pure/host/lacks-files.ts';

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

/** The number of files that this process has open, and may have open, as far as the system reports them. */
export interface OpenFiles {
  readonly open: number | undefined;
  readonly allowed: number | undefined;
}

/** Wraps a failure with the counts of this process and the remedy; an error that has them already stays as it is. */
export const tooFewFiles = (cause: Error, { open, allowed }: OpenFiles): StoplogError => {
  if (isStoplogError(cause) && cause.code === 'STOPLOG_TOO_FEW_FILES' && 'allowed' in cause.facts) return cause;
  const said = firstCause(cause).message;
  return new StoplogError('STOPLOG_TOO_FEW_FILES', { open, allowed, cause: said }, `${countsText(open, allowed)} (${said}). ${remedy(cause, allowed)}`, {
    cause,
  });
};

const countsText = (open: number | undefined, allowed: number | undefined): string =>
  open === undefined || allowed === undefined
    ? 'too few files may be open, and loading needs many for a moment'
    : `too few files may be open: this process has ${open} of ${allowed}, and loading needs many more for a moment`;
/** Node raises the soft limit to the hard one when it starts, so the hard limit counts. */
const remedy = (cause: Error, allowed: number | undefined): string =>
  lacksFilesEverywhere(cause)
    ? 'The whole machine has no more: close some, or raise fs.file-max'
    : `Close some, or raise the hard limit and start again (ulimit -n ${Math.max(1_024, (allowed ?? 0) * 2)})`;
