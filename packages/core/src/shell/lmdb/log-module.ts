/**
 * The module a `LogRef` of `lmdb(…)` names: opens the log in whichever thread asks.
 *
 * The thread that opens it without a link starts, or shares, the writer of the process; one that comes with a link only
 * maps the file for reading. The environment is opened once per thread however often it is asked for.
 */
import type { Backup, CleaningStanding, GroupStanding, Restored, Shrunk } from '../../port/administration.ts';
import type { CheckOptions, CheckReport, RepairOptions, RepairReport } from '../../port/inspection.ts';
import type { Cleaned, CleanOptions, Log, LogLink } from '../../port/log.ts';
import type { Watch } from '../../port/watch.ts';
import type { ResetLine } from '../../pure/group/reset.ts';
import type { Usage } from '../../pure/log/usage.ts';
import type { TopicShape } from '../../pure/topic/shape.ts';
import { StoplogError } from '../../pure/errors.ts';
import { Administrator } from './administration.ts';
import { clockOf, DEFAULT_MAP_SIZE, openEnv, type Env, type EnvOptions } from './env.ts';
import { checkFolder } from './check.ts';
import { repairFolder } from './repair.ts';
import { describeIo, examineFolder } from './folder.ts';
import { openHost } from './host.ts';
import { WriterLink } from './link.ts';
import { LmdbLog } from './log.ts';
import { restoreBackup } from './restore.ts';
import { shrinkFolder } from './shrink.ts';

const links = new WeakMap<Log, () => LogLink>();
const administrators = new WeakMap<Log, Administrator>();

type Given = Partial<EnvOptions> & { readonly path: string; readonly create?: boolean; readonly verify?: boolean };
const envOptionsOf = ({ path, mapSize = DEFAULT_MAP_SIZE, maintenance, clock }: Given): EnvOptions => ({ path, mapSize, maintenance, clock });

export const open = async (options: unknown, link?: LogLink): Promise<Log> => {
  const env = options as Given;
  const envOptions = envOptionsOf(env);
  if (link !== undefined) return openLinked(envOptions, link);
  if (env.create === false && examineFolder(env.path) === 'new') {
    throw new StoplogError(
      'STOPLOG_LOG_UNAVAILABLE',
      { path: env.path },
      `there is no log in ${env.path}: check the path; the first run of a pipeline, or the first append, makes one`,
    );
  }
  const host = await openHost(envOptions, env.verify);
  try {
    const shared = acquireEnv({ ...envOptions, path: host.path });
    const line = new WriterLink(host.connect());
    const administrator = new Administrator(shared.env, line, clockOf(envOptions.clock));
    const log = new LmdbLog(shared.env, line, async () => {
      await administrator.close();
      line.close();
      await shared.release();
      await host.release();
    });
    administrators.set(log, administrator);
    links.set(log, () => ({ port: host.connect() }));
    return log;
  } catch (error) {
    await host.release();
    throw describeIo(envOptions.path, error);
  }
};

const openLinked = (options: EnvOptions, link: LogLink): Log => {
  const shared = acquireEnv(options);
  const line = new WriterLink(link.port);
  return new LmdbLog(shared.env, line, async () => {
    line.close();
    await shared.release();
  });
};

export const share = async (log: Log): Promise<LogLink> => {
  const link = links.get(log);
  if (link === undefined)
    throw new StoplogError('STOPLOG_USAGE', {}, 'only a log that was opened without a link can be shared: ask the thread that opened it first');
  return link();
};

const administrator = (log: Log): Administrator => {
  const found = administrators.get(log);
  if (found === undefined)
    throw new StoplogError('STOPLOG_USAGE', {}, 'only a log that was opened without a link can be administered: ask the thread that opened it first');
  return found;
};
export const groups = async (log: Log): Promise<readonly GroupStanding[]> => administrator(log).groups();
export const cleanings = async (log: Log, topics?: readonly string[]): Promise<readonly CleaningStanding[]> => administrator(log).cleanings(topics);
export const setPositions = async (log: Log, group: string, lines: readonly ResetLine[]): Promise<void> => administrator(log).setPositions(group, lines);
export const deleteGroup = async (log: Log, group: string): Promise<void> => {
  await administrator(log).deleteGroup(group);
  (log as LmdbLog).forget();
};
export const deleteTopic = async (log: Log, topic: string): Promise<void> => {
  await administrator(log).deleteTopic(topic);
  (log as LmdbLog).forget();
};
export const usage = async (log: Log): Promise<Usage> => administrator(log).usage();
export const backup = async (log: Log, folder: string, watch: Watch = {}): Promise<Backup> => administrator(log).backup(folder, watch);
export const restore = (folder: string, options: unknown, watch: Watch = {}): Promise<Restored> => restoreBackup(folder, (options as Given).path, watch);
export const shrink = (options: unknown, watch: Watch = {}): Promise<Shrunk> => shrinkFolder(envOptionsOf(options as Given), watch);
export const clean = (log: Log, options: CleanOptions = {}): Promise<readonly Cleaned[]> => (log as LmdbLog).clean(options);

export const check = (options: unknown, how?: CheckOptions): Promise<CheckReport> => checkFolder((options as { readonly path: string }).path, how);
export const repair = (options: unknown, to: string, how?: RepairOptions): Promise<RepairReport> =>
  repairFolder((options as { readonly path: string }).path, to, how);

export const topics = (log: Log): Promise<readonly TopicShape[]> => (log as LmdbLog).topics();

interface SharedEnv {
  readonly env: Env;
  users: number;
}
const envs = new Map<string, SharedEnv>();

const acquireEnv = (options: EnvOptions): { readonly env: Env; readonly release: () => Promise<void> } => {
  let shared = envs.get(options.path);
  if (shared === undefined) {
    shared = { env: openEnv(options, true), users: 0 };
    envs.set(options.path, shared);
  }
  const mine = shared;
  mine.users++;
  return {
    env: mine.env,
    release: async () => {
      if (--mine.users > 0) return;
      envs.delete(options.path);
      await mine.env.root.close();
    },
  };
};
