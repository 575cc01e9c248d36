/**
 * `repairFolder`: a new folder with everything of a damaged one that can be proved, and an exact account of the rest.
 *
 * The old folder is only read. Killed at any moment, and run again, it begins anew. What was lost keeps its offsets, as empty
 * batches that a reader passes over: no offset is given twice, and every position still means what it meant.
 */
import { setImmediate as turnOfOthers } from 'node:timers/promises';
import type { RepairedPartition, RepairOptions, RepairReport } from '../../port/inspection.ts';
import { isDamage } from '../../pure/check/finding.ts';
import { groupsToRestart, type KeyGap } from '../../pure/check/group-loss.ts';
import { FIRST_TABLES, kindOf, type KINDS } from '../../pure/check/entry-kinds.ts';
import { META_KINDS, namesIn, type Names } from '../../pure/check/names.ts';
import { StoplogError } from '../../pure/errors.ts';
import { decodeGroup, encodeGroup } from '../../pure/log/group-record.ts';
import { decodeEnds, decodeSegment, FORMAT, TABLES, type Ends, type Table } from '../../pure/log/keyspace.ts';
import { formatKey, groupMetaKey, nextIdKey, producerMetaKey, SOURCE_PREFIX, sourceMetaKey, storeMetaKey, toBytes, topicMetaKey } from '../../pure/log/meta.ts';
import type { Segment } from '../../pure/log/segment.ts';
import type { TopicShape } from '../../pure/topic/shape.ts';
import { checkFolder, examineForReading, openPageFile } from './check.ts';
import { describeIo } from './folder.ts';
import type { PageFile } from './page-file.ts';
import { PartitionRepair } from './repair-partition.ts';
import { RepairTarget } from './repair-target.ts';
import { Salvage, type Orphans, type Sealed } from './salvage.ts';

const LOOK_EVERY = 256;
/** Made anew from the batches. */
const DERIVED: ReadonlySet<Table> = new Set(['segments', 'times']);

/** Makes the folder `to` of what can be proved of the folder at `path`, which is only read. */
export const repairFolder = async (path: string, to: string, options: RepairOptions = {}): Promise<RepairReport> => {
  examineForReading(path);
  const file = openPageFile(path);
  if (file === undefined)
    throw new StoplogError('STOPLOG_LOG_CORRUPT', { path, reason: 'missing' }, `the data file of ${path} is gone: restore it from a backup`);
  try {
    const before = file.commits();
    const source = new Salvage(file);
    const target = new RepairTarget(to);
    try {
      const report = await new Repair(file, source, target, options).run();
      if (file.commits() !== before)
        throw new StoplogError(
          'STOPLOG_LOG_UNAVAILABLE',
          { path },
          `${path} was written to while it was repaired, and a copy of two states is none: stop what runs on it, then repair again`,
        );
      await target.close();
      const { findings } = await checkFolder(target.path);
      const wrong = findings.find(isDamage);
      if (wrong !== undefined)
        throw new Error(
          `the repaired folder does not pass its own check: ${JSON.stringify(wrong, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value))}`,
        );
      target.rename();
      return report;
    } catch (error) {
      await target.discard();
      throw error;
    }
  } catch (error) {
    throw describeIo(path, error);
  } finally {
    file.close();
  }
};

class Repair {
  readonly #file: PageFile;
  readonly #source: Salvage;
  readonly #target: RepairTarget;
  readonly #options: RepairOptions;
  readonly #orphans: Orphans;
  readonly #partitions = new Map<string, PartitionRepair>();
  #records = 0;
  #copied = 0;

  constructor(file: PageFile, source: Salvage, target: RepairTarget, options: RepairOptions) {
    this.#file = file;
    this.#source = source;
    this.#target = target;
    this.#options = options;
    this.#orphans = source.orphans();
  }

  async run(): Promise<RepairReport> {
    const source = this.#source;
    const meta = await this.#all('meta', isMetaKey);
    const { names } = namesIn(meta.map(({ key, value }) => [key, value] as const));
    const namesLost = source.missing('meta') !== 0;
    const ends = await this.#readEnds(names);
    const segments = new Map<string, Segment[]>();
    for (const { key, value } of await this.#all('segments', () => false)) {
      const place = key.toString('hex', 0, 8);
      if (value.length === 48) segments.set(place, [...(segments.get(place) ?? []), decodeSegment(key, value)]);
    }
    const positions = await this.#all('positions', (key, value) => key.length === 12 && value.length === 8 && names.groups.has(key.readUInt32BE(0)));
    const groups = await this.#all('groups', (key) => key.length === 4 && names.groups.has(key.readUInt32BE(0)));
    const stores = await this.#countStores(names);

    const restarted = groupsToRestart({
      groups: names.groups,
      stores: names.stores,
      storeGaps: source.missing('stores') === 0 ? [] : gapsOf(source, 'stores'),
      positionGaps: source.missing('positions') === 0 ? [] : gapsOf(source, 'positions'),
      namesLost: namesLost && stores.unknown > 0,
    });
    const anew = new Set(restarted.map(({ group }) => group));
    const { kept: positionsKept, dropped: positionsDropped } = this.#putPositions(positions, names, anew);
    this.#putGroups(groups, names);
    await this.#putStores(names, anew);
    for (const table of TABLES) {
      if (table === 'log' || FIRST_TABLES.includes(table) || !source.tables.has(table)) continue;
      for (const { key, value } of source.sealed(table)) {
        if (kindOf(table as keyof typeof KINDS, key) === undefined) this.#copy(table, key, value);
        else if (names.producers.has(key.readUInt32BE(0))) this.#target.put(table, key, value);
      }
    }
    const topics = await this.#putLog(names, ends, segments, namesLost);
    this.#putMeta(names, topics, anew);
    const partitions = topics.flatMap(({ partitions }) => partitions);
    if (partitions.length === 0 && names.topics.size === 0 && namesLost) {
      throw new StoplogError(
        'STOPLOG_LOG_CORRUPT',
        { reason: 'nothing is left' },
        'nothing in the data file can be proved to be of a log, no name and no batch: restore the folder from a backup',
      );
    }
    return {
      partitions,
      stores: [...names.stores].map(([id, { name, group }]) => ({ store: name, group, entries: stores.of.get(id) ?? 0, isKept: !anew.has(group) })),
      positionsKept,
      positionsDropped,
      restarted,
      missing: Object.fromEntries(
        TABLES.filter((table) => !DERIVED.has(table) && (FIRST_TABLES.includes(table) || source.tables.has(table)))
          .map((table) => [table, source.missing(table)])
          .filter(([, n]) => n !== 0),
      ),
      copied: this.#copied,
      commit: source.snapshot.txn,
      isLatest: source.isLatest,
      mayMissPartitions: namesLost && source.missing('ends') !== 0,
      mayHoldDeleted: !this.#orphans.areProven && partitions.some(({ foundAgain }) => foundAgain > 0),
      lostOffsets: Number(partitions.reduce((sum, { lost }) => lost.reduce((of, { offset, until }) => of + until - offset, sum), 0n)),
      renamed: topics.filter(({ isRenamed }) => isRenamed).map(({ shape }) => shape.name),
    };
  }

  /** The entries of a table, and of the orphans those that are of it and are not there yet. */
  async #all(table: Exclude<Table, 'log' | 'stores'>, isOfIt: (key: Buffer, value: Buffer) => boolean): Promise<readonly Sealed[]> {
    const found = new Map<string, Sealed>();
    let n = 0;
    for (const entry of this.#source.sealed(table)) {
      found.set(entry.key.toString('latin1'), { key: Buffer.from(entry.key), value: Buffer.from(entry.value) });
      if (++n % LOOK_EVERY === 0) await this.#pause();
    }
    // An older copy of ends would give offsets again.
    if (this.#source.missing(table) !== 0 && (table !== 'ends' || this.#orphans.areProven)) {
      for (const entry of this.#orphans.sealed) {
        const name = entry.key.toString('latin1');
        if (!isOfIt(entry.key, entry.value) || found.has(name)) continue;
        found.set(name, entry);
        this.#source.foundAgain(table);
      }
    }
    return [...found.values()];
  }

  async #readEnds(names: Names): Promise<ReadonlyMap<string, Ends>> {
    const ends = new Map<string, Ends>();
    const isEnds = (key: Buffer, value: Buffer): boolean =>
      key.length === 8 && (value.length === 88 || value.length === 32) && names.topics.has(key.readUInt32BE(0));
    for (const { key, value } of await this.#all('ends', isEnds)) {
      // What stays of a deleted topic.
      if (value.length === 0) this.#target.put('ends', key, value);
      else if (isEnds(key, value) || value.length === 88) ends.set(key.toString('hex'), decodeEnds(value));
    }
    return ends;
  }

  #partition(place: string, ends: ReadonlyMap<string, Ends>): PartitionRepair {
    let partition = this.#partitions.get(place);
    if (partition === undefined) {
      partition = new PartitionRepair(Number.parseInt(place.slice(0, 8), 16), Number.parseInt(place.slice(8), 16), ends.get(place), this.#source.isLatest);
      this.#partitions.set(place, partition);
    }
    return partition;
  }

  async #putLog(
    names: Names,
    ends: ReadonlyMap<string, Ends>,
    segments: ReadonlyMap<string, readonly Segment[]>,
    namesLost: boolean,
  ): Promise<readonly { readonly id: number; readonly shape: TopicShape; readonly isRenamed: boolean; readonly partitions: readonly RepairedPartition[] }[]> {
    const source = this.#source;
    const isOf = (topicId: number, partition: number): boolean => {
      const shape = names.topics.get(topicId);
      return shape === undefined ? namesLost && !names.gone.has(topicId) : partition < shape.partitions;
    };
    const placeOf = (topicId: number, partition: number): string => topicId.toString(16).padStart(8, '0') + partition.toString(16).padStart(8, '0');
    for (const [id, { partitions }] of names.topics) for (let n = 0; n < partitions; n++) if (ends.has(placeOf(id, n))) this.#partition(placeOf(id, n), ends);
    for (const place of ends.keys()) if (isOf(Number.parseInt(place.slice(0, 8), 16), Number.parseInt(place.slice(8), 16))) this.#partition(place, ends);
    // How far it came, where the ends do not say: by copies of them on any page. Of a partition that nothing is left of, too.
    const isIncomplete = source.missing('ends') !== 0;
    if (isIncomplete) for (const [id, { partitions }] of names.topics) for (let n = 0; n < partitions; n++) this.#partition(placeOf(id, n), ends);
    if (isIncomplete || !source.isLatest) {
      for (const { key, value } of source.endsAfter(isIncomplete ? 0 : source.snapshot.txn)) {
        if ((value.length !== 88 && value.length !== 32) || !isOf(key.readUInt32BE(0), key.readUInt32BE(4))) continue;
        const there = decodeEnds(value);
        this.#partition(key.toString('hex'), ends).reach(there.end, there);
      }
    }
    let n = 0;
    for (const view of source.batches()) {
      if (isOf(view.topicId, view.partition)) this.#partition(placeOf(view.topicId, view.partition), ends).take(view, this.#target);
      this.#records += view.count;
      if (++n % LOOK_EVERY === 0) await this.#pause();
    }
    for (const view of this.#orphans.batches) if (isOf(view.topicId, view.partition)) this.#partition(placeOf(view.topicId, view.partition), ends).offer(view);
    const ids = new Set([...this.#partitions.keys()].map((place) => Number.parseInt(place.slice(0, 8), 16)));
    const topics = [...names.topics].map(([id, shape]) => ({ id, shape, isRenamed: false }));
    for (const id of ids) {
      if (names.topics.has(id)) continue;
      const shape = unnamed(id, [...this.#partitions.keys()]);
      for (let n = 0; isIncomplete && n < shape.partitions; n++) this.#partition(placeOf(id, n), ends);
      topics.push({ id, shape, isRenamed: true });
    }
    return topics.map((topic) => ({
      ...topic,
      partitions: [...this.#partitions]
        .filter(([place]) => Number.parseInt(place.slice(0, 8), 16) === topic.id)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([place, partition]) => partition.finish(topic.shape.name, segments.get(place) ?? [], this.#orphans.hidden, this.#target)),
    }));
  }

  #putPositions(positions: readonly Sealed[], names: Names, anew: ReadonlySet<string>): { readonly kept: number; readonly dropped: number } {
    let [kept, dropped] = [0, 0];
    for (const { key, value } of positions) {
      const isKnown = kindOf('positions', key) !== undefined;
      const group = names.groups.get(key.readUInt32BE(0));
      if (!isKnown) this.#copy('positions', key, value);
      else if (group === undefined || !names.topics.has(key.readUInt32BE(4)) || anew.has(group)) dropped++;
      else {
        kept++;
        this.#target.put('positions', key, value);
      }
    }
    return { kept, dropped };
  }
  #putGroups(groups: readonly Sealed[], names: Names): void {
    for (const { key, value } of groups) {
      if (kindOf('groups', key) === undefined) this.#copy('groups', key, value);
      else if (value.length === 0) this.#target.put('groups', key, value);
      // The epoch goes on, and nobody is in it.
      else if (key.length === 4 && names.groups.has(key.readUInt32BE(0))) this.#target.put('groups', key, withoutMembers(value));
    }
  }
  #copy(table: Exclude<Table, 'log'>, key: Buffer, value: Buffer): void {
    this.#copied++;
    this.#target.put(table, key, value);
  }

  /** Goes through the stores once, to see what is missing before anything is written. */
  async #countStores(names: Names): Promise<{ readonly of: ReadonlyMap<number, number>; readonly unknown: number }> {
    const of = new Map<number, number>();
    let [n, unknown] = [0, 0];
    for (const { key } of this.#source.sealed('stores')) {
      const id = key.length < 4 ? -1 : key.readUInt32BE(0);
      if (names.stores.has(id)) of.set(id, (of.get(id) ?? 0) + 1);
      else if (!names.gone.has(id)) unknown++;
      if (++n % LOOK_EVERY === 0) await this.#pause();
    }
    return { of, unknown };
  }
  async #putStores(names: Names, anew: ReadonlySet<string>): Promise<void> {
    let n = 0;
    for (const { key, value } of this.#source.sealed('stores')) {
      const store = names.stores.get(key.length < 4 ? -1 : key.readUInt32BE(0));
      if (store !== undefined && !anew.has(store.group)) this.#target.put('stores', key, value);
      if (++n % LOOK_EVERY === 0) await this.#pause();
    }
  }
  #putMeta(names: Names, topics: readonly { readonly id: number; readonly shape: TopicShape }[], anew: ReadonlySet<string>): void {
    const put = (key: Buffer, value: unknown): void => this.#target.put('meta', key, toBytes(value));
    const ids = [
      ...topics.map(({ id }) => id),
      ...names.stores.keys(),
      ...names.groups.keys(),
      ...names.sources.keys(),
      ...names.producers.keys(),
      ...names.gone,
    ];
    put(formatKey(), FORMAT);
    put(nextIdKey(), Math.max(names.next ?? 1, ...ids.map((id) => id + 1)));
    for (const { id, shape } of topics) put(topicMetaKey(shape.name), { id, shape });
    for (const [id, group] of names.groups) put(groupMetaKey(group), { id });
    for (const [id, source] of names.sources) put(sourceMetaKey(`${SOURCE_PREFIX.toString()}${source}`), { id });
    for (const [id, producer] of names.producers) put(producerMetaKey(producer), { id });
    for (const [id, { name, ...store }] of names.stores) if (!anew.has(store.group)) put(storeMetaKey(name), { ...store, id });
  }

  async #pause(): Promise<void> {
    await turnOfOthers();
    const { free, main } = this.#source.snapshot;
    const total =
      [free, main, ...this.#source.tables.values()].reduce((pages, tree) => pages + tree.branches + tree.leaves + tree.overflows, 0) * this.#file.pageSize;
    this.#options.progress?.({ done: Math.min(this.#file.bytesRead, total), total, records: this.#records });
  }
}

const withoutMembers = (value: Uint8Array): Buffer => {
  const record = decodeGroup(value);
  return encodeGroup({ ...record, version: record.version + 1, members: [] });
};

const isMetaKey = (key: Buffer): boolean => META_KINDS.some((kind) => (kind.endsWith(':') ? key.toString().startsWith(kind) : key.toString() === kind));

/** Where entries of a table are missing; anywhere, when it has fewer than it says and nothing says where. */
const gapsOf = (source: Salvage, table: Table): readonly KeyGap[] => {
  const gaps = source.gaps(table);
  return gaps.length > 0 ? gaps : [{ after: undefined, before: undefined }];
};

/** A topic of which only batches are left: nobody knows any more how its bytes are to be read. */
const unnamed = (id: number, places: readonly string[]): TopicShape => {
  const own = places
    .map((place) => [Number.parseInt(place.slice(0, 8), 16), Number.parseInt(place.slice(8), 16)] as const)
    .filter(([topicId]) => topicId === id);
  return {
    name: `recovered.${id}`,
    partitions: Math.max(...own.map(([, partition]) => partition)) + 1,
    cleanup: 'delete',
    retentionMs: undefined,
    keyCodec: 'bytes',
    valueCodec: 'bytes',
    keySchema: {},
    valueSchema: {},
  };
};
