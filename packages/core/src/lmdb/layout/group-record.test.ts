import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  heartbeatKey,
  decodeBeat,
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

const u32 = fc.nat(2 ** 32 - 1);

describe('the pieces of a group', () => {
  test('the pieces of a group decode to the group that was encoded', () => {
    fc.assert(
      fc.property(u32, u32, u32, fc.nat(2 ** 40), fc.boolean(), (topicId, partition, member, epoch, asked) => {
        expect(placeOfHeldKey(heldKey(7, topicId, partition))).toEqual({ topicId, partition });
        expect(decodeHeld(encodeHeld({ epoch, member, revoking: asked }))).toEqual({ epoch, member, revoking: asked });
        expect(decodeBeat(encodeBeat({ count: epoch, at: member }))).toEqual({ count: epoch, at: member });
        const units = [[numbered(topicId, partition), numbered(1, 0)], []];
        expect(decodeUnits(encodeUnits(units))).toEqual(units);
      }),
    );
  });
  test('the keys of the pieces follow the group’s own key, each kind together, and none is in another group', () => {
    const keys = [groupKey(7), heartbeatKey(7, 1), heartbeatKey(7, 2), unitsKey(7, 1), heldKey(7, 1, 0), heldKey(7, 1, 1), groupKey(8)];
    expect([...keys].reverse().sort(Buffer.compare)).toEqual(keys);
  });
});
