/**
 * Detects an actor that hangs: it has been inside one activity for too long, which is a record, a timer, or the encoding of a commit.
 *
 * The actor's activity is visible in shared memory, so a thread that never returns to its event loop is seen too. An actor that waits for
 * records, for the disk or for a turn does not hang: it is inside no activity. Only the time in which the watchdog looks counts: a process
 * that was stopped for a while has not hung.
 */
export interface Sighting {
  /** Grows with every activity begun; the same number twice is the same activity. */
  readonly activity: number;
  readonly inside: boolean;
}
export interface Watched {
  readonly activity: number;
  /** The time of the last look, and the time spent inside until then. */
  readonly at: number;
  readonly forMs: number;
}
/** A longer time between two looks counts as a part of the allowed time: the process did not run, or its main thread was busy. */
const PARTS = 2;

export const step = (
  state: Watched | undefined,
  seen: Sighting,
  at: number,
  hangAfterMs: number,
): readonly [Watched | undefined, { readonly type: 'hangs'; readonly forMs: number } | undefined] => {
  if (!seen.inside) return [undefined, undefined];
  if (state === undefined || state.activity !== seen.activity) return [{ activity: seen.activity, at, forMs: 0 }, undefined];
  const forMs = state.forMs + Math.min(at - state.at, hangAfterMs / PARTS);
  return [{ ...state, at, forMs }, forMs >= hangAfterMs ? { type: 'hangs', forMs } : undefined];
};
