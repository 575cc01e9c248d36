/**
 * What to do with an actor that failed: start it again after a while, or give its partition up.
 *
 * Five failures at one record and the partition is given up: the record will not get better. What fails at ever new places
 * gets thirty tries in ten minutes. What the log or a sink could not take (a full disk, a lost connection) is no fault of the
 * actor's: it is tried again for as long as it takes. What cannot start at all ends the app.
 *
 * Too few files to load what it needs may be for a moment or for good. An actor that has run before is tried until they are
 * there again; one that never had enough ends the app after some seconds: it would hold its partitions in vain.
 */
import type { StoplogCode } from '@stoplog/core';

export interface Failures {
  /** When it failed before, in ms by a clock that only grows, and where. */
  readonly recent: readonly { readonly at: number; readonly place: string }[];
  /** Failures in a row that were the log's. */
  readonly logFailures: number;
  /** Failures in a row for want of files, and since when. */
  readonly lacking: { readonly since: number; readonly failures: number } | undefined;
  readonly hasRun: boolean;
}
export const NO_FAILURES: Failures = { recent: [], logFailures: 0, lacking: undefined, hasRun: false };

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
/** How long one that has never run is tried again for want of files; and no longer apart than this, for they may be there at any moment. */
const LACKING_MS = 8_000;
const LACKING_BACKOFF_MS = 2_000;

/** Another try cannot help: the declaration and what is recorded do not fit. */
const FATAL: ReadonlySet<string> = new Set<StoplogCode>([
  'STOPLOG_PIPELINE_MODULE',
  'STOPLOG_TOPOLOGY',
  'STOPLOG_STORE_VERSION',
  'STOPLOG_STORE_OWNER',
  'STOPLOG_TOPIC_SHAPE',
]);
const LOGS_FAULT: ReadonlySet<string> = new Set<StoplogCode>(['STOPLOG_LOG_FULL', 'STOPLOG_LOG_UNAVAILABLE', 'STOPLOG_FENCED', 'STOPLOG_SINK']);

export const backoffMs = (attempt: number): number => Math.min(LAST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(attempt - 1, 20));

/** It runs: it has had enough of everything that it needs. */
export const ran = (state: Failures): Failures => (state.hasRun ? state : { ...state, hasRun: true });

/** It has committed: the log takes what it is given. */
export const worked = (state: Failures): Failures =>
  state.logFailures === 0 && state.lacking === undefined ? state : { ...state, logFailures: 0, lacking: undefined };

export const step = (state: Failures, event: RestartEvent): readonly [Failures, RestartEffect] => {
  if (event.code !== undefined && FATAL.has(event.code)) return [state, { type: 'fatal' }];
  if (event.code !== undefined && LOGS_FAULT.has(event.code)) {
    const logFailures = state.logFailures + 1;
    return [
      { ...state, logFailures },
      { type: 'restart', afterMs: backoffMs(logFailures) },
    ];
  }
  if (event.code === 'STOPLOG_TOO_FEW_FILES') {
    const lacking = { since: state.lacking?.since ?? event.at, failures: (state.lacking?.failures ?? 0) + 1 };
    if (!state.hasRun && event.at - lacking.since >= LACKING_MS) return [state, { type: 'fatal' }];
    return [
      { ...state, lacking },
      { type: 'restart', afterMs: Math.min(LACKING_BACKOFF_MS, backoffMs(lacking.failures)) },
    ];
  }
  const recent = [...state.recent.filter(({ at }) => event.at - at < SPAN_MS), { at: event.at, place: event.place }];
  const here = recent.filter(({ place }) => place === event.place).length;
  const next: Failures = { ...state, recent, logFailures: 0 };
  if (here >= ATTEMPTS_AT_ONE_RECORD || recent.length >= ATTEMPTS_IN_ALL) return [next, { type: 'give-up', attempts: here }];
  return [next, { type: 'restart', afterMs: backoffMs(here) }];
};
