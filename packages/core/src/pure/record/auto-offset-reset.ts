/**
 * Where a reader goes on when what it wanted to read next has been forgotten: it was away for longer than the topic keeps its
 * records, or somebody deleted them. Kafka's auto.offset.reset, whose default is 'latest'.
 */
import { isStoplogError } from '../errors.ts';
import type { Millis } from '../time/duration.ts';

/** The first record that is kept, what comes from now on, the first that is not older than so long, or not at all: `STOPLOG_OFFSET_OUT_OF_RANGE`. */
export type Reset = 'earliest' | 'latest' | { readonly ago: Millis } | 'fail';

/** Where to look for the offset to go on from. */
export const resetTo = (reset: Exclude<Reset, 'fail'>, now: number): 'earliest' | 'latest' | { readonly time: number } =>
  typeof reset === 'object' ? { time: now - reset.ago } : reset;

/** True for the error of a read below the start of a partition; one above its end is another matter, and nothing to go on from. */
export const isBelowStart = (error: unknown): boolean => {
  if (!isStoplogError(error) || error.code !== 'STOPLOG_OFFSET_OUT_OF_RANGE') return false;
  const { offset, start } = error.facts;
  return typeof offset === 'bigint' && typeof start === 'bigint' && offset < start;
};
