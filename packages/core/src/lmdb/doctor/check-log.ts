/**
 * Checks the log of a data folder, partition by partition: the batches, then the ends, segments and times against them.
 *
 * An entry that another process may have changed between two reads is read again before it is reported. Where a partition is
 * trimmed or compacted all the time, its sums are left out, and a note says so.
 */
import { finding, type Finding } from '../../pure/log/finding.ts';
import type { Names } from './entries/names.ts';
import type { CheckedPlace } from './entries/checked.ts';
import { PartitionCheck } from './entries/partition-check.ts';
import { timeOfKey, type TimeEntry } from './entries/time-check.ts';
import { decodeOffset, decodeSegment, NO_ENDS, partitionKey, prefixEnd, samePrefix } from '../layout/keyspace.ts';
import type { Segment } from '../../pure/retention/segment.ts';
import type { Snapshot } from '../layout/pages/meta-page.ts';
import { futureSegmentsNote } from './future.ts';
import { endsIn, Look, readNames } from './look.ts';
import { atOneCommit, scan, type PageFile } from './page-file.ts';

export interface Counts {
  topics: number;
  partitions: number;
  batches: number;
  records: number;
  entries: number;
  /** Bytes of the batches. */
  bytes: number;
}
/** Collects the findings and notes. */
export interface Reported {
  readonly counts: Counts;
  /** Sentences about checks that could not be completed. */
  readonly notes: string[];
  readonly report: (finding: Finding) => void;
}

const ATTEMPTS = 3;
/** Rules that a single batch shows, whatever happens to its neighbours. */
const BY_BATCH: ReadonlySet<string> = new Set(['checksum', 'place', 'overlap', 'gap']);

export class LogCheck {
  readonly #file: PageFile;
  readonly #choose: () => Snapshot;
  readonly #reported: Reported;
  #names: Names;
  #current: PartitionCheck | undefined;

  constructor(file: PageFile, choose: () => Snapshot, names: Names, reported: Reported) {
    this.#file = file;
    this.#choose = choose;
    this.#names = names;
    this.#reported = reported;
  }

  /** Includes the records of the unfinished partition. */
  get records(): number {
    return this.#current?.records ?? 0;
  }

  /** Yields often. */
  *run(): Generator<void, void> {
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
      else this.#reported.report(finding('unknown', { table: 'log' }, `a key of ${first.length} bytes`));
      from = first.length === 16 ? prefixEnd(prefix) : Buffer.concat([first, Buffer.alloc(1)]);
    }
    // Partitions that have no batch, and should have one.
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
        // The topic was created or deleted since the names were read: reads them again, at the same commit.
        if (ends === undefined || !this.#names.topics.has(topicId)) this.#names = readNames(look).names;
        return { first: ends, isThere: look.under('log', prefix).next().done !== true };
      });
      const shape = this.#names.topics.get(topicId);
      if (shape === undefined) {
        if (isThere && !this.#names.gone.has(topicId))
          this.#reported.report(finding('owner', { table: 'log', partition }, `batches there belong to topic number ${topicId}, which is not there`));
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
      // The end and the appends up to it, of one commit.
      const last = this.#look((look) => ({
        ends: endsIn(look, prefix),
        rest: [...look.under('log', prefix, after)],
        segments: [...look.sealed('segments', prefix)].map(([key, value]): Segment => decodeSegment(key, value)),
        times: [...look.sealed('times', prefix)].map(([key, value]): TimeEntry => ({ time: timeOfKey(key), base: decodeOffset(value) })),
      }));
      for (const [key, value] of last.rest) check.take(key, value);
      // The first append came between the two looks.
      if (first === undefined && !isThere && last.ends !== undefined && attempt < ATTEMPTS) continue;
      if (first === undefined || last.ends === undefined) {
        // The end is damaged, which is reported already; or the topic is being deleted.
        if (first === undefined && isThere && check.batches.length > 0)
          this.#reported.report(finding('end', { table: 'ends', topic: shape.name, partition }, 'there are batches, and no ends that can be read'));
        for (const one of check.findings) if (one.rule !== 'gap') this.#reported.report(one);
      } else {
        const findings = check.finish(last.ends, last.segments, last.times);
        const isSettled = findings.length === 0 || check.isSettled(last.ends);
        if (!isSettled && attempt < ATTEMPTS) continue;
        if (!isSettled) this.#reported.notes.push(`${shape.name}[${partition}] is being cleaned: its sums, segments and times were not compared`);
        for (const one of findings) if (isSettled || BY_BATCH.has(one.rule)) this.#reported.report(one);
      }
      if (check.uncompared > 0)
        this.#reported.notes.push(`${shape.name}[${partition}] has more keys than fit in memory: ${check.uncompared} records were not checked for duplicates`);
      const ahead = last.ends && futureSegmentsNote(`${shape.name}[${partition}]`, [...last.segments, last.ends.active], Date.now());
      if (ahead !== undefined) this.#reported.notes.push(ahead);
      this.#current = undefined;
      this.#reported.counts.partitions++;
      this.#reported.counts.batches += check.batches.length;
      this.#reported.counts.records += check.records;
      this.#reported.counts.bytes += check.batches.reduce((sum, { bytes }) => sum + bytes, 0);
      return;
    }
  }

  #look<T>(read: (look: Look) => T): T {
    return atOneCommit(this.#choose, (snapshot) => read(new Look(this.#file, snapshot)));
  }
}
