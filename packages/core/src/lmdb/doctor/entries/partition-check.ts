/**
 * The rules of one partition, batch by batch in the order of their keys, and then its ends, segments and times against them.
 *
 * Batches are adjacent from the start to the end (empty ones too), so that a missing one shows; each has its checksums and
 * its own place. While other processes write, the caller decides about the findings: `isSettled` is true when only appends
 * happened between the two reads of the ends.
 */
import { isStoplogError } from '../../../pure/errors.ts';
import { KeyOffsets } from '../../../pure/retention/key-offsets.ts';
import { offsetOfBatchKey, type Ends } from '../../layout/keyspace.ts';
import type { Segment } from '../../../pure/retention/segment.ts';
import { checkBatchShape, type BatchView } from '../../../pure/record/batch.ts';
import { finding, type Finding, type Places, type Rule } from '../../../pure/log/finding.ts';
import type { CheckedBatch, CheckedPlace } from './checked.ts';
import { checkSegments } from './segment-check.ts';
import { checkTimes, type TimeEntry } from './time-check.ts';

export class PartitionCheck {
  readonly place: CheckedPlace;
  readonly findings: Finding[] = [];
  readonly batches: CheckedBatch[] = [];
  records = 0;
  /** The bytes of batches that were appended after the first read. */
  appended = 0;
  /** Keys below cleanTo for which there was no memory. */
  uncompared = 0;
  readonly #first: Ends;
  /** The offset at which the next batch should begin; undefined after a batch that could not be read. */
  #next: bigint | undefined;
  /** A batch that could not be read: the next one shows how far it reached. */
  #damaged: { readonly base: bigint; readonly rule: Rule; readonly what: string } | undefined;
  readonly #keys: KeyOffsets | undefined;

  constructor(place: CheckedPlace, first: Ends, maxSlots?: number) {
    this.place = place;
    this.#first = first;
    this.#keys = place.compacts && first.cleanTo > first.start ? new KeyOffsets([0x5eed, 0xbead], maxSlots) : undefined;
  }

  /** Checks the next entry of the log; the key is the partition's. */
  take(key: Uint8Array, value: Uint8Array): void {
    const base = offsetOfBatchKey(Buffer.from(key.buffer, key.byteOffset, key.byteLength));
    let view: BatchView | undefined;
    let damage: { readonly rule: Rule; readonly what: string } | undefined;
    try {
      view = checkBatchShape(value);
    } catch (error) {
      if (!isStoplogError(error)) throw error;
      damage = { rule: 'checksum', what: String(error.facts['reason'] ?? error.message) };
    }
    if (view !== undefined && (view.baseOffset !== base || view.topicId !== this.place.topicId || view.partition !== this.place.partition)) {
      damage = { rule: 'place', what: `the batch there is that of topic number ${view.topicId}[${view.partition}] offset ${view.baseOffset}` };
      view = undefined;
    }
    this.#closeDamage(base);
    const expected = this.#next ?? (this.batches.length === 0 ? this.#first.start : base);
    if (base > expected) this.#gap(expected, base);
    if (this.#next !== undefined && base < this.#next) this.#report('overlap', { offset: base }, `it begins before the batch before it ends, at ${this.#next}`);
    this.batches.push({ base, bytes: value.length, maxTimestamp: view?.maxTimestamp ?? -Infinity });
    if (base >= this.#first.end) this.appended += value.length;
    if (view === undefined) {
      this.#next = undefined;
      this.#damaged = { base, ...damage! };
      return;
    }
    this.#next = view.nextOffset;
    this.records += view.count;
    if (this.#keys !== undefined && base < this.#first.cleanTo) this.#takeKeys(view, this.#keys);
  }

  /** True when appends alone explain every finding. */
  isSettled(last: Ends): boolean {
    const { start, cleanTo, bytes } = this.#first;
    return last.start === start && last.cleanTo === cleanTo && last.bytes - bytes === this.appended;
  }

  /** Compares the batches with the ends, segments and times as they are after the last batch. */
  finish(last: Ends, segments: readonly Segment[], times: readonly TimeEntry[]): readonly Finding[] {
    const { place, batches } = this;
    this.#closeDamage(last.end);
    const reached = this.#next ?? (batches.length === 0 ? last.start : last.end);
    if (reached < last.end) this.#gap(reached, last.end);
    if (reached > last.end)
      this.#report(
        'end',
        { offset: reached },
        `its batches reach to ${reached}, and its end is ${last.end}: the next append would get an offset that was used`,
      );
    if (last.start > last.end) this.#report('end', { offset: last.start }, `it starts at ${last.start} and ends at ${last.end}`);
    if (last.cleanTo > last.end) this.#report('compaction', { offset: last.cleanTo }, `it is said to be compacted up to ${last.cleanTo}, behind its end`);
    const bytes = batches.reduce((sum, batch) => sum + batch.bytes, 0);
    if (bytes !== last.bytes) this.#report('bytes', {}, `its batches have ${bytes} bytes, and its ends say ${last.bytes}`);
    this.findings.push(...checkSegments(place, last, segments, batches), ...checkTimes(place, last, times, batches));
    // Batches that were trimmed meanwhile are not missing.
    return this.findings.filter(({ rule, until }) => rule !== 'gap' || until === undefined || until > last.start);
  }

  #takeKeys(view: BatchView, keys: KeyOffsets): void {
    const { start, cleanTo } = this.#first;
    const isBelow = view.nextOffset <= cleanTo;
    let tombstones = 0;
    view.rewind();
    while (view.next()) {
      const { offset } = view;
      if (offset < start || offset >= cleanTo) continue;
      if (view.keyStart < 0) {
        this.#report('compaction', { offset }, 'a record without a key is in the compacted part');
        continue;
      }
      if (view.valueStart < 0) tombstones++;
      const before = keys.get(view.bytes, view.keyStart, view.keyEnd);
      if (before >= 0)
        this.#report(
          'compaction',
          { offset },
          `its key is there at offset ${start + BigInt(before)} too, and both are below ${cleanTo}, where each key is once`,
        );
      else if (!keys.put(view.bytes, view.keyStart, view.keyEnd, Number(offset - start))) this.uncompared++;
    }
    if (isBelow && tombstones > 0 && view.deleteHorizon === undefined)
      this.#report('compaction', { offset: view.baseOffset }, `it keeps ${tombstones} tombstones for which no cleaning has set a delete horizon`);
  }
  #closeDamage(until: bigint): void {
    const damaged = this.#damaged;
    this.#damaged = undefined;
    if (damaged !== undefined) this.#report(damaged.rule, { offset: damaged.base, ...(until > damaged.base ? { until } : {}) }, damaged.what);
  }
  #gap(from: bigint, until: bigint): void {
    const offset = from < this.#first.start ? this.#first.start : from;
    if (until > offset) this.#report('gap', { offset, until }, 'no batch is there');
  }
  #report(rule: Rule, places: Places, what: string): void {
    const { topic, partition } = this.place;
    this.findings.push(finding(rule, { table: 'log', topic, partition, ...places }, what));
  }
}
