/**
 * Failures of the cluster as the port names them. The client's own error is the cause.
 */
import { isStoplogError, StoplogError } from '@stoplog/core';
import { failedAs, failureNames } from '../failures.ts';

export const closedError = (): StoplogError => new StoplogError('STOPLOG_LOG_UNAVAILABLE', {}, 'the log is closed: open it again');

/** For a call that changes nothing, or that may be repeated. */
export const unavailable = (error: unknown): unknown =>
  isStoplogError(error)
    ? error
    : new StoplogError(
        'STOPLOG_LOG_UNAVAILABLE',
        { failures: [...failureNames(error)] },
        `the cluster does not answer requests (${[...failureNames(error)].join(', ') || String(error)}): see that its brokers run, and try again`,
        { cause: error },
      );

/** For a commit: repeated, it might be made twice. */
export const notCommitted = (error: unknown): unknown => {
  if (isStoplogError(error)) return error;
  if (failedAs(error, 'MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE'))
    return new StoplogError('STOPLOG_RECORD_TOO_LARGE', {}, "a record is larger than the cluster takes: split it, or raise the topic's max.message.bytes", {
      cause: error,
    });
  return new StoplogError(
    'STOPLOG_LOG_UNAVAILABLE',
    { failures: [...failureNames(error)] },
    'the cluster did not answer the commit, which may be visible all the same: read where the group is before trying again',
    { cause: error },
  );
};
