import { describe, expect, test } from 'vitest';
import { checkMembership, keepsWithout, nextAction, type Standing } from './member.ts';
import type { Holding } from './place.ts';

const at = (partition: number, epoch = 1): Holding => ({ topic: 't', partition, epoch });
const standing = (holds: readonly Holding[], asked: readonly Holding[] = []): Standing => ({ isIn: true, holds, asked });

describe('a member', () => {
  test('is told what it has as soon as it is in, also when that is nothing', () => {
    expect(nextAction(undefined, standing([at(0)]))).toEqual({ type: 'tell', partitions: [at(0)] });
    expect(nextAction(undefined, standing([]))).toEqual({ type: 'tell', partitions: [] });
  });
  test('waits while nothing has changed for it, in whichever order it is said', () => {
    expect(nextAction([at(0), at(1)], standing([at(1), at(0)]))).toEqual({ type: 'wait' });
    expect(nextAction([], standing([]))).toEqual({ type: 'wait' });
  });
  test('is told again when a place was taken and given back meanwhile: the epoch is another', () => {
    expect(nextAction([at(0)], standing([at(0, 2)]))).toEqual({ type: 'tell', partitions: [at(0, 2)] });
  });
  test('is first told to end what it was asked for, and releases it when it asks for more', () => {
    const asked = standing([at(0)], [at(1)]);
    expect(nextAction([at(0), at(1)], asked)).toEqual({ type: 'tell', partitions: [at(0)] });
    expect(nextAction([at(0)], asked)).toEqual({ type: 'release', keeps: [at(0)] });
  });
  test('releases unseen what was given and asked for before it looked', () => {
    expect(nextAction([at(0)], standing([at(0)], [at(2)]))).toEqual({ type: 'release', keeps: [at(0)] });
    expect(nextAction(undefined, standing([], [at(2)]))).toEqual({ type: 'release', keeps: [] });
  });
  test('that is out is told so, and then joins anew; one that another came in the place of does not', () => {
    const out: Standing = { isIn: false, replaced: false };
    expect(nextAction([at(0)], out)).toEqual({ type: 'tell', partitions: [] });
    expect(nextAction([], out)).toEqual({ type: 'join' });
    expect(nextAction(undefined, out)).toEqual({ type: 'join' });
    expect(nextAction([at(0)], { isIn: false, replaced: true })).toEqual({ type: 'give up' });
  });
});
test('a member that has ended some of what it was asked for keeps the rest until that has ended, too', () => {
  const standing = { holds: [at(0)], asked: [at(1), at(2, 3)] };
  expect(keepsWithout(standing, [at(1)])).toEqual([at(0), at(2, 3)]);
  expect(keepsWithout(standing, [])).toEqual([at(0), at(1), at(2, 3)]);
  // What nobody asked for stays, whatever is said of it.
  expect(keepsWithout(standing, [at(0), at(1), at(2)])).toEqual([at(0)]);
});
describe('what a member says of itself', () => {
  const units = [[{ topic: 't', partition: 0 }], [{ topic: 't', partition: 1 }]];
  test('may leave out all but its units', () => expect(() => checkMembership({ units })).not.toThrow());
  test.each([
    ['a session of no time', { units, sessionMs: 0 }],
    ['a session that is no number', { units, sessionMs: NaN }],
    ['a session that never ends', { units, sessionMs: Infinity }],
    ['an instance id of nothing', { units, instanceId: '' }],
    ['an instance id with a space', { units, instanceId: 'a b' }],
    ['a partition in two units', { units: [...units, units[0]!] }],
  ])('is refused with %s', (_, membership) => expect(() => checkMembership(membership)).toThrow(expect.objectContaining({ code: 'STOPLOG_USAGE' })));
});
