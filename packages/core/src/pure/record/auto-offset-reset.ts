/**
 * The auto offset reset: where a reader resumes when its next offset is below the start, since it was away for longer than
 * the topic keeps its records, or the records were deleted. Kafka's auto.offset.reset, whose default is 'latest'.
 */
import { isStoplogError } from '../errors.ts';
import type { Millis } from '../time/duration.ts';

/**
 * 'earliest' is the first kept record, 'latest' the end, `ago` the first record not older than that; 'fail' throws
 * `STOPLOG_OFFSET_OUT_OF_RANGE`.
 */
export type Reset = 'earliest' | 'latest' | { readonly ago: Millis } | 'fail';

/** The query for the offset at which reading resumes. */
export const resetTo = (reset: Exclude<Reset, 'fail'>, now: number): 'earliest' | 'latest' | { readonly time: number } =>
  typeof reset === 'object' ? { time: now - reset.ago } : reset;

/** True for the error of a read below the start of a partition. A read above the end is another error, and has no reset. */
export const isBelowStart = (error: unknown): boolean => {
  if (!isStoplogError(error) || error.code !== 'STOPLOG_OFFSET_OUT_OF_RANGE') return false;
  const { offset, start } = error.facts;
  return typeof offset === 'bigint' && typeof start === 'bigint' && offset < start;
};
