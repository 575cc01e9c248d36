/** What is told when a process has too few files, with what there is, and what to do. */
import { isStoplogError, StoplogError } from '@stoplog/core';
import { firstCause, lacksFilesEverywhere } from './lacks-files.ts';

/** How many files this process has open, and may have open, as far as the system says it. */
export interface OpenFiles {
  readonly open: number | undefined;
  readonly allowed: number | undefined;
}

/** What failed, with what this process has and what to do; one that says so already stays as it is. */
export const tooFewFiles = (cause: Error, { open, allowed }: OpenFiles): StoplogError => {
  if (isStoplogError(cause) && cause.code === 'STOPLOG_TOO_FEW_FILES' && 'allowed' in cause.facts) return cause;
  const said = firstCause(cause).message;
  return new StoplogError('STOPLOG_TOO_FEW_FILES', { open, allowed, cause: said }, `${countsText(open, allowed)} (${said}). ${remedy(cause, allowed)}`, {
    cause,
  });
};

const countsText = (open: number | undefined, allowed: number | undefined): string =>
  open === undefined || allowed === undefined
    ? 'too few files may be open, and what is to be loaded takes many for a moment'
    : `too few files may be open: this process has ${open} of ${allowed}, and what is to be loaded takes many more for a moment`;
/** Node raises the soft limit to the hard one when it starts, so the hard one is what counts. */
const remedy = (cause: Error, allowed: number | undefined): string =>
  lacksFilesEverywhere(cause)
    ? 'The whole machine has no more: close some, or raise fs.file-max'
    : `Close some, or raise the hard limit and start again (ulimit -n ${Math.max(1_024, (allowed ?? 0) * 2)})`;
