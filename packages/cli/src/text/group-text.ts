/** Consumer groups as `stoplog groups` shows them: rows for people, data for programs. */
import type { PartitionLag } from '@stoplog/core';
import type { TopicPartition } from '@stoplog/core/port';
import type { GroupMember, GroupDescription, ResetLine } from '@stoplog/core/tools';
import { grouped, secondsText } from '@stoplog/runtime/kit';
import { drainText } from './duration-text.ts';
import { offsetData } from './json-text.ts';

export interface GroupLag {
  readonly description: GroupDescription;
  readonly parts: readonly PartitionLag[];
}
export const lagIn = (parts: readonly PartitionLag[]): number => parts.reduce((sum, { records }) => sum + records, 0);
export const ageIn = (parts: readonly PartitionLag[]): number => Math.max(0, ...parts.map(({ age }) => age));

export const groupRows = (found: readonly GroupLag[]): readonly (readonly string[])[] => [
  ['GROUP', 'MEMBERS', 'TOPICS', 'LAG', 'OLDEST', 'STORES'],
  ...found.map(({ description, parts }) => [
    description.group,
    membersText(description.members),
    [...new Set(parts.map(({ topic }) => topic))].join(',') || '–',
    parts.length === 0 ? '–' : grouped(lagIn(parts)),
    ageText(parts),
    String(description.stores.length),
  ]),
];
export const groupData = ({ description, parts }: GroupLag): unknown => ({
  group: description.group,
  epoch: description.epoch,
  members: description.members.map(memberData),
  // The topics of a group without positions and members are not known.
  lag: parts.length === 0 ? null : lagIn(parts),
  lagSeconds: parts.length === 0 ? null : ageIn(parts) / 1000,
  topics: [...new Set(parts.map(({ topic }) => topic))],
  stores: description.stores.map(({ store, version }) => ({ store, version })),
});

/** A partition of a group, and its rates between two readings. */
export interface PartitionPace {
  readonly lag: PartitionLag;
  /** Records per second; undefined after a single reading. */
  readonly consumed: number | undefined;
  readonly produced: number | undefined;
  readonly drainSeconds: number | undefined;
}
export const paceRows = (paces: readonly PartitionPace[], members: readonly GroupMember[]): readonly (readonly string[])[] => [
  ['TOPIC', 'PARTITION', 'POSITION', 'END', 'LAG', 'OLDEST', 'READ/S', 'NEW/S', 'DRAINS', 'MEMBER'],
  ...paces.map(({ lag, consumed, produced, drainSeconds }) => [
    lag.topic,
    String(lag.partition),
    String(lag.position),
    String(lag.end),
    grouped(lag.records),
    ageText([lag]),
    consumed === undefined ? '–' : grouped(consumed),
    produced === undefined ? '–' : grouped(produced),
    lag.records === 0 ? 'read' : consumed === undefined ? '–' : drainText(drainSeconds),
    holderText(lag, members),
  ]),
];
export const paceData = ({ lag, consumed, produced, drainSeconds }: PartitionPace, members: readonly GroupMember[]): unknown => ({
  topic: lag.topic,
  partition: lag.partition,
  position: offsetData(lag.position),
  end: offsetData(lag.end),
  lag: lag.records,
  lagSeconds: lag.age / 1000,
  consumedPerSecond: consumed ?? null,
  producedPerSecond: produced ?? null,
  drainSeconds: drainSeconds ?? null,
  member: holderOf(lag, members)?.instance ?? null,
});

export const planRows = (plan: readonly ResetLine[]): readonly (readonly string[])[] => [
  ['TOPIC', 'PARTITION', 'FROM', 'TO', 'MOVES', ''],
  ...plan.map(({ topic, partition, from, to, moves, clamped }) => [
    topic,
    String(partition),
    from === undefined ? 'none' : String(from),
    String(to),
    `${moves > 0n ? '+' : ''}${moves}`,
    clamped === undefined ? '' : `held back by the ${clamped} of the log`,
  ]),
];
export const planData = (plan: readonly ResetLine[]): unknown =>
  plan.map(({ topic, partition, from, to, clamped }) => ({
    topic,
    partition,
    from: from === undefined ? null : offsetData(from),
    to: offsetData(to),
    clamped: clamped ?? null,
  }));

/** `pid 4242`, or `a, pid 4242` for a static member. */
const memberText = ({ instanceId, pid }: GroupMember): string => (instanceId === undefined ? `pid ${pid}` : `${instanceId}, pid ${pid}`);
const membersText = (members: readonly GroupMember[]): string => {
  const [first, ...others] = members;
  return first === undefined ? '–' : others.length === 0 ? memberText(first) : `${members.length} members`;
};
const memberData = ({ instance, instanceId, pid, since, beatAt, sessionMs, holds }: GroupMember): unknown => ({
  member: instance,
  instanceId: instanceId ?? null,
  pid,
  since: new Date(since).toISOString(),
  beatAt: new Date(beatAt).toISOString(),
  sessionSeconds: sessionMs / 1000,
  holds: holds.map(({ topic, partition, epoch }) => ({ topic, partition, epoch })),
});
const holderOf = ({ topic, partition }: TopicPartition, members: readonly GroupMember[]): GroupMember | undefined =>
  members.find(({ holds }) => holds.some((held) => held.topic === topic && held.partition === partition));
const holderText = (place: TopicPartition, members: readonly GroupMember[]): string => {
  const holder = holderOf(place, members);
  return holder === undefined ? '–' : memberText(holder);
};
/** The partitions of a member, by topic: `orders[0 2 5] source:feed[0]` */
export const holdsText = ({ holds }: GroupMember): string => {
  const byTopic = new Map<string, number[]>();
  for (const { topic, partition } of holds) byTopic.set(topic, [...(byTopic.get(topic) ?? []), partition]);
  if (byTopic.size === 0) return 'no partition: other members have them all';
  return [...byTopic].map(([topic, partitions]) => `${topic}[${partitions.toSorted((a, b) => a - b).join(' ')}]`).join(' ');
};
const ageText = (parts: readonly PartitionLag[]): string => (lagIn(parts) === 0 ? '–' : secondsText(ageIn(parts) / 1000));
