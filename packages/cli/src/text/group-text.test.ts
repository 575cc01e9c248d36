import type { PartitionLag } from '@stoplog/core';
import type { AssignedPartition } from '@stoplog/core/port';
import type { GroupMember, GroupDescription } from '@stoplog/core/tools';
import { describe, expect, test } from 'vitest';
import { groupData, groupRows, holdsText, paceData, paceRows, type PartitionPace } from './group-text.ts';

const holding = (topic: string, partition: number): AssignedPartition => ({ topic, partition, epoch: 7 });
const lag = (partition: number): PartitionLag => ({ topic: 'orders', partition, position: 5n, end: 5n, records: 0, age: 0 });
const a: GroupMember = {
  instance: 'i1',
  instanceId: 'a',
  pid: 11,
  sessionMs: 45_000,
  since: 0,
  beatAt: 1_500,
  holds: [holding('orders', 2), holding('orders', 0)],
};
const b: GroupMember = { instance: 'i2', pid: 22, sessionMs: 10_000, since: 0, beatAt: 0, holds: [holding('orders', 1), holding('source:feed', 0)] };
const idle: GroupMember = { ...b, instance: 'i3', pid: 33, holds: [] };
const description = (...members: readonly GroupMember[]): GroupDescription => ({ group: 'billing', epoch: 7, members, positions: [], stores: [], owns: [] });
const paces = [0, 1, 2, 3].map((partition): PartitionPace => ({ lag: lag(partition), consumed: undefined, produced: undefined, drainSeconds: 0 }));

describe('a group', () => {
  test('a group shows no member, one member by its process, or the number of members', () => {
    const shown = [[], [b], [a], [a, b]].map((members) => groupRows([{ description: description(...members), parts: [] }])[1]![1]);
    expect(shown).toEqual(['–', 'pid 22', 'a, pid 11', '2 members']);
  });
  test('each partition shows the member to which it is assigned', () => {
    expect(paceRows(paces, [a, b, idle]).map((row) => row.at(-1))).toEqual(['MEMBER', 'a, pid 11', 'pid 22', 'a, pid 11', '–']);
    expect(paces.map((pace) => (paceData(pace, [a, b, idle]) as { readonly member: unknown }).member)).toEqual(['i1', 'i2', 'i1', null]);
  });
  test('a member shows its partitions, also if it has none', () => {
    expect([a, b, idle].map(holdsText)).toEqual(['orders[0 2]', 'orders[1] source:feed[0]', 'no partition: other members have them all']);
  });
  test('a group whose topics are not known has an unknown lag, which is not 0', () => {
    const unknown = { description: description(), parts: [] };
    const read = { description: description(), parts: [lag(0)] };
    expect([unknown, read].map((found) => groupRows([found])[1]![3])).toEqual(['–', '0']);
    expect([unknown, read].map(groupData)).toMatchObject([
      { lag: null, lagSeconds: null },
      { lag: 0, lagSeconds: 0 },
    ]);
  });
  test('the data of a group has each member with its times and partitions', () => {
    expect(groupData({ description: description(a, b), parts: [] })).toMatchObject({
      members: [
        {
          member: 'i1',
          instanceId: 'a',
          pid: 11,
          since: '1970-01-01T00:00:00.000Z',
          beatAt: '1970-01-01T00:00:01.500Z',
          sessionSeconds: 45,
          holds: [
            { topic: 'orders', partition: 2, epoch: 7 },
            { topic: 'orders', partition: 0, epoch: 7 },
          ],
        },
        { member: 'i2', instanceId: null, pid: 22 },
      ],
    });
  });
});
