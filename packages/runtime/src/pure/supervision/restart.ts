/**
 * What to do with an actor that failed: start it again after a while, or give its partition up.
 *
 * Five failures at one record and the partition is given up: the record will not get better. What fails at ever new places
 * gets thirty tries in ten minutes. What the log could not take (a full disk) is no fault of the actor's: it is tried
 * again for as long as it takes. What cannot start at all ends the app.
 */
import type { StoplogCode } from '@stoplog/core/port';

export interface Failures {
  /** When it failed before, in ms by a clock that only grows, and where. */
  readonly recent: readonly { readonly at: number; readonly place: string }[];
  /** Failures in a row that were the log's. */
  readonly logFailures: number;
}
export const NO_FAILURES: Failures = { recent: [], logFailures: 0 };

export type RestartEvent = {
  readonly type: 'failed';
  readonly code: StoplogCode | undefined;
  readonly place: string;
  readonly at: number;
};
export type RestartEffect =
  | { readonly type: 'restart'; readonly afterMs: number }
  | { readonly type: 'give-up'; readonly attempts: number }
  | { readonly type: 'fatal' };

export const ATTEMPTS_AT_ONE_RECORD = 5;
const ATTEMPTS_IN_ALL = 30;
const SPAN_MS: number = 10 * 60_000;
const FIRST_BACKOFF_MS = 100;
const LAST_BACKOFF_MS = 5_000;

/** Another try cannot help: the declaration and what is recorded do not fit. */
const FATAL: ReadonlySet<string> = new Set<StoplogCode>([
  'STOPLOG_PIPELINE_MODULE',
  'STOPLOG_TOPOLOGY',
  'STOPLOG_STORE_VERSION',
  'STOPLOG_STORE_OWNER',
  'STOPLOG_TOPIC_SHAPE',
]);
const LOGS_FAULT: ReadonlySet<string> = new Set<StoplogCode>(['STOPLOG_LOG_FULL', 'STOPLOG_LOG_UNAVAILABLE', 'STOPLOG_FENCED']);

export const backoffMs = (attempt: number): number => Math.min(LAST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(attempt - 1, 20));

/** It has committed: the log takes what it is given. */
export const worked = (state: Failures): Failures => (state.logFailures === 0 ? state : { ...state, logFailures: 0 });

export const step = (state: Failures, event: RestartEvent): readonly [Failures, RestartEffect] => {
  if (event.code !== undefined && FATAL.has(event.code)) return [state, { type: 'fatal' }];
  if (event.code !== undefined && LOGS_FAULT.has(event.code)) {
    const logFailures = state.logFailures + 1;
    return [
      { ...state, logFailures },
      { type: 'restart', afterMs: backoffMs(logFailures) },
    ];
  }
  const recent = [...state.recent.filter(({ at }) => event.at - at < SPAN_MS), { at: event.at, place: event.place }];
  const here = recent.filter(({ place }) => place === event.place).length;
  const next: Failures = { recent, logFailures: 0 };
  if (here >= ATTEMPTS_AT_ONE_RECORD || recent.length >= ATTEMPTS_IN_ALL) return [next, { type: 'give-up', attempts: here }];
  return [next, { type: 'restart', afterMs: backoffMs(here) }];
};
