/**
 * Whether a member still lives: a lease that is watched, not timed.
 *
 * A member adds one to its *beat* every few seconds. The others look, each by its own monotonic clock: when a beat has stood
 * still for the length of the member's session, or its process is known to be gone, they say so to the coordinator,
 * which expels it on condition that the beat is still the one they saw. No clock is compared with another's, so a clock
 * that is set back or a machine that sleeps makes no two holders: the epochs, compared inside every commit, settle it.
 *
 * A watcher that has stood still itself knows little of others: between two looks at most a third of a session counts.
 */
export const SESSION_MS = 10_000;
const BEAT_MS = 3_000;
/** Three beats fit into a session, so that one that comes late expels nobody. */
export const beatMs = (sessionMs: number): number => Math.min(BEAT_MS, sessionMs * 0.3);

export interface Beating {
  readonly id: string;
  readonly beat: number;
  readonly sessionMs: number;
  /** Has an instance id: expected back until its session is over. */
  readonly isStatic: boolean;
  /** False when its process is known to be no more. */
  readonly alive: boolean;
}
interface Seen {
  readonly beat: number;
  /** How long it has stood still. */
  readonly stoodMs: number;
}
/** What a watcher remembers between two looks. */
export interface Watching {
  readonly at: number;
  readonly seen: ReadonlyMap<string, Seen>;
}
export interface WatchEvent {
  readonly type: 'looked';
  /** All members but those of the watcher. */
  readonly found: readonly Beating[];
  /** By the watcher's own monotonic clock. */
  readonly at: number;
}
export interface WatchEffect {
  readonly type: 'expire';
  readonly id: string;
  readonly beat: number;
  readonly why: 'silent' | 'gone';
}

export const step = (state: Watching | undefined, { found, at }: WatchEvent): readonly [Watching, readonly WatchEffect[]] => {
  const since = state === undefined ? 0 : at - state.at;
  const seen = new Map<string, Seen>();
  const effects: WatchEffect[] = [];
  for (const { id, beat, sessionMs, isStatic, alive } of found) {
    const before = state?.seen.get(id);
    const stoodMs = before?.beat === beat ? before.stoodMs + Math.min(since, sessionMs / 3) : 0;
    seen.set(id, { beat, stoodMs });
    if (stoodMs >= sessionMs) effects.push({ type: 'expire', id, beat, why: 'silent' });
    else if (!alive && !isStatic) effects.push({ type: 'expire', id, beat, why: 'gone' });
  }
  return [{ at, seen }, effects];
};
