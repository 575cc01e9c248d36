/** The error of a process that has too few files: the number it has, the number it may have, and the remedy. */
import { isStoplogError, StoplogError } from '@stoplog/core';
import { firstCause, lacksFilesEverywhere } from './lacks-files.ts';

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
