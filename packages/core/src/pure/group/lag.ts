/**
 * How far a group is behind, in the three ways that people ask: how many records, how old, and how long until it is done.
 *
 * Records are offsets, so a compacted partition counts its holes. Age is that of the first record not yet read: it grows
 * by a second a second while a group stands still, whatever its producers do, which is why alarms are better set on it.
 * Time to drain is lag over what the group gains: it reads 1,500 a second while 1,200 arrive, and is 720,000 behind, so it
 * gains 300 a second and is done in 2,400 s. Who gains nothing is never done.
 */
export interface Behind {
  /** The next record that the group reads, or undefined when it never committed: then all that is kept is before it. */
  readonly position: bigint | undefined;
  readonly start: bigint;
  readonly end: bigint;
}

/** Where reading goes on: what retention took from before a reader counts for nothing. */
export const readsFrom = ({ position, start }: Behind): bigint => (position === undefined || position < start ? start : position);

export const recordsBehind = (place: Behind): bigint => {
  const from = readsFrom(place);
  return place.end > from ? place.end - from : 0n;
};

/** Milliseconds since the first unread record was stamped; 0 when there is none, or it comes from a clock that is ahead. */
export const ageOf = (firstUnread: number | undefined, now: number): number => (firstUnread === undefined ? 0 : Math.max(0, now - firstUnread));

/** Seconds until a lag is gone at these rates (records a second); undefined: never. */
export const drainSeconds = (lag: number, consumed: number, produced: number): number | undefined => {
  if (lag <= 0) return 0;
  const gained = consumed - produced;
  return gained > 0 ? lag / gained : undefined;
};

/** Positions and ends, looked at twice: how many records a second were read, and how many came. */
export const ratesBetween = (
  before: { readonly position: bigint; readonly end: bigint },
  after: { readonly position: bigint; readonly end: bigint },
  seconds: number,
): { readonly consumed: number; readonly produced: number } =>
  seconds > 0
    ? { consumed: Math.max(0, Number(after.position - before.position)) / seconds, produced: Math.max(0, Number(after.end - before.end)) / seconds }
    : { consumed: 0, produced: 0 };
