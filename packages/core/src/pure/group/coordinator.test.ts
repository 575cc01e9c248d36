import { describe, expect, test } from 'vitest';
import { step, type GroupEvent } from './coordinator.ts';
import { EMPTY_GROUP, assignmentsOf, type GroupState, type Member } from './group-state.ts';
import { sourcePartition, type AssignedPartition, type Unit } from './group-partition.ts';

const UNITS: readonly Unit[] = [0, 1, 2, 3].map((partition) => [{ topic: 't', partition }]);
const member = (id: string, rest: Partial<Member> = {}): Member => ({ id, units: UNITS, heartbeats: 0, away: false, ...rest });
const join = (id: string, rest: Partial<Member> = {}): GroupEvent => ({ type: 'join', member: member(id, rest) });
const after = (...events: readonly GroupEvent[]): GroupState => events.reduce<GroupState>((state, event) => step(state, event)[0], EMPTY_GROUP);
/** `0@1 1@1`, and the units being revoked in brackets. */
const has = (state: GroupState, id: string): string | undefined => {
  const description = assignmentsOf(state, id);
  const shown = ({ partition, epoch }: AssignedPartition): string => `${partition}@${epoch}`;
  return description && [...description.holds.map(shown), ...description.asked.map((holding) => `(${shown(holding)})`)].join(' ');
};
const release = (id: string, state: GroupState): GroupEvent => ({ type: 'release', id, keeps: assignmentsOf(state, id)!.holds });

describe('a group', () => {
  test('the first member is assigned every unit, is asked for a share when another joins, and the other gets the share when it is released', () => {
    const alone = after(join('a'));
    expect(has(alone, 'a')).toBe('0@1 1@1 2@1 3@1');
    const two = after(join('a'), join('b'));
    expect([has(two, 'a'), has(two, 'b')]).toEqual(['0@1 1@1 (2@1) (3@1)', '']);
    const shared = step(two, release('a', two))[0];
    expect([has(shared, 'a'), has(shared, 'b')]).toEqual(['0@1 1@1', '2@2 3@2']);
  });
  test('a release frees only the units that the member no longer works on', () => {
    const two = after(join('a'), join('b'));
    const part = step(two, { type: 'release', id: 'a', keeps: assignmentsOf(two, 'a')!.asked.slice(0, 1) })[0];
    expect([has(part, 'a'), has(part, 'b')]).toEqual(['0@1 1@1 (2@1)', '3@2']);
  });
  test('a member that leaves or is removed loses its units at once', () => {
    const two = after(join('a'), join('b'));
    for (const event of [
      { type: 'leave', id: 'a' },
      { type: 'expire', id: 'a', beat: 0, why: 'silent' },
      { type: 'expire', id: 'a', beat: 0, why: 'gone' },
    ] as const)
      expect(has(step(two, event)[0], 'b')).toBe('0@2 1@2 2@2 3@2');
  });
  test('a member whose heartbeat moved after it was seen to stand still is not removed', () => {
    const beaten = after(join('a'), { type: 'beat', id: 'a' });
    expect(step(beaten, { type: 'expire', id: 'a', beat: 0, why: 'silent' })).toEqual([beaten, []]);
    expect(step(beaten, { type: 'expire', id: 'a', beat: 1, why: 'silent' })[0].members).toEqual([]);
  });
  test('events of a process that is not a member change nothing', () => {
    const alone = after(join('a'));
    for (const event of [
      { type: 'leave', id: 'x' },
      { type: 'beat', id: 'x' },
      { type: 'release', id: 'x', keeps: [] },
      { type: 'expire', id: 'x', beat: 0, why: 'gone' },
      join('a'),
    ] as const)
      expect(step(alone, event)).toEqual([alone, []]);
  });
  test('the places of a unit are assigned in one epoch, even when another pipeline grouped them differently', () => {
    const apart: readonly Unit[] = [[{ topic: 'a', partition: 0 }], [{ topic: 'b', partition: 0 }]];
    const together: readonly Unit[] = [apart.flat()];
    const two = after(join('old', { units: apart }), join('new', { units: together }));
    expect(assignmentsOf(two, 'old')!.holds).toEqual([]);
    const done = step(two, release('old', two))[0];
    expect(assignmentsOf(done, 'new')!.holds).toEqual(apart.flat().map((place) => ({ ...place, epoch: 2 })));
  });
  test('units that the newer version does not declare are assigned to the older version', () => {
    const more: readonly Unit[] = [...UNITS, [sourcePartition('gone')]];
    const two = after(join('old', { units: more }), join('new'));
    const done = step(two, release('old', two))[0];
    expect(assignmentsOf(done, 'old')!.holds).toContainEqual({ ...sourcePartition('gone'), epoch: 1 });
    expect(assignmentsOf(step(done, { type: 'leave', id: 'old' })[0], 'new')!.holds.length).toBe(4);
  });
  test('a tool empties the group in an epoch of its own: a member that was thought dead holds nothing', () => {
    const [cleared] = step(after(join('a')), { type: 'clear' });
    expect(cleared).toEqual({ epoch: 2, members: [], held: new Map() });
    expect(step(EMPTY_GROUP, { type: 'clear' })[0].epoch).toBe(1);
  });
});

describe('a static member', () => {
  const still = { instanceId: 's' };
  const shared = (): GroupState => {
    const two = after(join('a', still), join('b'));
    return step(two, release('a', two))[0];
  };
  test('a static member that restarts gets its units back in a new epoch, and nothing else moves', () => {
    const again = step(shared(), join('c', still))[0];
    expect([has(again, 'a'), has(again, 'b'), has(again, 'c')]).toEqual([undefined, '2@2 3@2', '0@3 1@3']);
  });
  test('a static member that leaves or whose process is gone is pending rejoin: nothing moves until its session ends', () => {
    const away = step(shared(), { type: 'leave', id: 'a' })[0];
    expect([has(away, 'a'), has(away, 'b')]).toEqual(['0@1 1@1', '2@2 3@2']);
    const gone = step(away, { type: 'expire', id: 'a', beat: 0, why: 'gone' });
    expect(gone).toEqual([away, []]);
    const over = step(away, { type: 'expire', id: 'a', beat: 0, why: 'silent' })[0];
    expect(has(over, 'b')).toBe('0@3 1@3 2@2 3@2');
  });
  test('a static member pending rejoin hands over revoked units at once, since it works on nothing', () => {
    const away = step(after(join('a', still)), { type: 'leave', id: 'a' })[0];
    const two = step(away, join('b'))[0];
    expect([has(two, 'a'), has(two, 'b')]).toEqual(['0@1 1@1', '2@2 3@2']);
  });
});
