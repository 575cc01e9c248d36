/**
 * What a member does next, from what it was last told and what the group holds for it now.
 *
 * It is told an assignment, ends whatever is not in it, and asks for the next one. Only by asking does it say that it has
 * ended: so what it was asked for is released when it works on it no more, and a place that was given and asked for
 * before it had looked is released unseen.
 */
import { StoplogError } from '../errors.ts';
import { holdingName } from './group-state.ts';
import { placeName, type Holding, type Place, type Unit } from './place.ts';

const INSTANCE_ID = /^[a-zA-Z0-9._-]{1,100}$/;
const SESSION_MS_MIN = 100;
const SESSION_MS_MAX = 3_600_000;

/** What a member says of itself makes sense: its session, its instance id, and each place in one unit only. */
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
  for (const name of units.flat().map(placeName)) {
    if (seen.has(name)) throw new StoplogError('STOPLOG_USAGE', { place: name }, `${name} is named twice by one member: put each partition into one unit`);
    seen.add(name);
  }
};

/** As the group is now. */
export type Standing =
  | { readonly isIn: true; readonly holds: readonly Holding[]; readonly asked: readonly Holding[] }
  /** `replaced` when another has come under its instance id. */
  | { readonly isIn: false; readonly replaced: boolean };

export type MemberAction =
  | { readonly type: 'tell'; readonly partitions: readonly Holding[] }
  | { readonly type: 'release'; readonly keeps: readonly Holding[] }
  | { readonly type: 'join' }
  /** To come back would fence the one that fenced this, which would come back. */
  | { readonly type: 'give up' }
  | { readonly type: 'wait' };

/** `told` is the last assignment since it joined; undefined before the first. */
export const nextAction = (told: readonly Holding[] | undefined, now: Standing): MemberAction => {
  if (!now.isIn) {
    if (now.replaced) return { type: 'give up' };
    return told === undefined || told.length === 0 ? { type: 'join' } : { type: 'tell', partitions: [] };
  }
  const works = new Set(told?.map(holdingName));
  if (now.asked.some((holding) => !works.has(holdingName(holding)))) return { type: 'release', keeps: told ?? [] };
  const same = told !== undefined && works.size === now.holds.length && now.holds.every((holding) => works.has(holdingName(holding)));
  return same ? { type: 'wait' } : { type: 'tell', partitions: now.holds };
};

/** What it still works on when only these of those that it was asked for have ended. */
export const keepsWithout = (
  { holds, asked }: { readonly holds: readonly Holding[]; readonly asked: readonly Holding[] },
  ended: readonly Place[],
): readonly Holding[] => {
  const over = new Set(ended.map(placeName));
  return [...holds, ...asked.filter((holding) => !over.has(placeName(holding)))];
};

export const replacedError = (group: string, instanceId: string | undefined): StoplogError =>
  new StoplogError(
    'STOPLOG_FENCED',
    { group, instanceId },
    `another member has joined group '${group}' as '${instanceId}', and what this one had is now its own: give every process that runs at the same time an instance id of its own`,
  );
