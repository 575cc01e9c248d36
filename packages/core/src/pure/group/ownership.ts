/**
 * Who may move a group's positions: one owner at a time, by a lease that is watched, not timed.
 *
 * The owner adds one to `beat` every few seconds. Whoever waits looks at the record and at its *own* monotonic clock:
 * when the beat has stood still for the length of a lease, or the owner's process is known to be gone, it takes over by
 * raising the epoch, on condition that the epoch is still the one it saw. No clock is compared with another's, so a
 * clock that is set back or a machine that sleeps cannot make two owners: the epoch, compared inside every commit,
 * settles it, and who wakes up late is refused.
 */
export interface Owner {
  /** Unique for each join. */
  readonly instance: string;
  readonly pid: number;
  /** When the process started, as the system counts; tells a reused pid from the old one. */
  readonly started: string;
  /** When it took the group, and when it last raised the beat, by its own wall clock: told to people, compared with nothing. */
  readonly since?: number;
  readonly beatAt?: number;
}
export interface Ownership {
  readonly epoch: number;
  readonly owner: Owner | null;
  readonly beat: number;
}
export const NOBODY: Ownership = { epoch: 0, owner: null, beat: 0 };

/** In the copy of a log nobody is in a group: its owner, if it lives, is in the original. */
export const withoutOwner = (found: Ownership): Ownership => ({ ...found, owner: null });

export const LEASE_MS = 10_000;
export const BEAT_MS = 3_000;

/** What a waiting member remembers between two looks. */
export interface Watching {
  readonly epoch: number;
  readonly beat: number;
  /** By the watcher's own monotonic clock. */
  readonly since: number;
}
export type WatchEvent = {
  readonly type: 'looked';
  readonly found: Ownership;
  readonly ownerAlive: boolean;
  readonly at: number;
};
export type WatchEffect = { readonly type: 'take'; readonly epoch: number } | { readonly type: 'wait' };

export const step = (state: Watching | undefined, event: WatchEvent): readonly [Watching, WatchEffect] => {
  const { found, at } = event;
  const moved = state === undefined || state.epoch !== found.epoch || state.beat !== found.beat;
  const watching: Watching = moved ? { epoch: found.epoch, beat: found.beat, since: at } : state;
  const free = found.owner === null || !event.ownerAlive || at - watching.since >= LEASE_MS;
  return [watching, free ? { type: 'take', epoch: found.epoch } : { type: 'wait' }];
};
