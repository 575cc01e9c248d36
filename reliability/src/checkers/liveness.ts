/** After the last fault there is quiet, and in the quiet all work must be done within a bound. */
import type { Event } from '../history/history.ts';
import type { Fault } from './fault.ts';

export const checkLiveness = (events: readonly Event[], boundMs: number): readonly Fault[] => {
  let quietSince: { readonly at: number; readonly what: string } | undefined;
  let settledAt: number | undefined;
  for (const event of events) {
    if (event.type !== 'info') continue;
    if (event.op === 'settled') settledAt = event.at;
    else {
      // A restarted process begins to work, and a fault has ended: the time counts from here.
      quietSince = event;
      settledAt = undefined;
    }
  }
  if (quietSince === undefined) return [];
  const { at, what } = quietSince;
  if (settledAt === undefined) return [{ kind: 'stuck', what: `nothing was settled after '${what}'` }];
  return settledAt - at <= boundMs ? [] : [{ kind: 'stuck', what: `it took ${settledAt - at} ms to settle after '${what}', more than ${boundMs}` }];
};
