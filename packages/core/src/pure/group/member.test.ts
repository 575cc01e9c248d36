import { describe, expect, test } from 'vitest';
import { checkMembership, keepsWithout, nextAction, type MemberStatus } from './member.ts';
import type { AssignedPartition } from './group-partition.ts';

const at = (partition: number, epoch = 1): AssignedPartition => ({ topic: 't', partition, epoch });
const description = (holds: readonly AssignedPartition[], asked: readonly AssignedPartition[] = []): MemberStatus => ({ isIn: true, holds, asked });

describe('a member', () => {
  test('a member receives its assignment as soon as it has joined, even an empty one', () => {
    expect(nextAction(undefined, description([at(0)]))).toEqual({ type: 'report', partitions: [at(0)] });
    expect(nextAction(undefined, description([]))).toEqual({ type: 'report', partitions: [] });
  });
  test('a member waits while its assignment is unchanged, in whichever order it is listed', () => {
    expect(nextAction([at(0), at(1)], description([at(1), at(0)]))).toEqual({ type: 'wait' });
    expect(nextAction([], description([]))).toEqual({ type: 'wait' });
  });
  test('a member receives its assignment again when a place was revoked and reassigned in between: the epoch is new', () => {
    expect(nextAction([at(0)], description([at(0, 2)]))).toEqual({ type: 'report', partitions: [at(0, 2)] });
  });
  test('a member first ends the work that is revoked, and releases it when it asks for its next assignment', () => {
    const asked = description([at(0)], [at(1)]);
    expect(nextAction([at(0), at(1)], asked)).toEqual({ type: 'report', partitions: [at(0)] });
    expect(nextAction([at(0)], asked)).toEqual({ type: 'release', keeps: [at(0)] });
  });
  test('a place that was assigned and revoked before the member looked is released unseen', () => {
    expect(nextAction([at(0)], description([at(0)], [at(2)]))).toEqual({ type: 'release', keeps: [at(0)] });
    expect(nextAction(undefined, description([], [at(2)]))).toEqual({ type: 'release', keeps: [] });
  });
  test('a removed member is notified and rejoins; a member that another replaced under its instance id does not', () => {
    const out: MemberStatus = { isIn: false, replaced: false };
    expect(nextAction([at(0)], out)).toEqual({ type: 'report', partitions: [] });
    expect(nextAction([], out)).toEqual({ type: 'join' });
    expect(nextAction(undefined, out)).toEqual({ type: 'join' });
    expect(nextAction([at(0)], { isIn: false, replaced: true })).toEqual({ type: 'replaced' });
  });
});
test('a member that has ended some of its revoked places keeps the rest until they have ended too', () => {
  const description = { holds: [at(0)], asked: [at(1), at(2, 3)] };
  expect(keepsWithout(description, [at(1)])).toEqual([at(0), at(2, 3)]);
  expect(keepsWithout(description, [])).toEqual([at(0), at(1), at(2, 3)]);
  // A place that is not being revoked stays, even when it is said to have ended.
  expect(keepsWithout(description, [at(0), at(1), at(2)])).toEqual([at(0)]);
});
describe('the membership that a process declares', () => {
  const units = [[{ topic: 't', partition: 0 }], [{ topic: 't', partition: 1 }]];
  test('all but the units may be left out', () => expect(() => checkMembership({ units })).not.toThrow());
  test.each([
    ['a session of no time', { units, sessionMs: 0 }],
    ['a session that is no number', { units, sessionMs: NaN }],
    ['a session that never ends', { units, sessionMs: Infinity }],
    ['an instance id of nothing', { units, instanceId: '' }],
    ['an instance id with a space', { units, instanceId: 'a b' }],
    ['a partition in two units', { units: [...units, units[0]!] }],
  ])('the membership is refused with %s', (_, membership) =>
    expect(() => checkMembership(membership)).toThrow(expect.objectContaining({ code: 'STOPLOG_USAGE' })),
  );
});
