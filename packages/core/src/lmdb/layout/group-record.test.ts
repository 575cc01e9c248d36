import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { step } from '../../pure/group/coordinator.ts';
import { standingOf } from '../../pure/group/group-state.ts';
import {
  assemble,
  beatKey,
  decodeBeat,
  decodeGroup,
  decodeHeld,
  decodeUnits,
  encodeBeat,
  encodeHeld,
  encodeUnits,
  heldKey,
  numbered,
  placeOfHeldKey,
  unitsKey,
} from './group-record.ts';
import { groupKey } from './keyspace.ts';
import { toBytes } from './meta.ts';

const u32 = fc.nat(2 ** 32 - 1);

describe('the pieces of a group', () => {
  test('the pieces of a group decode to the group that was encoded', () => {
    fc.assert(
      fc.property(u32, u32, u32, fc.nat(2 ** 40), fc.boolean(), (topicId, partition, member, epoch, asked) => {
        expect(placeOfHeldKey(heldKey(7, topicId, partition))).toEqual({ topicId, partition });
        expect(decodeHeld(encodeHeld({ epoch, member, asked }))).toEqual({ epoch, member, asked });
        expect(decodeBeat(encodeBeat({ count: epoch, at: member }))).toEqual({ count: epoch, at: member });
        const units = [[numbered(topicId, partition), numbered(1, 0)], []];
        expect(decodeUnits(encodeUnits(units))).toEqual(units);
      }),
    );
  });
  test('the keys of the pieces follow the group’s own key, each kind together, and none is in another group', () => {
    const keys = [groupKey(7), beatKey(7, 1), beatKey(7, 2), unitsKey(7, 1), heldKey(7, 1, 0), heldKey(7, 1, 1), groupKey(8)];
    expect([...keys].reverse().sort(Buffer.compare)).toEqual(keys);
  });
});

describe('a group in the format with one owner', () => {
  const old = { epoch: 7, owner: { instance: 'i', pid: 42, started: '1', since: 5 }, beat: 3 };
  const read = (value: unknown): ReturnType<typeof assemble> => assemble(decodeGroup(toBytes(value)), { beat: () => undefined, units: () => [], held: [] });
  test('the owner becomes a member that holds nothing, and a member that joins continues in a later epoch', () => {
    const state = read(old);
    expect(state).toMatchObject({ epoch: 7, members: [{ id: 'i', pid: 42 }] });
    const place = numbered(1, 0);
    const [joined] = step(state, { type: 'join', member: { ...state.members[0]!, id: 'new', number: 1, units: [[place]] } });
    expect(standingOf(joined, 'new')!.holds).toEqual([{ ...place, epoch: 8 }]);
  });
  test('a group without an owner is empty', () => expect(read({ epoch: 7, owner: null, beat: 3 })).toEqual({ epoch: 7, members: [], held: new Map() }));
});
