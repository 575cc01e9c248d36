/**
 * The outcome of the cleaning of a partition, as it is stored in the log: one small value for each partition (the last cleaning
 * that had an effect, and the failure since), however old the log is. So a tool sees the work of the background in any process.
 */
import { isStoplogError } from '../errors.ts';
import type { Cleaned } from './cleaned.ts';

export interface LastCleaning extends Omit<Cleaned, 'topic' | 'partition'> {
  /** The time of the cleaning, ms since 1970, and its duration. */
  readonly at: number;
  readonly tookMs: number;
}
export interface CleaningFailure {
  readonly at: number;
  /** The code of a StoplogError; the name of another error. */
  readonly code: string;
  readonly message: string;
  /** The number of failures in a row. */
  readonly attempts: number;
  /** The background skips the partition until this time. */
  readonly retryAt: number;
}
export interface CleaningReport {
  readonly last?: LastCleaning | undefined;
  /** The last failure; cleared by the next attempt that succeeds. */
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
