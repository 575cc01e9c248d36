/**
 * A log in one thread: the map of the data folder, opened once however many logs use it, and a connection to the writer.
 *
 * This module is loaded when a log is opened, not with the module that a `LogRef` names: the thread that starts the writer
 * starts it first.
 */
import { clocksOf, openEnv, type Env, type EnvOptions } from './tables/env.ts';
import { saw } from './tables/seen.ts';
import type { Line } from './writer/host-messages.ts';
import { WriterLink } from './writer/link.ts';
import { LmdbLog } from './log.ts';

export interface ThreadLog {
  readonly log: LmdbLog;
  readonly env: Env;
  readonly line: WriterLink;
  readonly now: () => number;
}

/** `before` and `after` run when the log closes, first and last. */
export const openThreadLog = (
  options: EnvOptions,
  to: Line,
  { before, after }: { readonly before?: () => Promise<void>; readonly after?: () => Promise<void> } = {},
): ThreadLog => {
  const { env, release } = acquireEnv(options);
  const line = new WriterLink(to, (commit) => saw(env, commit));
  const log = new LmdbLog(env, line, async () => {
    await before?.();
    line.close();
    await release();
    await after?.();
  });
  return { log, env, line, now: clocksOf(options.clock).wall };
};

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
