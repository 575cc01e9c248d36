/**
 * The module named by the `LogRef` of `lmdb(…)`: opens the log in any thread.
 *
 * A thread that opens the log without a link starts, or shares, the writer of the process; a thread with a link only maps the
 * file for reading. This module itself is small, so that the writer begins to load first; rarely used code, from resets to
 * repairs, is loaded on its first use.
 */
import type { Log } from '../port/log.ts';
import type { LogLink } from '../port/log-module.ts';
import type { Tools } from '../port/tools.ts';
import { StoplogError } from '../pure/errors.ts';
import type { Administrator } from './admin/administration.ts';
import { DEFAULT_MAP_SIZE } from './folder/address-space.ts';
import type { EnvOptions } from './tables/env.ts';
import { describeIo } from './folder/io-errors.ts';
import { examineFolder } from './folder/folder.ts';
import { removeGroupWrite } from './folder/rights.ts';
import { openHost } from './writer/host.ts';
import type { Line } from './writer/host-messages.ts';

const links = new WeakMap<Log, () => LogLink>();
const administrators = new WeakMap<Log, () => Promise<Administrator>>();

export type Given = Partial<EnvOptions> & { readonly path: string; readonly create?: boolean; readonly ownerOnly?: boolean; readonly verify?: boolean };
const envOptionsOf = ({ path, mapSize = DEFAULT_MAP_SIZE, maintenance, groupMayWrite, clock }: Given): EnvOptions => ({
  path,
  mapSize,
  maintenance,
  groupMayWrite,
  clock,
});

export const open = async (options: unknown, link?: Promise<unknown>): Promise<Log> => {
  const given = options as Given;
  const envOptions = envOptionsOf(given);
  if (link !== undefined) {
    // A link may take long to arrive: meanwhile its modules are loaded.
    const [{ openThreadLog }, data] = await Promise.all([import('./thread-log.ts'), link]);
    // `share` gave a line to the writer.
    return openThreadLog(envOptions, data as Line).log;
  }
  if (given.ownerOnly === true) removeGroupWrite(given.path);
  if (given.create === false && examineFolder(given.path, given.groupMayWrite) === 'new') {
    throw new StoplogError(
      'STOPLOG_LOG_UNAVAILABLE',
      { path: given.path },
      `there is no log in ${given.path}: check the path; the first run of a pipeline, or the first append, makes one`,
    );
  }
  const loading = import('./thread-log.ts');
  // A fault of the folder is reported first.
  loading.catch(() => {});
  const host = await openHost(envOptions, given.verify);
  try {
    const { openThreadLog } = await loading;
    let administration: Promise<Administrator> | undefined;
    const { log, env, line, now } = openThreadLog({ ...envOptions, path: host.path }, host.connect(), {
      before: async () => (await administration)?.close(),
      after: host.release,
    });
    administrators.set(log, () => (administration ??= import('./admin/administration.ts').then((loaded) => new loaded.Administrator(env, line, now))));
    links.set(log, () => {
      const line = host.connect();
      return { data: line, transfer: [line.port] };
    });
    return log;
  } catch (error) {
    await host.release();
    throw describeIo(envOptions.path, error);
  }
};

export const share = async (log: Log): Promise<LogLink> => {
  const link = links.get(log);
  if (link === undefined)
    throw new StoplogError('STOPLOG_USAGE', {}, 'only a log that was opened without a link can be shared: ask the thread that opened it first');
  return link();
};

const administrator = (log: Log): Promise<Administrator> => {
  const found = administrators.get(log);
  if (found === undefined)
    throw new StoplogError('STOPLOG_USAGE', {}, 'only a log that was opened without a link can be administered: ask the thread that opened it first');
  return found();
};
export const tools = async (): Promise<Tools> => (await import('./tools.ts')).toolsWith(administrator, envOptionsOf);
