/**
 * The module of a shadow log: a log over another one in which a pipeline is rebuilt, in any thread (shadow-log.ts).
 */
import type { Log } from '../../port/log.ts';
import type { LogLink, LogRef } from '../../port/log-module.ts';
import { StoplogError } from '../../pure/errors.ts';
import { loadLogModule } from '../open.ts';
import { ShadowLog, type ShadowNames } from './shadow-log.ts';

export interface ShadowOptions extends ShadowNames {
  readonly over: LogRef;
}

const opened = new WeakMap<Log, { readonly over: LogRef; readonly log: Log }>();

export const open = async (options: unknown, link?: Promise<unknown>): Promise<Log> => {
  const { over, ...names } = options as ShadowOptions;
  const log = await (await loadLogModule(over)).open(over.options, link);
  const shadow = new ShadowLog(log, names);
  opened.set(shadow, { over, log });
  return shadow;
};
export const share = async (shadow: Log): Promise<LogLink> => {
  const found = opened.get(shadow);
  if (found === undefined) throw new StoplogError('STOPLOG_USAGE', {}, 'this log is no shadow: share it by its own module');
  return (await loadLogModule(found.over)).share(found.log);
};
