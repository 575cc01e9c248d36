/**
 * What became of the cleaning of a partition, as it is kept beside the log: one small value for each, the last cleaning that did
 * anything and the failure since, however long the log lives. Whoever asks sees what the background did, in whichever process.
 */
import { isStoplogError } from '../errors.ts';
import type { Cleaned } from './cleaned.ts';
import { fromBytes, toBytes } from './meta.ts';

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

/** Offsets are bigints, and JSON has none. */
type Stored = Omit<LastCleaning, 'startBefore' | 'start'> & { readonly startBefore: string; readonly start: string };
export const encodeReport = ({ last, failure }: CleaningReport): Buffer =>
  toBytes({ last: last && ({ ...last, startBefore: String(last.startBefore), start: String(last.start) } satisfies Stored), failure });
export const decodeReport = (bytes: Uint8Array): CleaningReport => {
  const { last, failure } = fromBytes<{ readonly last?: Stored; readonly failure?: CleaningFailure }>(bytes);
  return { last: last && { ...last, startBefore: BigInt(last.startBefore), start: BigInt(last.start) }, failure };
};
