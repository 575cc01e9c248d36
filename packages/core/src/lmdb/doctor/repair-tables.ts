/**
 * The tables that a repair copies entry by entry: an entry with a matching seal is copied if its owner is.
 *
 * Members of groups are not copied: the groups of the new folder are empty. An entry of a kind that this version does not
 * know is copied as it is.
 */
import { FIRST_TABLES, kindOf } from './entries/entry-kinds.ts';
import type { Restarted } from '../../port/inspection.ts';
import { groupsToRestart } from './entries/group-loss.ts';
import { META_KINDS, type Names } from './entries/names.ts';
import { decodeGroup, encodeGroup } from '../layout/group-record.ts';
import { decodeOffset, FORMAT, TABLES, type Table } from '../layout/keyspace.ts';
import { formatKey, groupMetaKey, nextIdKey, producerMetaKey, SOURCE_PREFIX, sourceMetaKey, storeMetaKey, toBytes, topicMetaKey } from '../layout/meta.ts';
import type { TopicShape } from '../../pure/topic/shape.ts';
import type { RepairSource } from './repair-source.ts';
import type { RepairTarget } from './repair-target.ts';
import type { Sealed } from './salvage.ts';

export const isMetaKey = (key: Buffer): boolean => META_KINDS.some((kind) => (kind.endsWith(':') ? key.toString().startsWith(kind) : key.toString() === kind));

export interface KeptTables {
  readonly restarted: readonly Restarted[];
  /** The numbers of the topics that restarted groups own. */
  readonly leftOut: ReadonlySet<number>;
  readonly positionsKept: number;
  readonly positionsDropped: number;
  /** The number of entries of each store. */
  readonly entriesOf: ReadonlyMap<number, number>;
  /** Entries of unknown kinds. */
  readonly copied: number;
}

/**
 * Copies all tables but the log, the derived tables, and the names. Calls `marked` with the numbers of groups that were
 * deleted, and `reached` with each kept position: its partition has reached that offset.
 */
export const putTables = async (
  source: RepairSource,
  target: RepairTarget,
  names: Names,
  namesLost: boolean,
  marked: (id: number) => void,
  reached: (topicId: number, partition: number, offset: bigint) => void,
): Promise<KeptTables> => {
  const { salvage } = source;
  const positions = await source.all('positions', (key, value) => key.length === 12 && value.length === 8 && names.groups.has(key.readUInt32BE(0)));
  const groups = await source.all('groups', (key) => key.length === 4 && names.groups.has(key.readUInt32BE(0)));
  const stores = await countStores(source, names);
  const restarted = groupsToRestart({
    groups: names.groups,
    stores: names.stores,
    topicsOf: (group) => [...ownedIds(names, new Set([group]))].map((id) => names.topics.get(id)!.name),
    storeGaps: source.gapsOf('stores'),
    positionGaps: source.gapsOf('positions'),
    namesLost: namesLost && stores.unknown > 0,
  });
  const anew = new Set(restarted.map(({ group }) => group));
  const leftOut = ownedIds(names, anew);
  let [kept, dropped, copied] = [0, 0, 0];
  const copy = (table: Exclude<Table, 'log'>, { key, value }: Sealed): void => {
    copied++;
    target.put(table, key, value);
  };

  for (const { key, value } of positions) {
    const group = names.groups.get(key.length < 4 ? -1 : key.readUInt32BE(0));
    if (kindOf('positions', key) === undefined) copy('positions', { key, value });
    else if (group === undefined || !names.topics.has(key.readUInt32BE(4)) || leftOut.has(key.readUInt32BE(4)) || anew.has(group)) dropped++;
    else {
      kept++;
      target.put('positions', key, value);
      reached(key.readUInt32BE(4), key.readUInt32BE(8), decodeOffset(value));
    }
  }
  for (const { key, value } of groups) {
    if (kindOf('groups', key) === undefined) copy('groups', { key, value });
    else if (value.length === 0) {
      marked(key.readUInt32BE(0));
      target.put('groups', key, value);
    }
    // The epoch continues, and the group is empty.
    else if (key.length === 4 && names.groups.has(key.readUInt32BE(0))) target.put('groups', key, withoutMembers(value));
  }
  for await (const { key, value } of source.inTurns(salvage.sealed('stores'))) {
    const store = names.stores.get(storeIdOf(key));
    if (store !== undefined && !anew.has(store.group)) target.put('stores', key, value);
  }
  for (const table of TABLES) {
    if (table === 'log' || table === 'meta' || FIRST_TABLES.includes(table) || !salvage.tables.has(table)) continue;
    for await (const { key, value } of source.inTurns(salvage.sealed(table))) {
      if (kindOf(table, key) === undefined) copy(table, { key, value });
      else if (names.producers.has(key.readUInt32BE(0))) target.put(table, key, value);
    }
  }
  return { restarted, leftOut, positionsKept: kept, positionsDropped: dropped, entriesOf: stores.of, copied };
};

const ownedIds = ({ owners, topics }: Names, groups: ReadonlySet<string>): ReadonlySet<number> =>
  new Set([...owners].flatMap(([id, owner]) => (groups.has(owner) && topics.has(id) ? [id] : [])));

const storeIdOf = (key: Buffer): number => (key.length < 4 ? -1 : key.readUInt32BE(0));
/** Reads the stores once, to know the missing entries before any are written. */
const countStores = async (source: RepairSource, names: Names): Promise<{ readonly of: ReadonlyMap<number, number>; readonly unknown: number }> => {
  const of = new Map<number, number>();
  let unknown = 0;
  for await (const { key } of source.inTurns(source.salvage.sealed('stores'))) {
    const id = storeIdOf(key);
    if (names.stores.has(id)) of.set(id, (of.get(id) ?? 0) + 1);
    else if (!names.gone.has(id)) unknown++;
  }
  return { of, unknown };
};
const withoutMembers = (value: Uint8Array): Buffer => {
  const record = decodeGroup(value);
  return encodeGroup({ ...record, version: record.version + 1, members: [] });
};

/**
 * Writes the names of everything that is kept. `marked` are numbers of deleted owners, whose marks are kept so that no number
 * is assigned again.
 */
export const putNames = (
  target: RepairTarget,
  names: Names,
  topics: readonly { readonly id: number; readonly shape: TopicShape }[],
  anew: ReadonlySet<string>,
  marked: Iterable<number>,
): void => {
  const put = (key: Buffer, value: unknown): void => target.put('meta', key, toBytes(value));
  const { owners, stores, groups, sources, producers, gone } = names;
  const given = [...topics.map(({ id }) => id), ...[stores, groups, sources, producers].flatMap((named) => [...named.keys()]), ...gone, ...marked];
  put(formatKey(), FORMAT);
  put(
    nextIdKey(),
    given.reduce((next, id) => Math.max(next, id + 1), names.next ?? 1),
  );
  for (const { id, shape } of topics) put(topicMetaKey(shape.name), { id, shape, ...(owners.has(id) ? { owner: owners.get(id) } : {}) });
  for (const [id, group] of groups) put(groupMetaKey(group), { id });
  for (const [id, source] of sources) put(sourceMetaKey(`${SOURCE_PREFIX.toString()}${source}`), { id });
  for (const [id, producer] of producers) put(producerMetaKey(producer), { id });
  for (const [id, { name, ...store }] of stores) if (!anew.has(store.group)) put(storeMetaKey(name), { ...store, id });
};
