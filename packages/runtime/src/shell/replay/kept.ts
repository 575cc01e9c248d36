/** Deletes what rebuilds have replaced when its time is over: when the app starts, and now and then while it runs. */
import { partsOfShadow } from '@stoplog/core/kit';
import type { Log } from '@stoplog/core/port';
import type { Tools } from '@stoplog/core/tools';

/** How soon the app looks again. */
const LOOK_MS = 60_000;

/** Looks at once, and then every minute until the signal is aborted. */
export const freeKept = async (log: Log, tools: Partial<Tools> | undefined, pipeline: string, ended: AbortSignal): Promise<void> => {
  const { groups, deleteGroup } = tools ?? {};
  if (groups === undefined || deleteGroup === undefined) return;
  const look = async (): Promise<void> => {
    for (const { group, keptUntil, members } of await groups(log))
      if (keptUntil !== undefined && keptUntil <= Date.now() && members.length === 0 && partsOfShadow(group)?.name === pipeline) await deleteGroup(log, group);
  };
  await look();
  // It is tried again: another process may have been faster, or reads one of its topics.
  const timer = setInterval(() => void look().catch(() => {}), LOOK_MS);
  timer.unref();
  ended.addEventListener('abort', () => clearInterval(timer), { once: true });
};
