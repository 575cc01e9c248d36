/**
 * The traces of a wall clock that jumped: sentences for the notes of a check. They are no damage.
 */
import { isOfTheFuture, type Segment } from '../../pure/retention/segment.ts';
import { FOLLOW_AFTER_MS } from '../../pure/time/log-clock.ts';
import { clockKey } from '../layout/meta.ts';
import { decodeClock } from '../tables/log-time.ts';
import { openSealed } from './opened.ts';
import type { Look } from './look.ts';

const dateOf = (time: number): string => new Date(Math.min(time, 8.64e15)).toISOString();

/** undefined when no segment is stamped later than now. */
export const futureSegmentsNote = (place: string, segments: readonly Segment[], now: number): string | undefined => {
  const ahead = segments.filter((segment) => isOfTheFuture(segment, now));
  if (ahead.length === 0) return undefined;
  const latest = Math.max(...ahead.map(({ lastArrival }) => lastArrival));
  return (
    `${place} has ${ahead.length === 1 ? 'a segment' : `${ahead.length} segments`} stamped by a clock that ran ahead, up to ${dateOf(latest)}: ` +
    `retention and compaction count ${ahead.length === 1 ? 'it' : 'them'} as of now from the next cleaning on, and 'stoplog compact --roll' cleans at once`
  );
};

/** undefined when the clock of the log agrees with the wall clock, as far as the log says. */
export const clockNote = (look: Look): string | undefined => {
  const key = clockKey();
  const sealed = look.get('meta', key);
  const opened = sealed && openSealed('meta', key, sealed);
  let byMs: number | undefined;
  try {
    byMs = (opened && decodeClock(opened))?.off?.byMs;
  } catch {
    return undefined; // Reported as damage of the table.
  }
  // A pause between two processes is no jump that anybody need look at.
  if (byMs === undefined || Math.abs(byMs) < FOLLOW_AFTER_MS) return undefined;
  const seconds = Math.round(Math.abs(byMs) / 1_000);
  return `the wall clock was ${seconds} s ${byMs > 0 ? 'ahead of' : 'behind'} the clock of the log when that was last kept: ages are counted by the clock of the log, which follows when the wall clock has stood for an hour`;
};
