/**
 * Decides about an actor that failed: restart it after a while, or mark its partition as failed.
 *
 * After five failures at one record the partition has failed: the record will not get better. Failures at ever new records get thirty
 * tries in ten minutes. An error of the log or a sink (a full disk, a lost connection), or an outage of a source, is no fault of the actor's:
 * the actor is restarted without a limit. An actor that cannot start at all ends the app. A promise in place of a value is refused at the first try.
 *
 * A lack of files may last a moment or for ever. An actor that has run before is restarted until there are files again; an actor that has
 * never run ends the app after some seconds: it would hold its partitions in vain.
 */
import type { StoplogCode } from '@stoplog/core';

export interface Failures {
  /** The earlier failures: the time of each in ms, by a clock that only grows, and the record. */
  readonly recent: readonly { readonly at: number; readonly place: string }[];
  /** Consecutive failures of the log. */
  readonly logFailures: number;
  /** Consecutive failures for lack of files, and the time of the first. */
  readonly lacking: { readonly since: number; readonly failures: number } | undefined;
  readonly hasRun: boolean;
}
export const NO_FAILURES: Failures = { recent: [], logFailures: 0, lacking: undefined, hasRun: false };

export type RestartEvent = {
  readonly type: 'failed';
  readonly code: StoplogCode | undefined;
  readonly place: string;
  readonly at: number;
  /** Another try at the record would fail in the same way. */
  readonly isFinal?: boolean;
  /** The system behind a source cannot be reached; other partitions are not held up. */
  readonly isOutage?: boolean;
};
export type RestartEffect =
  /** `failures`: how often in a row, this time included. */
  | { readonly type: 'restart'; readonly afterMs: number; readonly failures: number }
  | { readonly type: 'stop'; readonly failures: number }
  | { readonly type: 'fatal' };

export const ATTEMPTS_AT_ONE_RECORD = 5;
const ATTEMPTS_IN_ALL = 30;
const SPAN_MS: number = 10 * 60_000;
const FIRST_BACKOFF_MS = 100;
const LAST_BACKOFF_MS = 5_000;
/** How long an actor that has never run is retried for lack of files; retries are at most this far apart, for files may be free at any moment. */
const LACKING_MS = 8_000;
const LACKING_BACKOFF_MS = 2_000;

/** Errors that another try cannot help: the declaration and the log do not agree. */
const FATAL: ReadonlySet<string> = new Set<StoplogCode>([
  'STOPLOG_PIPELINE_MODULE',
  'STOPLOG_TOPOLOGY',
  'STOPLOG_STORE_VERSION',
  'STOPLOG_STORE_OWNER',
  'STOPLOG_TOPIC_SHAPE',
]);
const LOGS_FAULT: ReadonlySet<string> = new Set<StoplogCode>(['STOPLOG_LOG_FULL', 'STOPLOG_LOG_UNAVAILABLE', 'STOPLOG_FENCED', 'STOPLOG_SINK']);

export const backoffMs = (attempt: number): number => Math.min(LAST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(attempt - 1, 20));

/** The actor runs: it has loaded everything that it needs. */
export const ran = (state: Failures): Failures => (state.hasRun ? state : { ...state, hasRun: true });

/** The actor has committed: the log accepts its commits. */
export const worked = (state: Failures): Failures =>
  state.logFailures === 0 && state.lacking === undefined ? state : { ...state, logFailures: 0, lacking: undefined };

export const step = (state: Failures, event: RestartEvent): readonly [Failures, RestartEffect] => {
  if (event.code !== undefined && FATAL.has(event.code)) return [state, { type: 'fatal' }];
  if (event.isOutage === true || (event.code !== undefined && LOGS_FAULT.has(event.code))) {
    // The log takes no more commits of this process, as when its file was removed.
    if (event.isFinal === true) return [state, { type: 'fatal' }];
    const logFailures = state.logFailures + 1;
    return [
      { ...state, logFailures },
      { type: 'restart', afterMs: backoffMs(logFailures), failures: logFailures },
    ];
  }
  if (event.code === 'STOPLOG_TOO_FEW_FILES') {
    const lacking = { since: state.lacking?.since ?? event.at, failures: (state.lacking?.failures ?? 0) + 1 };
    if (!state.hasRun && event.at - lacking.since >= LACKING_MS) return [state, { type: 'fatal' }];
    return [
      { ...state, lacking },
      { type: 'restart', afterMs: Math.min(LACKING_BACKOFF_MS, backoffMs(lacking.failures)), failures: lacking.failures },
    ];
  }
  const recent = [...state.recent.filter(({ at }) => event.at - at < SPAN_MS), { at: event.at, place: event.place }];
  const here = recent.filter(({ place }) => place === event.place).length;
  const next: Failures = { ...state, recent, logFailures: 0 };
  if (event.isFinal === true || here >= ATTEMPTS_AT_ONE_RECORD || recent.length >= ATTEMPTS_IN_ALL) return [next, { type: 'stop', failures: here }];
  return [next, { type: 'restart', afterMs: backoffMs(here), failures: here }];
};
