/**
 * The log with its numbers (port/numbered-log.ts), for idempotent producers and conditional appends.
 *
 * The types say it first: `openLog(lmdb(…))` gives a `NumberedClient`, and a log without these capabilities a `LogClient`. A
 * program that was compiled without types, or through a cast, is refused at the call, before anything is appended.
 */
import type { Log } from '../port/log.ts';
import type { Capability } from '../port/log-module.ts';
import type { NumberedLog } from '../port/numbered-log.ts';
import { StoplogError } from '../pure/errors.ts';

/** The log with its numbers; refuses one that has none, in the name of the requested capability. */
export const numberedLog = (log: Log, capability: Capability): NumberedLog => {
  if (typeof (log as Partial<NumberedLog>).producer === 'function') return log as NumberedLog;
  throw new StoplogError(
    'STOPLOG_USAGE',
    { capability },
    capability === 'producers'
      ? "this log keeps no producers, so log.producer(…) cannot promise each record once: append with log.append(…), which may repeat records after an error, or keep the topic in a log that has producers, such as lmdb('./data')"
      : "this log cannot compare where a partition ends, so it takes no expectedEnd, and nothing was appended: append without one, or keep the topic in a log that compares, such as lmdb('./data')",
  );
};
