/**
 * Decides whether a member still lives, from its heartbeats: a lease that is watched, not timed.
 *
 * A member increments its *heartbeat* counter every few seconds. The other members look at it, each by its own monotonic
 * clock. When the counter has stood still for the length of the member's session, or its process is known to be gone, a
 * watcher reports that to the coordinator, which removes the member if the counter is still the one that the watcher saw. No
 * clock is compared with another, so a clock that is set back or a machine that sleeps never makes two holders: the epochs,
 * compared inside every commit, decide.
 *
 * A watcher that stood still itself knows little of the others: between two looks at most a third of a session counts.
 */
export const SESSION_MS = 10_000;
const BEAT_MS = 3_000;
/** Three heartbeats fit into a session, so that one late heartbeat removes no member. */
export const heartbeatMs = (sessionMs: number): number => Math.min(BEAT_MS, sessionMs * 0.3);

export interface Beating {
  readonly id: string;
  readonly beat: number;
  readonly sessionMs: number;
  /** The member has an instance id: it may rejoin until its session ends. */
  readonly isStatic: boolean;
  /** False when the member's process is known to be gone. */
  readonly alive: boolean;
}
interface Seen {
  readonly beat: number;
  /** For how long the heartbeat counter has stood still. */
  readonly stoodMs: number;
}
/** The state of a watcher between two looks. */
export interface Watching {
  readonly at: number;
  readonly seen: ReadonlyMap<string, Seen>;
}
export interface WatchEvent {
  readonly type: 'looked';
  /** All members except the watcher. */
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
