/**
 * What became of the cleaning of a partition, as it is kept beside the log: one small value for each, the last cleaning that did
 * anything and the failure since, however long the log lives. Whoever asks sees what the background did, in whichever process.
 */
import { isStoplogError } from '../errors.ts';
import type { Cleaned } from './cleaned.ts';

export interface LastCleaning extends Omit<Cleaned, 'topic' | 'partition'> {
  /** When it was done, ms since 1970, and how long it took. */
  readonly at: number;
  readonly tookMs: number;
}
export interface CleaningFailure {
  readonly at: number;
  /** Of a StoplogError; the name of another. */
  readonly code: string;
  readonly message: string;
  /** How often in a row. */
  readonly attempts: number;
  /** It is left alone until then. */
  readonly retryAt: number;
}
export interface CleaningReport {
  readonly last?: LastCleaning | undefined;
  /** Gone with the next look that succeeds. */
  readonly failure?: CleaningFailure | undefined;
}

export const afterCleaning = ({ topic: _, partition: __, ...cleaned }: Cleaned, at: number, tookMs: number): CleaningReport => ({
  last: { ...cleaned, at, tookMs },
});
export const afterFailure = ({ last, failure }: CleaningReport, error: Error, at: number, pauseMs: number): CleaningReport => ({
  last,
  failure: {
    at,
    code: isStoplogError(error) ? error.code : error.name,
    message: error.message,
    attempts: (failure?.attempts ?? 0) + 1,
    retryAt: at + pauseMs,
  },
});
