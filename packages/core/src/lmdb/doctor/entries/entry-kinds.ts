/**
 * The kinds of entries in each table, one line each: the form of a key, and the rule for its value.
 *
 * A new kind is a new line here; without it its entries are reported as unknown, once for each table, and never as damage:
 * their checksums are compared all the same. Batches and `meta` are larger subjects: partition-check.ts and names.ts.
 */
import { decodeOffset, type Ends, type Table } from '../../layout/keyspace.ts';
import { fromBytes } from '../../layout/meta.ts';
import { finding, type Finding } from '../../../pure/log/finding.ts';
import type { Names } from './names.ts';

/** The tables that every folder has. A later table is created when the log is next opened, and its absence is no finding. */
export const FIRST_TABLES: readonly Table[] = ['meta', 'log', 'ends', 'segments', 'times', 'positions', 'stores', 'groups'];

/** The names and ends against which an entry is checked. */
export interface Known {
  readonly names: Names;
  readonly endsOf: (topicId: number, partition: number) => Ends | undefined;
}
export interface EntryKind {
  readonly name: string;
  readonly fits: (key: Uint8Array) => boolean;
  /** `value` is without its seal. Returns the broken rule, or undefined. */
  readonly check: (key: Uint8Array, value: Uint8Array, known: Known) => Finding | undefined;
}

const u32 = (key: Uint8Array, at: number): number => Buffer.from(key.buffer, key.byteOffset, key.byteLength).readUInt32BE(at);

/** The name of a topic's number and partition in a key; or the finding about them. */
const partitionAt = (
  table: Table,
  key: Uint8Array,
  at: number,
  { names }: Known,
): { readonly topic: string; readonly partition: number } | Finding | undefined => {
  const [id, partition] = [u32(key, at), u32(key, at + 4)];
  const shape = names.topics.get(id);
  if (shape === undefined)
    return names.gone.has(id) ? undefined : finding('owner', { table, partition }, `it belongs to topic number ${id}, which is not there`);
  const place = { topic: shape.name, partition };
  return partition < shape.partitions ? place : finding('owner', { table, ...place }, `the topic has ${shape.partitions} partitions`);
};
const isFinding = (one: object): one is Finding => 'rule' in one;

const ofPartition =
  (table: Table, sizes: readonly number[]): EntryKind['check'] =>
  (key, value, known) => {
    // A deleted topic leaves this mark.
    if (table === 'ends' && value.length === 0) return undefined;
    const place = partitionAt(table, key, 0, known);
    if (place === undefined || isFinding(place)) return place;
    return sizes.includes(value.length) ? undefined : finding('form', { table, ...place }, `a value of ${value.length} bytes`);
  };

/** The owner of the entry; undefined when the producer is being forgotten. */
const producerOf = (key: Uint8Array, { names }: Known): string | Finding | undefined => {
  const id = u32(key, 0);
  const producer = names.producers.get(id);
  if (producer !== undefined || names.gone.has(id)) return producer;
  return finding('owner', { table: 'producers' }, `it belongs to producer number ${id}, which is not there`);
};

const ofGroup = (key: Uint8Array, { names }: Known, check: (group: string) => Finding | undefined): Finding | undefined => {
  const group = names.groups.get(u32(key, 0));
  return group === undefined ? finding('owner', { table: 'groups' }, `it belongs to group number ${u32(key, 0)}, which is not there`) : check(group);
};
const namesEpoch = (value: Uint8Array): boolean => {
  try {
    return Number.isSafeInteger(fromBytes<{ readonly epoch?: unknown } | null>(value)?.epoch);
  } catch {
    return false;
  }
};
const memberKind = (name: string, kind: number, size: number | undefined): EntryKind => ({
  name,
  fits: (key) => key.length === 9 && key[4] === kind,
  check: (key, value, known) =>
    ofGroup(key, known, (group) =>
      size === undefined || value.length === size ? undefined : finding('form', { table: 'groups', group }, `a ${name} of ${value.length} bytes`),
    ),
});

const findingIn = (found: string | Finding | undefined): Finding | undefined => (typeof found === 'string' ? undefined : found);

export const KINDS: Readonly<Record<Exclude<Table, 'meta' | 'log'>, readonly EntryKind[]>> = {
  ends: [{ name: 'ends', fits: (key) => key.length === 8, check: ofPartition('ends', [32, 88]) }],
  segments: [{ name: 'segment', fits: (key) => key.length === 16, check: ofPartition('segments', [48]) }],
  times: [{ name: 'time', fits: (key) => key.length === 16, check: ofPartition('times', [8]) }],
  positions: [
    {
      name: 'position',
      fits: (key) => key.length === 12,
      check: (key, value, known) => {
        const isSource = known.names.sources.has(u32(key, 4));
        const place = isSource ? {} : partitionAt('positions', key, 4, known);
        if (place === undefined || isFinding(place)) return place;
        const group = known.names.groups.get(u32(key, 0));
        if (group === undefined) return finding('owner', { table: 'positions', ...place }, `it belongs to group number ${u32(key, 0)}, which is not there`);
        if (value.length !== 8) return finding('form', { table: 'positions', group, ...place }, `a value of ${value.length} bytes`);
        // The position of a source has a meaning outside the log only.
        if (isSource) return undefined;
        const end = known.endsOf(u32(key, 4), u32(key, 8))?.end ?? 0n;
        const offset = decodeOffset(value);
        // Below the start a reader is late; above the end it has read records that never existed.
        return offset <= end ? undefined : finding('position', { table: 'positions', group, ...place, offset }, `it is after the end, ${end}`);
      },
    },
  ],
  stores: [
    {
      name: 'store entry',
      fits: (key) => key.length > 8,
      check: (key, _, { names }) => {
        const id = u32(key, 0);
        if (names.gone.has(id)) return undefined;
        const store = names.stores.get(id);
        if (store === undefined) return finding('owner', { table: 'stores' }, `it belongs to store number ${id}, which is not there`);
        // A store is opened before its group has a name, and written to afterwards. The rest of the key is the store's own.
        for (const group of names.groups.values()) if (group === store.group) return undefined;
        return finding('owner', { table: 'stores', store: store.name }, `it belongs to group '${store.group}', which is not there`);
      },
    },
  ],
  groups: [
    {
      name: 'group',
      fits: (key) => key.length === 4,
      check: (key, value, known) =>
        // A deleted group leaves this mark.
        value.length === 0
          ? undefined
          : ofGroup(key, known, (group) => (namesEpoch(value) ? undefined : finding('form', { table: 'groups', group }, 'its row names no epoch'))),
    },
    memberKind('heartbeat of a member', 1, 16),
    memberKind('units of a member', 2, undefined),
    {
      name: 'place that is held',
      fits: (key) => key.length === 13 && key[4] === 3,
      check: (key, value, known) =>
        ofGroup(key, known, (group) => {
          const place = known.names.sources.has(u32(key, 5)) ? undefined : partitionAt('groups', key, 5, known);
          if (place !== undefined && isFinding(place)) return place;
          return value.length === 13 ? undefined : finding('form', { table: 'groups', group, ...place }, `a value of ${value.length} bytes`);
        }),
    },
  ],
  producers: [
    { name: 'producer', fits: (key) => key.length === 4, check: (key, _, known) => findingIn(producerOf(key, known)) },
    {
      name: 'what a producer appended to a partition',
      fits: (key) => key.length === 12,
      check: (key, _, known) => {
        const place = partitionAt('producers', key, 4, known);
        return findingIn(producerOf(key, known)) ?? (place !== undefined && isFinding(place) ? place : undefined);
      },
    },
  ],
};

/** undefined for a kind that this version does not know. */
export const kindOf = (table: keyof typeof KINDS, key: Uint8Array): EntryKind | undefined => KINDS[table].find(({ fits }) => fits(key));
