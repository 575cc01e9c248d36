/**
 * The closed form: each key has the values 0 … n − 1, once each. Then the count is n, the sum n(n − 1)/2, the least 0 and the
 * greatest n − 1, and every lost or doubled record changes one of them. The checker uses no logs, offsets or folds.
 */
import type { Fault } from './fault.ts';

export const checkClosedForm = (what: string, records: readonly (readonly [key: string, n: number])[]): readonly Fault[] => {
  const keys = new Map<string, { count: number; sum: number; least: number; greatest: number }>();
  for (const [key, n] of records) {
    const seen = keys.get(key) ?? { count: 0, sum: 0, least: Infinity, greatest: -Infinity };
    keys.set(key, { count: seen.count + 1, sum: seen.sum + n, least: Math.min(seen.least, n), greatest: Math.max(seen.greatest, n) });
  }
  return [...keys].flatMap(([key, { count, sum, least, greatest }]) => {
    const isWhole = sum === (count * (count - 1)) / 2 && least === 0 && greatest === count - 1;
    return isWhole ? [] : [{ kind: 'closed form', what: `${what} ${key}: ${count} values from ${least} to ${greatest} with the sum ${sum}` } as const];
  });
};
