/**
 * Opens the log of a LogRef: imports its module in this thread and calls it.
 */
import type { Log } from '../port/log.ts';
import type { Capability, LogModule, LogRef } from '../port/log-module.ts';
import type { NumberedLog } from '../port/numbered-log.ts';
import { StoplogError } from '../pure/errors.ts';
import { besideModule } from './bundled.ts';
import { makeClient, type LogClient } from './client.ts';
import type { NumberedClient } from './client.ts';

export const loadLogModule = async (ref: LogRef): Promise<LogModule> => {
  checkLogRef(ref);
  // A log of ours names a file beside its own module, which a bundler leaves behind. A package's name is no URL.
  if (URL.canParse(ref.module)) besideModule(ref.module, import.meta.url);
  const module = (await import(ref.module)) as Partial<LogModule>;
  if (typeof module.open !== 'function') {
    throw new StoplogError('STOPLOG_USAGE', { module: ref.module }, `${ref.module} is no log: pass what lmdb('./data') returns`);
  }
  return module as LogModule;
};

/** Refuses what is no reference to a log, where the compiler did not: the path of a folder above all. */
export const checkLogRef = (ref: unknown): void => {
  if (typeof ref === 'object' && ref !== null && 'module' in ref && typeof ref.module === 'string') return;
  const given = typeof ref === 'string' ? `'${ref}'` : ref === null || ref === undefined ? String(ref) : `this ${typeof ref}`;
  const instead = typeof ref === 'string' ? ref : './data';
  throw new StoplogError(
    'STOPLOG_USAGE',
    { found: typeof ref },
    `a log is what lmdb(…) returns, and ${given} is none: write lmdb('${instead}'), from '@stoplog/core/lmdb'`,
  );
};

/** Opens the log itself, for runtimes: with a `link` it commits through the writer of the thread that opened it first. */
export function openPort(ref: LogRef<Capability>, link?: Promise<unknown>): Promise<NumberedLog>;
export function openPort(ref: LogRef, link?: Promise<unknown>): Promise<Log>;
export async function openPort(ref: LogRef, link?: Promise<unknown>): Promise<Log> {
  return (await loadLogModule(ref)).open(ref.options, link);
}

/**
 * Opens a log for appending and reading. With the capabilities of its log come idempotent producers and conditional appends.
 *
 * @example
 * await using log = await openLog(lmdb('./data'));
 * await log.append(orders, [{ key: 'o1', value: { cents: 4_200 } }]);
 */
export function openLog(ref: LogRef<Capability>): Promise<NumberedClient>;
export function openLog(ref: LogRef): Promise<LogClient>;
export async function openLog(ref: LogRef): Promise<LogClient> {
  return makeClient(await openPort(ref));
}
