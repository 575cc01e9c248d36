/**
 * The clock that retention counts ages by: it follows the wall clock, but not at once where that jumps.
 *
 * A wall clock that runs ahead, for seconds or for years, must not delete records that are seconds old. So the clock of the log
 * runs by the monotonic clock. While the wall clock agrees with it, it is the wall clock. When the wall clock jumps, or when
 * the process starts and finds time missing, the clock of the log runs on as before, and follows only after the wall clock has
 * stood where it is for an hour. It never goes back, with one exception: a wall clock that has been behind for an hour is
 * followed too, for otherwise a wrong year would stay for ever; that makes records younger, never older.
 *
 * Two readings of it differ on purpose. Ages are judged by `time`, the earliest time that it can be. What is appended is stamped
 * with `stampOf`, the latest. So whichever of the two clocks was right, nothing is deleted before its time.
 */
export interface LogClock {
  /** Milliseconds since 1970. */
  readonly time: number;
  /** How far the wall clock is ahead of the log's (behind: negative), and for how long; undefined when they agree. */
  readonly off: { readonly byMs: number; readonly forMs: number } | undefined;
}
export type LogClockEvent =
  /** A process begins: the time since the state was stored is unknown. */
  | { readonly type: 'opened'; readonly wall: number }
  /** `elapsedMs` have passed since the last event, by the monotonic clock. */
  | { readonly type: 'looked'; readonly wall: number; readonly elapsedMs: number };
export type LogClockEffect =
  | { readonly type: 'jumped'; readonly byMs: number }
  /** Ages are counted to another time from now on. */
  | { readonly type: 'followed'; readonly byMs: number };

/** The wall clock is followed when it has kept its new time for this long. */
export const FOLLOW_AFTER_MS = 3_600_000;
/** The difference that the two clocks may have after `elapsedMs`, since they do not tick alike. */
const toleranceMs = (elapsedMs: number): number => 1_000 + elapsedMs / 1_000;

export const step = (state: LogClock | undefined, event: LogClockEvent): readonly [LogClock, readonly LogClockEffect[]] => {
  const { wall } = event;
  if (state === undefined) return [{ time: wall, off: undefined }, []];
  const elapsedMs = event.type === 'looked' ? Math.max(0, event.elapsedMs) : 0;
  const time = state.time + elapsedMs;
  const byMs = wall - time;
  const tolerated = toleranceMs(elapsedMs);
  if (Math.abs(byMs) <= tolerated) return [{ time: Math.max(time, wall), off: undefined }, []];
  // From one process to the next the distance grows by the length of the pause, which is no other jump.
  const before = state.off;
  const stands = before !== undefined && (Math.abs(byMs - before.byMs) <= tolerated || (event.type === 'opened' && byMs > before.byMs && before.byMs > 0));
  if (!stands) return [{ time, off: { byMs, forMs: 0 } }, [{ type: 'jumped', byMs }]];
  const forMs = before.forMs + elapsedMs;
  if (forMs < FOLLOW_AFTER_MS) return [{ time, off: { byMs, forMs } }, []];
  return [{ time: wall, off: undefined }, [{ type: 'followed', byMs }]];
};

/** The time with which an event is stamped now. */
export const stampOf = ({ time }: LogClock, wall: number): number => Math.max(time, wall);
