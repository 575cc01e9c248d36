/**
 * Opens the log of a LogRef: imports its module in this thread and calls it.
 */
import type { Log, LogLink, LogModule, LogRef } from '../port/log.ts';
import { StoplogError } from '../pure/errors.ts';
import { makeClient, type LogClient } from './client.ts';

export const loadLogModule = async (ref: LogRef): Promise<LogModule> => {
  const module = (await import(ref.module)) as Partial<LogModule>;
  if (typeof module.open !== 'function') {
    throw new StoplogError('STOPLOG_USAGE', { module: ref.module }, `${ref.module} is no log: pass what lmdb('./data') returns`);
  }
  return module as LogModule;
};

/** Opens the log itself, for runtimes: with a `link` it commits through the writer of the thread that opened it first. */
export const openPort = async (ref: LogRef, link?: LogLink | Promise<LogLink>): Promise<Log> => (await loadLogModule(ref)).open(ref.options, link);

/**
 * Opens a log for appending and reading.
 *
 * @example
 * await using log = await openLog(lmdb('./data'));
 * await log.append(orders, [{ key: 'o1', value: { cents: 4_200 } }]);
 */
export const openLog = async (ref: LogRef): Promise<LogClient> => makeClient(await openPort(ref));
