/** A cleaning report as it is stored: JSON, with offsets as strings, because JSON has no bigint. */
import type { CleaningFailure, CleaningReport, LastCleaning } from '../../pure/retention/cleaning-report.ts';
import { fromBytes, toBytes } from './meta.ts';

type Stored = Omit<LastCleaning, 'startBefore' | 'start'> & { readonly startBefore: string; readonly start: string };
export const encodeReport = ({ last, failure }: CleaningReport): Buffer =>
  toBytes({ last: last && ({ ...last, startBefore: String(last.startBefore), start: String(last.start) } satisfies Stored), failure });
export const decodeReport = (bytes: Uint8Array): CleaningReport => {
  const { last, failure } = fromBytes<{ readonly last?: Stored; readonly failure?: CleaningFailure }>(bytes);
  return { last: last && { ...last, startBefore: BigInt(last.startBefore), start: BigInt(last.start) }, failure };
};
