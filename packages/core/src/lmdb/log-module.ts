/**
 * The module named by the `LogRef` of `lmdb(…)`: opens the log in any thread.
 *
 * A thread that opens the log without a link starts, or shares, the writer of the process; a thread with a link only maps the
 * file for reading. This module itself is small, so that the writer begins to load first; rarely used code, from resets to
 * repairs, is loaded on its first use.
 */
import type { Backup, CleaningStanding, GroupStanding, Restored, Shrunk } from '../port/administration.ts';
import type { CheckOptions, CheckReport, RepairOptions, RepairReport } from '../port/inspection.ts';
import type { Cleaned, CleanOptions, Log, LogLink } from '../port/log.ts';
import type { Watch } from '../port/watch.ts';
import type { ResetLine } from '../pure/group/reset.ts';
import type { Usage } from '../port/usage.ts';
import type { TopicShape } from '../pure/topic/shape.ts';
import { StoplogError } from '../pure/errors.ts';
import type { Administrator } from './admin/administration.ts';
import { DEFAULT_MAP_SIZE } from './folder/address-space.ts';
import type { EnvOptions } from './tables/env.ts';
import { describeIo } from './folder/io-errors.ts';
import { examineFolder } from './folder/folder.ts';
import { openHost } from './writer/host.ts';
import type { LmdbLog } from './log.ts';

const links = new WeakMap<Log, () => LogLink>();
const administrators = new WeakMap<Log, () => Promise<Administrator>>();

type Given = Partial<EnvOptions> & { readonly path: string; readonly create?: boolean; readonly verify?: boolean };
const envOptionsOf = ({ path, mapSize = DEFAULT_MAP_SIZE, maintenance, clock }: Given): EnvOptions => ({ path, mapSize, maintenance, clock });

export const open = async (options: unknown, link?: LogLink | Promise<LogLink>): Promise<Log> => {
  const given = options as Given;
  const envOptions = envOptionsOf(given);
  if (link !== undefined) {
    // A link may take long to arrive: meanwhile its modules are loaded.
    const [{ openThreadLog }, { port }] = await Promise.all([import('./thread-log.ts'), link]);
    return openThreadLog(envOptions, port).log;
  }
  if (given.create === false && examineFolder(given.path) === 'new') {
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
    links.set(log, () => ({ port: host.connect() }));
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
export const groups = async (log: Log): Promise<readonly GroupStanding[]> => (await administrator(log)).groups();
export const cleanings = async (log: Log, topics?: readonly string[]): Promise<readonly CleaningStanding[]> => (await administrator(log)).cleanings(topics);
export const setPositions = async (log: Log, group: string, lines: readonly ResetLine[]): Promise<void> =>
  (await administrator(log)).setPositions(group, lines);
export const deleteGroup = async (log: Log, group: string): Promise<void> => {
  await (await administrator(log)).deleteGroup(group);
  (log as LmdbLog).forget();
};
export const deleteTopic = async (log: Log, topic: string): Promise<void> => {
  await (await administrator(log)).deleteTopic(topic);
  (log as LmdbLog).forget();
};
export const usage = async (log: Log): Promise<Usage> => (await administrator(log)).usage();
export const backup = async (log: Log, folder: string, watch: Watch = {}): Promise<Backup> => (await administrator(log)).backup(folder, watch);
export const restore = async (folder: string, options: unknown, watch: Watch = {}): Promise<Restored> =>
  (await import('./copy/restore.ts')).restoreBackup(folder, (options as Given).path, watch);
export const shrink = async (options: unknown, watch: Watch = {}): Promise<Shrunk> =>
  (await import('./copy/shrink.ts')).shrinkFolder(envOptionsOf(options as Given), watch);
export const clean = (log: Log, options: CleanOptions = {}): Promise<readonly Cleaned[]> => (log as LmdbLog).clean(options);

export const check = async (options: unknown, how?: CheckOptions): Promise<CheckReport> =>
  (await import('./doctor/check.ts')).checkFolder((options as { readonly path: string }).path, how);
export const repair = async (options: unknown, to: string, how?: RepairOptions): Promise<RepairReport> =>
  (await import('./doctor/repair.ts')).repairFolder((options as { readonly path: string }).path, to, how);

export const topics = (log: Log): Promise<readonly TopicShape[]> => (log as LmdbLog).topics();
