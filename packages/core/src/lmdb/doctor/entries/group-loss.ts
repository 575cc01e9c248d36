/**
 * Decides the fate of a group that lost entries. A pipeline's stores match its positions, and no others: where one of the two
 * is incomplete, both are dropped, and the pipeline restarts: it reads its topics from the start and folds its stores from
 * nothing. The topics that it sends records through are dropped too, for it sends those records again. A group without stores keeps its positions, and reads from the start where one is lost.
 */
import type { Restarted } from '../../../port/inspection.ts';
import type { StoreMeta } from '../../layout/meta.ts';
import { compareKeys } from '../../layout/pages/walk.ts';

/** Keys of a table between which entries may be missing; undefined means from the first key on, or up to the last. */
export interface KeyGap {
  readonly after: Uint8Array | undefined;
  readonly before: Uint8Array | undefined;
}
export interface GroupLosses {
  readonly groups: ReadonlyMap<number, string>;
  readonly stores: ReadonlyMap<number, StoreMeta & { readonly name: string }>;
  /** The names of the topics that each group owns. */
  readonly topicsOf: (group: string) => readonly string[];
  /** The gaps in the tables of stores and positions. */
  readonly storeGaps: readonly KeyGap[];
  readonly positionGaps: readonly KeyGap[];
  /** Names were lost for good: any group may have had more stores. */
  readonly namesLost: boolean;
}
export const groupsToRestart = ({ groups, stores, topicsOf, storeGaps, positionGaps, namesLost }: GroupLosses): readonly Restarted[] => {
  const withStores = new Set([...stores.values()].map(({ group }) => group));
  const why = (id: number | undefined, group: string): string | undefined => {
    if (namesLost) return 'names are lost, and it may have had stores that are unknown now';
    if (!withStores.has(group)) return undefined;
    if (id === undefined) return 'its number is lost, and with it its positions';
    if (positionGaps.some((gap) => touches(gap, id))) return 'some of its positions may be lost';
    const store = [...stores].find(([storeId, meta]) => meta.group === group && storeGaps.some((gap) => touches(gap, storeId)));
    return store === undefined ? undefined : `store '${store[1].name}' may have lost entries`;
  };
  const ids = new Map([...groups].map(([id, name]) => [name, id]));
  return [...new Set([...groups.values(), ...withStores])].flatMap((group) => {
    const reason = why(ids.get(group), group);
    return reason === undefined ? [] : [{ group, why: reason, topics: topicsOf(group) }];
  });
};

/** True when a key that begins with the number may be in the gap. */
export const touches = ({ after, before }: KeyGap, id: number): boolean => {
  const first = Buffer.alloc(4);
  first.writeUInt32BE(id);
  const last = Buffer.concat([first, Buffer.alloc(64, 0xff)]);
  return (after === undefined || compareKeys(last, after) >= 0) && (before === undefined || compareKeys(first, before) <= 0);
};
