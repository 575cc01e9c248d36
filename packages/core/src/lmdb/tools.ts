/**
 * All tools of a log on LMDB. Each is loaded when it is called, since a pipeline that starts needs none of them.
 */
import type { Log } from '../port/log.ts';
import type { Tools } from '../port/tools.ts';
import type { Administrator } from './admin/administration.ts';
import type { LmdbLog } from './log.ts';
import type { Given } from './log-module.ts';
import type { EnvOptions } from './tables/env.ts';

export const toolsWith = (administrator: (log: Log) => Promise<Administrator>, envOptionsOf: (given: Given) => EnvOptions): Tools => ({
  topics: (log) => (log as LmdbLog).topics(),
  clean: (log, options = {}) => (log as LmdbLog).clean(options),
  groups: async (log) => (await administrator(log)).groups(),
  cleanings: async (log, topics) => (await administrator(log)).cleanings(topics),
  setPositions: async (log, group, lines) => (await administrator(log)).setPositions(group, lines),
  deleteGroup: async (log, group) => {
    await (await administrator(log)).deleteGroup(group);
    (log as LmdbLog).forget();
  },
  deleteTopic: async (log, topic) => {
    await (await administrator(log)).deleteTopic(topic);
    (log as LmdbLog).forget();
  },
  adoptRebuild: async (log, adoption) => {
    const outcome = await (await administrator(log)).adoptRebuild(adoption);
    (log as LmdbLog).forget();
    return outcome;
  },
  usage: async (log) => (await administrator(log)).usage(),
  backup: async (log, folder, watch = {}) => (await administrator(log)).backup(folder, watch),
  restore: async (folder, options, watch = {}) => (await import('./copy/restore.ts')).restoreBackup(folder, (options as Given).path, watch),
  shrink: async (options, watch = {}) => (await import('./copy/shrink.ts')).shrinkFolder(envOptionsOf(options as Given), watch),
  check: async (options, how) => {
    const { path, groupMayWrite } = options as Given;
    return (await import('./doctor/check.ts')).checkFolder(path, how, groupMayWrite);
  },
  repair: async (options, to, how) => {
    const { path, groupMayWrite } = options as Given;
    return (await import('./doctor/repair.ts')).repairFolder(path, to, how, groupMayWrite);
  },
});
