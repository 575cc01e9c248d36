/**
 * A partition of the new folder: batches are written as they are read, missing ones are looked for among the leaked pages,
 * and offsets that stay missing become empty batches, as compaction leaves them.
 */
import type { RepairedPartition } from '../../port/inspection.ts';
import { fitting, gapsIn, rebuild, type Piece } from './entries/rebuild.ts';
import { batchKey, encodeEnds, encodeOffset, encodeSegment, NO_ENDS, partitionKey, timeKey, type Ends } from '../layout/keyspace.ts';
import type { Segment } from '../../pure/retention/segment.ts';
import { BatchBuilder, stampBatch, type BatchView } from '../../pure/record/batch.ts';
import type { RepairTarget } from './repair-target.ts';

interface Candidate extends Piece {
  readonly view: BatchView;
}

/** More offsets than any gap in a batch may have. */
const MOST_OFFSETS = 2n ** 31n;

export class PartitionRepair {
  readonly #pieces: Piece[] = [];
  readonly #candidates: Candidate[] = [];
  readonly #topicId: number;
  readonly #partition: number;
  readonly #known: Ends | undefined;
  /** No later ends can have existed. */
  readonly #isLatest: boolean;
  #next = 0n;
  /** The highest offset that any entry says was assigned, plus one. */
  #reached = 0n;
  #guess: Ends | undefined;

  constructor(topicId: number, partition: number, known: Ends | undefined, isLatest: boolean) {
    this.#topicId = topicId;
    this.#partition = partition;
    this.#known = known;
    this.#isLatest = isLatest;
  }

  /** An entry says that the partition has reached this offset. */
  reach(offset: bigint, ends?: Ends): void {
    if (ends !== undefined && (this.#guess === undefined || ends.end > this.#guess.end)) this.#guess = ends;
    if (offset > this.#reached) this.#reached = offset;
  }
  /** A batch that a tree leads to. */
  take(view: BatchView, target: RepairTarget): void {
    const piece = pieceOf(view);
    if (this.#known !== undefined && (piece.next <= this.#known.start || piece.base >= this.#known.end)) return;
    this.reach(piece.next);
    if (piece.base < this.#next) return void this.#candidates.push({ ...piece, view });
    this.#next = piece.next;
    this.#write(piece, view, target);
  }
  /** A batch on a leaked page. */
  offer(view: BatchView): void {
    const piece = pieceOf(view);
    if (this.#known === undefined) this.reach(piece.next);
    this.#candidates.push({ ...piece, view });
  }

  /** `hidden` is the number of bytes of the file that could not be read; a record takes at least one. */
  finish(topic: string, segments: readonly Segment[], hidden: number, target: RepairTarget): RepairedPartition {
    const known = this.#endsNow();
    const endIsKnown = this.#known !== undefined && this.#isLatest;
    const ends = endIsKnown ? known : { ...known, end: known.end + BigInt(hidden) };
    const { start } = ends;
    const { end } = known;
    const foundAgain = fitting(this.#candidates, gapsIn(this.#pieces, start, end), start);
    for (const { view, ...piece } of foundAgain) this.#write(piece, view, target);
    this.#sort();
    const lost = gapsIn(this.#pieces, start, end);
    const [batches, records] = [this.#pieces.length, this.#pieces.reduce((sum, { count }) => sum + count, 0)];
    for (const { offset, until } of gapsIn(this.#pieces, start, ends.end)) for (let at = offset; at < until; at = this.#fill(at, until, target));
    this.#sort();
    const [topicId, partition] = [this.#topicId, this.#partition];
    const rebuilt = rebuild(this.#pieces, ends, segments);
    for (const segment of rebuilt.segments) target.put('segments', batchKey(topicId, partition, segment.base), encodeSegment(segment));
    for (const { time, base } of rebuilt.times) target.put('times', timeKey(topicId, partition, time), encodeOffset(base));
    target.put('ends', partitionKey(topicId, partition), encodeEnds(rebuilt.ends));
    return {
      topic,
      partition,
      start,
      end: ends.end,
      endIsKnown,
      ...(endIsKnown ? {} : { reached: end }),
      batches,
      records,
      foundAgain: foundAgain.length,
      lost,
    };
  }

  #endsNow(): Ends {
    const known = this.#known;
    if (known !== undefined) return { ...known, end: !this.#isLatest && this.#reached > known.end ? this.#reached : known.end };
    // The start is lost too: every offset from the beginning on counts as lost.
    const start = this.#guess?.start ?? 0n;
    // The partition will be compacted again, since it is unknown how far it was.
    return { ...NO_ENDS, start, end: this.#reached > start ? this.#reached : start };
  }
  #write(piece: Piece, view: BatchView, target: RepairTarget): void {
    target.putBatch(batchKey(this.#topicId, this.#partition, piece.base), view.bytes);
    this.#pieces.push(piece);
  }
  #fill(offset: bigint, until: bigint, target: RepairTarget): bigint {
    const next = until - offset > MOST_OFFSETS ? offset + MOST_OFFSETS : until;
    const bytes = new BatchBuilder().finish(Number(next - offset) - 1);
    stampBatch(bytes, { topicId: this.#topicId, partition: this.#partition, baseOffset: offset });
    target.putBatch(batchKey(this.#topicId, this.#partition, offset), bytes);
    this.#pieces.push({ base: offset, next, bytes: bytes.length, count: 0, baseTimestamp: 0, maxTimestamp: -Infinity });
    return next;
  }
  #sort(): void {
    this.#pieces.sort((a, b) => (a.base < b.base ? -1 : a.base > b.base ? 1 : 0));
  }
}

const pieceOf = (view: BatchView): Piece => ({
  base: view.baseOffset,
  next: view.nextOffset,
  bytes: view.bytes.length,
  count: view.count,
  baseTimestamp: view.baseTimestamp,
  maxTimestamp: view.maxTimestamp,
});
