/** Groups as `stoplog groups` shows them: as rows for people, as data for programs. */
import type { GroupOwner, GroupStanding, PartitionLag, ResetLine } from '@stoplog/core/port';
import { grouped } from './columns.ts';
import { offsetData } from './json-text.ts';
import { drainText, secondsText } from './duration-text.ts';

export interface GroupLag {
  readonly standing: GroupStanding;
  readonly parts: readonly PartitionLag[];
}
export const lagIn = (parts: readonly PartitionLag[]): number => parts.reduce((sum, { records }) => sum + records, 0);
export const ageIn = (parts: readonly PartitionLag[]): number => Math.max(0, ...parts.map(({ age }) => age));

export const groupRows = (found: readonly GroupLag[]): readonly (readonly string[])[] => [
  ['GROUP', 'OWNER', 'TOPICS', 'LAG', 'OLDEST', 'STORES'],
  ...found.map(({ standing, parts }) => [
    standing.group,
    ownerText(standing.owner),
    [...new Set(parts.map(({ topic }) => topic))].join(',') || '–',
    grouped(lagIn(parts)),
    ageText(parts),
    String(standing.stores.length),
  ]),
];
export const groupData = ({ standing, parts }: GroupLag): unknown => ({
  group: standing.group,
  epoch: standing.epoch,
  owner: standing.owner ?? null,
  lag: lagIn(parts),
  lagSeconds: ageIn(parts) / 1000,
  topics: [...new Set(parts.map(({ topic }) => topic))],
  stores: standing.stores,
});

/** A partition of a group, and what happened to it between two looks. */
export interface PartitionPace {
  readonly lag: PartitionLag;
  /** Records a second; undefined when there was one look only. */
  readonly consumed: number | undefined;
  readonly produced: number | undefined;
  readonly drainSeconds: number | undefined;
}
export const paceRows = (paces: readonly PartitionPace[], owner: GroupOwner | undefined): readonly (readonly string[])[] => [
  ['TOPIC', 'PARTITION', 'POSITION', 'END', 'LAG', 'OLDEST', 'READ/S', 'NEW/S', 'DRAINS', 'OWNER'],
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
    ownerText(owner),
  ]),
];
export const paceData = ({ lag, consumed, produced, drainSeconds }: PartitionPace): unknown => ({
  topic: lag.topic,
  partition: lag.partition,
  position: offsetData(lag.position),
  end: offsetData(lag.end),
  lag: lag.records,
  lagSeconds: lag.age / 1000,
  consumedPerSecond: consumed ?? null,
  producedPerSecond: produced ?? null,
  drainSeconds: drainSeconds ?? null,
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

const ownerText = (owner: GroupOwner | undefined): string => (owner === undefined ? '–' : `pid ${owner.pid}`);
const ageText = (parts: readonly PartitionLag[]): string => (lagIn(parts) === 0 ? '–' : secondsText(ageIn(parts) / 1000));
