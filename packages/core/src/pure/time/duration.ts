/**
 * A duration is a number of milliseconds with a type of its own: `minutes(1)` is one, `60_000` is not, and the compiler
 * knows.
 */
import { StoplogError } from '../errors.ts';

declare const unit: unique symbol;
export type Millis = number & { readonly [unit]: 'ms' };

export const milliseconds = (n: number): Millis => duration(n, 1, 'milliseconds');
/**
 * A duration of that many seconds.
 *
 * @example
 * run(url, { log: lmdb('./data'), hangAfter: seconds(5) })
 */
export const seconds = (n: number): Millis => duration(n, 1_000, 'seconds');
/**
 * A duration of that many minutes.
 *
 * @example
 * Date.now() - minutes(5)
 */
export const minutes = (n: number): Millis => duration(n, 60_000, 'minutes');
/**
 * A duration of that many hours.
 *
 * @example
 * log.read(orders, { from: 'earliest', reset: { ago: hours(1) } })
 */
export const hours = (n: number): Millis => duration(n, 3_600_000, 'hours');
/**
 * A duration of that many days.
 *
 * @example
 * topic('orders', { key: z.string(), value: Order, retention: days(30) })
 */
export const days = (n: number): Millis => duration(n, 86_400_000, 'days');

/** Rounds to whole milliseconds: 1.1 × 1,000 is 1,100.0000000000002 otherwise. */
const duration = (n: number, size: number, word: string): Millis => {
  const ms = Math.round(n * size);
  if (typeof n === 'number' && Number.isSafeInteger(ms) && n >= 0 && (ms > 0 || n === 0)) return (ms + 0) as Millis;
  throw new StoplogError(
    'STOPLOG_USAGE',
    { [word]: n },
    `${word}(${String(n)}) is no duration: take a number from 0 that makes whole milliseconds, as in seconds(30)`,
  );
};
