/**
 * The lag of a group in three measures: records behind, age of the first unread record, and time to drain.
 *
 * Records are counted as offsets, so the holes of a compacted partition count too. The age grows by a second per second while
 * a group stands still, whatever its producers do, so alarms are better set on it. Time to drain is the lag divided by what
 * the group gains: a group that reads 1,500 a second while 1,200 are appended, and is 720,000 behind, gains 300 a second and
 * is done in 2,400 s. A group that gains nothing is never done.
 */
export interface Behind {
  /** The next record that the group reads, or undefined when it never committed: then its lag is every kept record. */
  readonly position: bigint | undefined;
  readonly start: bigint;
  readonly end: bigint;
}

/** The offset at which reading resumes: records that retention dropped before the group read them do not count. */
export const readsFrom = ({ position, start }: Behind): bigint => (position === undefined || position < start ? start : position);

export const recordsBehind = (place: Behind): bigint => {
  const from = readsFrom(place);
  return place.end > from ? place.end - from : 0n;
};

/** Milliseconds since the first unread record was stamped; 0 when there is none, or when its clock is ahead. */
export const ageOf = (firstUnread: number | undefined, now: number): number => (firstUnread === undefined ? 0 : Math.max(0, now - firstUnread));

/** Seconds until a lag is gone at these rates (records a second); undefined: never. */
export const drainSeconds = (lag: number, consumed: number, produced: number): number | undefined => {
  if (lag <= 0) return 0;
  const gained = consumed - produced;
  return gained > 0 ? lag / gained : undefined;
};

/** Records read and records appended per second, from two samples of positions and ends. */
export const ratesBetween = (
  before: { readonly position: bigint; readonly end: bigint },
  after: { readonly position: bigint; readonly end: bigint },
  seconds: number,
): { readonly consumed: number; readonly produced: number } =>
  seconds > 0
    ? { consumed: Math.max(0, Number(after.position - before.position)) / seconds, produced: Math.max(0, Number(after.end - before.end)) / seconds }
    : { consumed: 0, produced: 0 };
