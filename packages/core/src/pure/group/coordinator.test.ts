import { describe, expect, test } from 'vitest';
import { step, type GroupEvent } from './coordinator.ts';
import { EMPTY_GROUP, standingOf, type GroupState, type Member } from './group-state.ts';
import { sourcePlace, type Holding, type Unit } from './place.ts';

const UNITS: readonly Unit[] = [0, 1, 2, 3].map((partition) => [{ topic: 't', partition }]);
const member = (id: string, rest: Partial<Member> = {}): Member => ({ id, units: UNITS, beat: 0, away: false, ...rest });
const join = (id: string, rest: Partial<Member> = {}): GroupEvent => ({ type: 'join', member: member(id, rest) });
const after = (...events: readonly GroupEvent[]): GroupState => events.reduce<GroupState>((state, event) => step(state, event)[0], EMPTY_GROUP);
/** `0@1 1@1`, and what was asked for in brackets. */
const has = (state: GroupState, id: string): string | undefined => {
  const standing = standingOf(state, id);
  const shown = ({ partition, epoch }: Holding): string => `${partition}@${epoch}`;
  return standing && [...standing.holds.map(shown), ...standing.asked.map((holding) => `(${shown(holding)})`)].join(' ');
};
const release = (id: string, state: GroupState): GroupEvent => ({ type: 'release', id, keeps: standingOf(state, id)!.holds });

describe('a group', () => {
  test('gives everything to the first, asks it for a share when another comes, and gives that when it is released', () => {
    const alone = after(join('a'));
    expect(has(alone, 'a')).toBe('0@1 1@1 2@1 3@1');
    const two = after(join('a'), join('b'));
    expect([has(two, 'a'), has(two, 'b')]).toEqual(['0@1 1@1 (2@1) (3@1)', '']);
    const shared = step(two, release('a', two))[0];
    expect([has(shared, 'a'), has(shared, 'b')]).toEqual(['0@1 1@1', '2@2 3@2']);
  });
  test('frees only what a member no longer works on: a release that keeps something keeps it', () => {
    const two = after(join('a'), join('b'));
    const part = step(two, { type: 'release', id: 'a', keeps: standingOf(two, 'a')!.asked.slice(0, 1) })[0];
    expect([has(part, 'a'), has(part, 'b')]).toEqual(['0@1 1@1 (2@1)', '3@2']);
  });
  test('takes from one that leaves, or is expelled, at once', () => {
    const two = after(join('a'), join('b'));
    for (const event of [
      { type: 'leave', id: 'a' },
      { type: 'expire', id: 'a', beat: 0, why: 'silent' },
      { type: 'expire', id: 'a', beat: 0, why: 'gone' },
    ] as const)
      expect(has(step(two, event)[0], 'b')).toBe('0@2 1@2 2@2 3@2');
  });
  test('expels nobody who has given a beat since it was seen to stand still', () => {
    const beaten = after(join('a'), { type: 'beat', id: 'a' });
    expect(step(beaten, { type: 'expire', id: 'a', beat: 0, why: 'silent' })).toEqual([beaten, []]);
    expect(step(beaten, { type: 'expire', id: 'a', beat: 1, why: 'silent' })[0].members).toEqual([]);
  });
  test('does not know the events of who is not in it', () => {
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
  test('gives the places of a unit in one epoch, also when another pipeline had cut them otherwise', () => {
    const apart: readonly Unit[] = [[{ topic: 'a', partition: 0 }], [{ topic: 'b', partition: 0 }]];
    const together: readonly Unit[] = [apart.flat()];
    const two = after(join('old', { units: apart }), join('new', { units: together }));
    expect(standingOf(two, 'old')!.holds).toEqual([]);
    const done = step(two, release('old', two))[0];
    expect(standingOf(done, 'new')!.holds).toEqual(apart.flat().map((place) => ({ ...place, epoch: 2 })));
  });
  test('leaves to an older version what the newer one knows nothing of', () => {
    const more: readonly Unit[] = [...UNITS, [sourcePlace('gone')]];
    const two = after(join('old', { units: more }), join('new'));
    const done = step(two, release('old', two))[0];
    expect(standingOf(done, 'old')!.holds).toContainEqual({ ...sourcePlace('gone'), epoch: 1 });
    expect(standingOf(step(done, { type: 'leave', id: 'old' })[0], 'new')!.holds.length).toBe(4);
  });
  test('is emptied by a tool, in an epoch of its own: whoever was thought dead holds nothing', () => {
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
  test('that is started again gets back what it had, in a new epoch, and nothing else moves', () => {
    const again = step(shared(), join('c', still))[0];
    expect([has(again, 'a'), has(again, 'b'), has(again, 'c')]).toEqual([undefined, '2@2 3@2', '0@3 1@3']);
  });
  test('is away when it leaves, and not expelled because its process is gone: nothing moves until its session is over', () => {
    const away = step(shared(), { type: 'leave', id: 'a' })[0];
    expect([has(away, 'a'), has(away, 'b')]).toEqual(['0@1 1@1', '2@2 3@2']);
    const gone = step(away, { type: 'expire', id: 'a', beat: 0, why: 'gone' });
    expect(gone).toEqual([away, []]);
    const over = step(away, { type: 'expire', id: 'a', beat: 0, why: 'silent' })[0];
    expect(has(over, 'b')).toBe('0@3 1@3 2@2 3@2');
  });
  test('that is away hands over at once what it is asked for: it works on nothing', () => {
    const away = step(after(join('a', still)), { type: 'leave', id: 'a' })[0];
    const two = step(away, join('b'))[0];
    expect([has(two, 'a'), has(two, 'b')]).toEqual(['0@1 1@1', '2@2 3@2']);
  });
});
