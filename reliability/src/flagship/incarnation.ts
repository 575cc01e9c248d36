/** A life of the flagship: how it ends, how it is started for that, and the rare event of its end. */
import type { Failpoint } from '@stoplog/core/private/failpoints';

export type Incarnation =
  /** Killed from outside, that long after its actors run. */
  | { readonly kind: 'random'; readonly afterMs: number }
  /** Strikes at a hit of a failpoint; a life that does not reach it ends by itself. */
  | { readonly kind: 'failpoint'; readonly name: Failpoint; readonly mode: string; readonly hit: number | 'every' };

/** Rare events that must have happened for a run to count. */
export type Sometimes =
  | 'killed between send and acknowledgement'
  | 'killed in the middle of the input'
  | 'killed between two tasks'
  | 'killed inside a transaction'
  | 'killed between visible and acknowledged'
  | 'killed with nothing left to do';

export const NEVER_YET: Readonly<Record<Sometimes, number>> = {
  'killed between send and acknowledgement': 0,
  'killed in the middle of the input': 0,
  'killed between two tasks': 0,
  'killed inside a transaction': 0,
  'killed between visible and acknowledged': 0,
  'killed with nothing left to do': 0,
};
/** Failpoints that a life reaches only when it ends. */
const AT_THE_END: ReadonlySet<string> = new Set<Failpoint>(['release', 'close.draining', 'close.closed']);

export const nameOf = (incarnation: Incarnation, i: number): string =>
  incarnation.kind === 'random'
    ? `life ${i}, killed after ${Math.round(incarnation.afterMs)} ms`
    : `life ${i}, ${incarnation.name}=${incarnation.mode}#${incarnation.hit}`;
/** After its last record the program waits to be killed, settles and ends, or ends at once. */
export const endingOf = (incarnation: Incarnation): string => (incarnation.kind === 'random' ? 'stay' : AT_THE_END.has(incarnation.name) ? 'closing' : 'end');
export const armedBy = (incarnation: Incarnation): Readonly<Record<string, string>> =>
  incarnation.kind === 'random'
    ? {}
    : {
        STOPLOG_FAILPOINTS: `${incarnation.name}=${incarnation.mode}${incarnation.hit === 'every' ? '' : `#${incarnation.hit}`}`,
        ...(incarnation.mode === 'fail' ? { CAREFUL: 'yes' } : {}),
      };
/** The rare event of a death at a failpoint. */
export const dyingAt = (name: Failpoint): Sometimes | undefined => {
  if (/\.written|storage\.put|lock\.taken/.test(name)) return 'killed inside a transaction';
  return /append\.committed|commit\.applied|append\.acked/.test(name) ? 'killed between visible and acknowledged' : undefined;
};
