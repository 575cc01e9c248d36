/** The error for an operation that needs an empty group: lists its active members. */
import { StoplogError } from '../errors.ts';

export interface Occupant {
  readonly pid: number;
  readonly instanceId?: string | undefined;
  readonly sessionMs: number;
  readonly since: number;
  readonly beatAt: number;
}

/** `process 4242 has been in it since 2026-01-02T03:04:05.000Z, and sent its last heartbeat 1.2 s ago` */
export const occupantText = ({ pid, instanceId, sessionMs, since, beatAt }: Occupant, now: number): string => {
  const name = instanceId === undefined ? '' : ` ('${instanceId}', expected back for ${sessionMs / 1000} s when it ends)`;
  return `process ${pid}${name} has been in it since ${new Date(since).toISOString()}, and sent its last heartbeat ${(Math.max(0, now - beatAt) / 1000).toFixed(1)} s ago`;
};

/** `members` has at least one element. */
export const occupiedError = (group: string, members: readonly Occupant[], epoch: number, now: number): StoplogError => {
  const pids = members.map(({ pid }) => pid);
  const wait = members.some(({ instanceId }) => instanceId !== undefined) ? ', wait until the sessions of members that are expected back are over,' : '';
  return new StoplogError(
    'STOPLOG_GROUP_ACTIVE',
    { group, epoch, pid: pids[0], pids, since: members[0]?.since, beatAt: members[0]?.beatAt },
    `group '${group}' is in use: ${members.map((member) => occupantText(member, now)).join('; ')} (epoch ${epoch}). ` +
      `Nothing was changed; end process ${pids.join(' and ')}, with Ctrl-C or 'kill ${pids.join(' ')}'${wait} and try again`,
  );
};
