/** Who is in a group, as a sentence for whoever wants to do something to it that needs nobody to be. */
import { StoplogError } from '../errors.ts';
import type { Owner } from './ownership.ts';

/** `process 4242 has been in it since 2026-01-02T03:04:05.000Z, and gave its last beat 1.2 s ago` */
export const occupantText = ({ pid, since, beatAt }: Pick<Owner, 'pid' | 'since' | 'beatAt'>, now: number): string => {
  const began = since === undefined ? '' : ` since ${new Date(since).toISOString()}`;
  const beat = beatAt === undefined ? '' : `, and gave its last beat ${(Math.max(0, now - beatAt) / 1000).toFixed(1)} s ago`;
  return `process ${pid} has been in it${began}${beat}`;
};

export const occupiedError = (group: string, owner: Pick<Owner, 'pid' | 'since' | 'beatAt'>, epoch: number, now: number): StoplogError =>
  new StoplogError(
    'STOPLOG_GROUP_ACTIVE',
    { group, epoch, pid: owner.pid, since: owner.since, beatAt: owner.beatAt },
    `group '${group}' is in use: ${occupantText(owner, now)} (epoch ${epoch}). Nothing was changed; end process ${owner.pid}, with Ctrl-C or 'kill ${owner.pid}', and try again`,
  );
