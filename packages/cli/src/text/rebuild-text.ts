/** The words for rebuilds: their states, their differences, and what is told of them as data. */
import { partsOfShadow, storesOfTag, type StoreVersion } from '@stoplog/core/kit';
import type { GroupDescription } from '@stoplog/core/tools';
import { type Difference, grouped, type NeededStore, type StoreComparison } from '@stoplog/runtime/kit';
import { jsonText, offsetData } from './json-text.ts';

/** What lies beside the serving stores of a pipeline: a rebuild, or what a rebuild has replaced. */
export interface Beside {
  readonly description: GroupDescription;
  readonly pipeline: string;
  readonly tag: string;
  readonly stores: readonly StoreVersion[];
  /** Undefined for a rebuild that has not served yet. */
  readonly keptUntil: number | undefined;
  /** Records that the serving group has processed, and this has not. */
  readonly behind: bigint;
  readonly members: number;
}

export const besideIn = (groups: readonly GroupDescription[]): readonly Beside[] =>
  groups.flatMap((description) => {
    const parts = partsOfShadow(description.group);
    if (parts === undefined) return [];
    const live = groups.find(({ group }) => group === parts.name);
    const own = new Set(description.owns);
    const at = new Map(description.positions.flatMap(({ topic, partition, offset }) => (own.has(topic) ? [] : [[`${topic}[${partition}]`, offset] as const])));
    const read = new Set(description.positions.map(({ topic }) => topic));
    const behind = (live?.positions ?? []).reduce((sum, { topic, partition, offset }) => {
      if (!read.has(topic)) return sum;
      const ahead = offset - (at.get(`${topic}[${partition}]`) ?? 0n);
      return sum + (ahead > 0n ? ahead : 0n);
    }, 0n);
    return [
      {
        description,
        pipeline: parts.name,
        tag: parts.tag,
        stores: storesOfTag(parts.tag),
        keptUntil: description.keptUntil,
        behind,
        members: description.members.length,
      },
    ];
  });

export const besideRows = (all: readonly Beside[]): readonly (readonly string[])[] => [
  ['PIPELINE', 'REBUILD', 'STATE', 'BEHIND'],
  ...all.map((one) => [one.pipeline, one.tag, stateOf(one), grouped(Number(one.behind))]),
];
const stateOf = ({ keptUntil, members }: Beside): string =>
  members > 0 ? 'replays' : keptUntil === undefined ? 'stands still' : `kept until ${new Date(keptUntil).toISOString().slice(0, 16)}Z`;

export const besideData = ({ pipeline, tag, stores, keptUntil, behind, members }: Beside): unknown => ({
  pipeline,
  rebuild: tag,
  stores,
  state: members > 0 ? 'replays' : keptUntil === undefined ? 'stands still' : 'kept',
  behind: offsetData(behind),
  keptUntil: keptUntil === undefined ? null : new Date(keptUntil).toISOString(),
});

export const neededText = (stores: readonly NeededStore[]): string =>
  stores.map(({ store, from, to }) => (from === undefined ? `store '${store}' is new` : `store '${store}' goes from version ${from} to ${to}`)).join(', ');

export const differenceText = ({ store, key, kind, before, after, records }: Difference): string => {
  const change = kind === 'added' ? `+ ${jsonText(after)}` : kind === 'removed' ? `- ${jsonText(before)}` : `${jsonText(before)} → ${jsonText(after)}`;
  const from = records.slice(-3).map(({ topic, partition, offset }) => `${topic}[${partition}]@${offset}`);
  return `${store}  ${jsonText(key)}  ${change}${from.length === 0 ? '' : `  (${records.length > 3 ? `${records.length} records, last ` : ''}${from.join(', ')})`}`;
};
export const differenceData = ({ records, before, after, ...rest }: Difference): string =>
  jsonText({
    ...rest,
    before: before ?? null,
    after: after ?? null,
    records: records.map(({ offset, ...place }) => ({ ...place, offset: offsetData(offset) })),
  });

export const comparisonText = ({ store, entries, added, removed, changed, sha256 }: StoreComparison): string =>
  added + removed + changed === 0
    ? `${store}: equal, ${grouped(entries)} entries, sha256 ${sha256}`
    : `${store}: ${grouped(added)} added, ${grouped(removed)} removed, ${grouped(changed)} changed, of ${grouped(entries)} entries`;
