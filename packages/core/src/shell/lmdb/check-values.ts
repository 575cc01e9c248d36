/**
 * The values of a data folder: each table entry by entry, then the log partition by partition.
 *
 * What belongs together is read at one commit: an owner and who it owns, the end and the batches before it. What others change
 * between two looks is looked at again before it is told; where a partition is trimmed or compacted all the time, its
 * sums are left out and said to be.
 */
import { kindOf, type KINDS, type Known } from '../../pure/check/entry-kinds.ts';
import { finding, type Finding } from '../../pure/check/finding.ts';
import { namesIn, type Names } from '../../pure/check/names.ts';
import { PartitionCheck, type CheckedPlace } from '../../pure/check/partition-check.ts';
import { timeOfKey, type TimeEntry } from '../../pure/check/time-check.ts';
import { isStoplogError } from '../../pure/errors.ts';
import {
  decodeEnds,
  decodeOffset,
  decodeSegment,
  NO_ENDS,
  partitionKey,
  prefixEnd,
  samePrefix,
  TABLES,
  unseal,
  type Ends,
  type Table,
} from '../../pure/log/keyspace.ts';
import type { Segment } from '../../pure/log/segment.ts';
import type { Snapshot, Tree } from '../../pure/pages/meta-page.ts';
import { compareKeys, walk } from '../../pure/pages/walk.ts';
import { atOneCommit, scan, tablesOf, type PageFile } from './page-file.ts';

export interface Counts {
  topics: number;
  partitions: number;
  batches: number;
  records: number;
  entries: number;
  /** Bytes of batches. */
  bytes: number;
}
type Tell = (finding: Finding) => void;
type Bytes = readonly [key: Buffer, value: Buffer];

/** What is under a prefix, at one commit. */
export class Look {
  readonly #read: (page: number, count: number) => Uint8Array | undefined;
  readonly #snapshot: Snapshot;
  readonly #trees: ReadonlyMap<string, Tree>;
  constructor(file: PageFile, snapshot: Snapshot) {
    this.#snapshot = snapshot;
    this.#read = file.reader(snapshot);
    this.#trees = tablesOf(walk(this.#read, snapshot.main, snapshot));
  }
  *under(table: string, prefix: Uint8Array, from: Uint8Array = prefix): Generator<Bytes, void> {
    const tree = this.#trees.get(table);
    if (tree === undefined) return;
    for (const item of walk(this.#read, tree, this.#snapshot, { from })) {
      if (item.type !== 'entry') continue;
      if (!samePrefix(item.key, prefix)) return;
      yield [asBuffer(item.key), asBuffer(item.value)];
    }
  }
  get(table: string, key: Uint8Array): Buffer | undefined {
    for (const [found, value] of this.under(table, key)) return compareKeys(found, key) === 0 ? value : undefined;
    return undefined;
  }
  /** Opened values whose seals agree; the others are told where the table is gone through. */
  *sealed(table: Table, prefix: Uint8Array): Generator<Bytes, void> {
    for (const [key, value] of this.under(table, prefix)) {
      const opened = open(table, key, value);
      if (opened !== undefined) yield [key, opened];
    }
  }
}
const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const open = (table: Table, key: Buffer, value: Buffer): Buffer | undefined => {
  try {
    return asBuffer(unseal(table, key, value));
  } catch (error) {
    if (isStoplogError(error)) return undefined;
    throw error;
  }
};

export const readNames = (look: Look): ReturnType<typeof namesIn> => namesIn([...look.sealed('meta', new Uint8Array(0))]);

export class ValuesCheck {
  readonly counts: Counts = { topics: 0, partitions: 0, batches: 0, records: 0, entries: 0, bytes: 0 };
  /** What could not be settled, in sentences. */
  readonly notes: string[] = [];
  readonly #file: PageFile;
  readonly #choose: () => Snapshot;
  readonly #tell: Tell;
  #names: Names;
  #current: PartitionCheck | undefined;

  constructor(file: PageFile, choose: () => Snapshot, names: Names, tell: Tell) {
    this.#names = names;
    this.#file = file;
    this.#choose = choose;
    this.#tell = tell;
  }

  /** Yields often. */
  *run(): Generator<void, void> {
    for (const table of TABLES) if (table !== 'log') yield* this.#table(table);
    yield* this.#log();
  }

  /** So far, those of a partition that is not done among them. */
  get records(): number {
    return this.counts.records + (this.#current?.records ?? 0);
  }

  #look<T>(read: (look: Look) => T): T {
    return atOneCommit(this.#choose, (snapshot) => read(new Look(this.#file, snapshot)));
  }

  *#table(table: Exclude<Table, 'log'>): Generator<void, void> {
    const suspects: Buffer[] = [];
    const unknown = { entries: 0 };
    let known = this.#look(knownBy);
    for (const item of scan(this.#file, this.#choose, table)) {
      if (item.type === 'broken') continue; // told by who goes through the pages
      this.counts.entries++;
      const key = asBuffer(item.key);
      const value = open(table, key, asBuffer(item.value));
      if (value === undefined) this.#tell(sealFinding(table, key));
      else if (table !== 'meta') {
        const kind = kindOf(table, key);
        if (kind === undefined) unknown.entries++;
        else if (kind.check(key, value, known) !== undefined && suspects.length < MOST_SUSPECTS) suspects.push(key);
      }
      yield;
    }
    // A name or an end may have come since: looked at again, with both of one commit.
    for (const key of suspects) {
      const again = this.#look((look) => {
        known = knownBy(look);
        const value = look.get(table, key);
        const opened = value === undefined ? undefined : open(table, key, value);
        return opened === undefined ? undefined : kindOf(table as keyof typeof KINDS, key)!.check(key, opened, known);
      });
      if (again !== undefined) this.#tell(again);
      yield;
    }
    if (unknown.entries > 0)
      this.#tell(finding('unknown', { table }, `${unknown.entries} entries are of a kind that this version does not know; their checksums agree`));
    if (table === 'meta') {
      const { names, findings } = this.#look(readNames);
      for (const one of findings) this.#tell(one);
      this.counts.topics = names.topics.size;
    }
  }

  *#log(): Generator<void, void> {
    const seen = new Set<string>();
    for (let from: Buffer | undefined = Buffer.alloc(0); from !== undefined;) {
      const first: Buffer | undefined = this.#look((look) => {
        for (const [key] of look.under('log', new Uint8Array(0), from)) return Buffer.from(key);
        return undefined;
      });
      if (first === undefined) break;
      const prefix = first.subarray(0, 8);
      seen.add(prefix.toString('hex'));
      if (first.length === 16) yield* this.#partition(prefix);
      else this.#tell(finding('unknown', { table: 'log' }, `a key of ${first.length} bytes`));
      from = first.length === 16 ? prefixEnd(prefix) : Buffer.concat([first, Buffer.alloc(1)]);
    }
    // Partitions that have no batch, and should have.
    this.#names = this.#look(readNames).names;
    for (const [id, { partitions }] of this.#names.topics) {
      for (let partition = 0; partition < partitions; partition++) {
        const prefix = partitionKey(id, partition);
        if (!seen.has(prefix.toString('hex'))) yield* this.#partition(prefix);
      }
    }
  }

  *#partition(prefix: Buffer): Generator<void, void> {
    const [topicId, partition] = [prefix.readUInt32BE(0), prefix.readUInt32BE(4)];
    for (let attempt = 1; ; attempt++) {
      const { first, isThere } = this.#look((look) => {
        const ends = endsIn(look, prefix);
        // Made or deleted since names were read: they are read again, at the same commit.
        if (ends === undefined || !this.#names.topics.has(topicId)) this.#names = readNames(look).names;
        return { first: ends, isThere: look.under('log', prefix).next().done !== true };
      });
      const shape = this.#names.topics.get(topicId);
      if (shape === undefined) {
        if (isThere && !this.#names.gone.has(topicId))
          this.#tell(finding('owner', { table: 'log', partition }, `batches there belong to topic number ${topicId}, which is not there`));
        return;
      }
      const place: CheckedPlace = { topic: shape.name, topicId, partition, compacts: shape.cleanup === 'compact' };
      const check = new PartitionCheck(place, first ?? NO_ENDS);
      this.#current = check;
      let after = prefix;
      for (const item of scan(this.#file, this.#choose, 'log', prefix)) {
        if (item.type === 'broken') continue;
        if (!samePrefix(item.key, prefix)) break;
        check.take(item.key, item.value);
        after = Buffer.concat([item.key, new Uint8Array(1)]);
        yield;
      }
      // The end, and what was appended up to it, of one commit.
      const last = this.#look((look) => ({
        ends: endsIn(look, prefix),
        rest: [...look.under('log', prefix, after)],
        segments: [...look.sealed('segments', prefix)].map(([key, value]): Segment => decodeSegment(key, value)),
        times: [...look.sealed('times', prefix)].map(([key, value]): TimeEntry => ({ time: timeOfKey(key), base: decodeOffset(value) })),
      }));
      for (const [key, value] of last.rest) check.take(key, value);
      if (first === undefined || last.ends === undefined) {
        // Damaged, which was told; or the topic is being deleted.
        if (first === undefined && check.batches.length > 0)
          this.#tell(finding('end', { table: 'ends', topic: shape.name, partition }, 'there are batches, and no ends that can be read'));
        for (const one of check.findings) if (one.rule !== 'gap') this.#tell(one);
      } else {
        const findings = check.finish(last.ends, last.segments, last.times);
        const isSettled = findings.length === 0 || check.isSettled(last.ends);
        if (!isSettled && attempt < ATTEMPTS) continue;
        if (!isSettled) this.notes.push(`${shape.name}[${partition}] is being cleaned: its sums, segments and times were not compared`);
        for (const one of findings) if (isSettled || BY_BATCH.has(one.rule)) this.#tell(one);
      }
      if (check.uncompared > 0)
        this.notes.push(`${shape.name}[${partition}] has more keys than fit in memory: ${check.uncompared} records were not looked for twice`);
      this.#current = undefined;
      this.counts.partitions++;
      this.counts.batches += check.batches.length;
      this.counts.records += check.records;
      this.counts.bytes += check.batches.reduce((sum, { bytes }) => sum + bytes, 0);
      return;
    }
  }
}
const ATTEMPTS = 3;
const MOST_SUSPECTS = 1_000;
/** What one batch shows by itself, whatever is done to its neighbours. */
const BY_BATCH: ReadonlySet<string> = new Set(['checksum', 'place', 'overlap', 'gap']);

const endsIn = (look: Look, prefix: Buffer): Ends | undefined => {
  const sealed = look.get('ends', prefix);
  if (sealed === undefined) return undefined;
  const bytes = open('ends', prefix, sealed);
  return bytes === undefined || (bytes.length !== 32 && bytes.length !== 88) ? undefined : decodeEnds(bytes);
};
const knownBy = (look: Look): Known => ({
  names: readNames(look).names,
  endsOf: (topicId, partition) => endsIn(look, partitionKey(topicId, partition)),
});
const sealFinding = (table: Table, key: Buffer): Finding =>
  finding('checksum', { table }, `the value of key ${key.subarray(0, 40).toString('hex')} does not match its checksum`);
