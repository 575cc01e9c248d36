/**
 * Detects an actor that hangs: it has been inside one record for too long.
 *
 * The actor's activity is visible in shared memory, so a thread that never returns to its event loop is seen too. An actor that waits for
 * records, for the disk or for a turn does not hang: it is inside no record.
 */
export interface Sighting {
  /** Grows with every record begun; the same number twice is the same record. */
  readonly record: number;
  readonly inside: boolean;
}
export interface Watched {
  readonly record: number;
  readonly since: number;
}

export const step = (
  state: Watched | undefined,
  seen: Sighting,
  at: number,
  hangAfterMs: number,
): readonly [Watched | undefined, { readonly type: 'hangs'; readonly forMs: number } | undefined] => {
  if (!seen.inside) return [undefined, undefined];
  if (state === undefined || state.record !== seen.record) return [{ record: seen.record, since: at }, undefined];
  const forMs = at - state.since;
  return [state, forMs >= hangAfterMs ? { type: 'hangs', forMs } : undefined];
};
