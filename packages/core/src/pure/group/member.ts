/**
 * Decides what a member does next, from its last assignment and the state of the group.
 *
 * A member receives an assignment, ends all work outside it, and asks for the next one. The next request is also the
 * acknowledgement: a revoked place is released when the member has ended its work, and a place that was assigned and revoked
 * between two looks is released unseen.
 */
import { StoplogError } from '../errors.ts';
import { assignedName } from './group-state.ts';
import { partitionName, type AssignedPartition, type GroupPartition, type Unit } from './group-partition.ts';

const INSTANCE_ID = /^[a-zA-Z0-9._-]{1,100}$/;
const SESSION_MS_MIN = 100;
const SESSION_MS_MAX = 3_600_000;

/** Checks what a member declares: its session, its instance id, and that each place is in one unit only. */
export const checkMembership = (membership: {
  readonly units: readonly Unit[];
  readonly instanceId?: string | undefined;
  readonly sessionMs?: number | undefined;
}): void => {
  const { units, instanceId, sessionMs = SESSION_MS_MIN } = membership;
  if (!(sessionMs >= SESSION_MS_MIN && sessionMs <= SESSION_MS_MAX))
    throw new StoplogError('STOPLOG_USAGE', { sessionMs }, `a session of ${sessionMs} ms makes no sense: choose between 100 ms and an hour`);
  if (instanceId !== undefined && !INSTANCE_ID.test(instanceId))
    throw new StoplogError(
      'STOPLOG_USAGE',
      { instanceId },
      `${JSON.stringify(instanceId)} cannot be an instance id: use 1 to 100 of the characters a-z A-Z 0-9 . _ -`,
    );
  const seen = new Set<string>();
  for (const name of units.flat().map(partitionName)) {
    if (seen.has(name)) throw new StoplogError('STOPLOG_USAGE', { place: name }, `${name} is named twice by one member: put each partition into one unit`);
    seen.add(name);
  }
};

/** The member's view of the group at this moment. */
export type MemberStatus =
  | { readonly isIn: true; readonly holds: readonly AssignedPartition[]; readonly asked: readonly AssignedPartition[] }
  /** `replaced` when another process has joined under this instance id. */
  | { readonly isIn: false; readonly replaced: boolean };

export type MemberAction =
  | { readonly type: 'report'; readonly partitions: readonly AssignedPartition[] }
  | { readonly type: 'release'; readonly keeps: readonly AssignedPartition[] }
  | { readonly type: 'join' }
  /** Rejoining would fence the process that replaced this one, which would then rejoin and fence this one. */
  | { readonly type: 'replaced' }
  | { readonly type: 'wait' };

/** `told` is the last assignment since the member joined; undefined before the first. */
export const nextAction = (reported: readonly AssignedPartition[] | undefined, now: MemberStatus): MemberAction => {
  if (!now.isIn) {
    if (now.replaced) return { type: 'replaced' };
    return reported === undefined || reported.length === 0 ? { type: 'join' } : { type: 'report', partitions: [] };
  }
  const works = new Set(reported?.map(assignedName));
  if (now.asked.some((holding) => !works.has(assignedName(holding)))) return { type: 'release', keeps: reported ?? [] };
  const same = reported !== undefined && works.size === now.holds.length && now.holds.every((holding) => works.has(assignedName(holding)));
  return same ? { type: 'wait' } : { type: 'report', partitions: now.holds };
};

/** The places that the member still works on when only `ended` of the revoked places have ended. */
export const keepsWithout = (
  { holds, asked }: { readonly holds: readonly AssignedPartition[]; readonly asked: readonly AssignedPartition[] },
  ended: readonly GroupPartition[],
): readonly AssignedPartition[] => {
  const over = new Set(ended.map(partitionName));
  return [...holds, ...asked.filter((holding) => !over.has(partitionName(holding)))];
};

export const replacedError = (group: string, instanceId: string | undefined): StoplogError =>
  new StoplogError(
    'STOPLOG_FENCED',
    { group, instanceId },
    `another member has joined group '${group}' as '${instanceId}', and what this one had is now its own: give every process that runs at the same time an instance id of its own`,
  );
