/**
 * Copies the records of a topic into a topic with another number of partitions, and keeps the order of each key.
 *
 * A key is in one partition, and each partition is copied in order, so the records of a key keep their order. Bytes are copied
 * unchanged: keys, values, timestamps, headers, tombstones. The progress is the position of a consumer group, and is committed
 * with the appends: a copy that is killed at any time resumes after the last copied record, and no record is copied twice.
 */
import { randomUUID } from 'node:crypto';
import type { Log, Position, RecordBatch, TopicShape } from '@stoplog/core/port';
import { RecordPacker } from '@stoplog/core/kit';

export interface CopyParts {
  readonly log: Log;
  readonly from: TopicShape;
  readonly to: TopicShape;
  readonly group: string;
  /** When it is aborted, the copy ends after a whole commit. */
  readonly signal: AbortSignal;
  readonly progress: (progress: CopyProgress) => void;
}
export interface CopyProgress {
  /** Records appended by this run. */
  readonly copied: number;
  /** The copied offsets of the old topic, and the total. */
  readonly passed: number;
  readonly total: number;
}

const FETCH_BYTES = 1024 * 1024;

/** Copies up to the ends as of the start; true if the copy reached them. */
export const copyTopic = async (parts: CopyParts): Promise<boolean> => {
  const { log, from, group, signal } = parts;
  const places = Array.from({ length: from.partitions }, (_, partition) => ({ topic: from.name, partition }));
  const leaving = new AbortController();
  const leave = (): void => leaving.abort();
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  let whole = false;
  try {
    // All partitions are one unit, so that one process decides their order.
    for await (const { partitions } of log.join(group, { units: [places] }, leaving.signal)) {
      const [holding] = partitions;
      if (holding === undefined) continue; // Another process copies: this one resumes when that one has ended.
      whole = await new Copy(parts, holding.epoch).run(places.map(({ partition }) => partition));
      leave();
    }
  } finally {
    signal.removeEventListener('abort', leave);
  }
  return whole;
};

/** One partition of the old topic while it is copied. */
interface Source {
  /** The position of the group; records that retention has deleted are skipped. */
  stands: Position;
  readonly start: bigint;
  readonly end: bigint;
}

class Copy {
  readonly #parts: CopyParts;
  readonly #epoch: number;
  readonly #incarnation = randomUUID();
  readonly #packer: RecordPacker;
  #copied = 0;
  /** The previous commit: the next one is prepared while this one is flushed. */
  #underWay: Promise<unknown> = Promise.resolve();

  constructor(parts: CopyParts, epoch: number) {
    this.#parts = parts;
    this.#epoch = epoch;
    this.#packer = new RecordPacker(parts.to.name, parts.to.partitions);
  }

  async run(partitions: readonly number[]): Promise<boolean> {
    const { log, from, group, signal } = this.#parts;
    const places = partitions.map((partition) => ({ topic: from.name, partition }));
    const [stands, starts, ends] = [await log.committed(group, places), await log.offsets(places, 'earliest'), await log.offsets(places, 'latest')];
    const sources = stands.map((position, i): Source => ({ stands: position, start: starts[i]!.offset, end: ends[i]!.offset }));
    // In turns, so that records appended at the same time stay close together.
    for (let left = sources; left.length > 0; left = left.filter(isLeft)) {
      for (const source of left) {
        if (!isLeft(source)) continue;
        if (signal.aborted) {
          await this.#underWay;
          return false;
        }
        await this.#step(source);
        this.#report(sources);
      }
    }
    await this.#underWay;
    return true;
  }

  async #step(source: Source): Promise<void> {
    const { log, group } = this.#parts;
    const { stands, start, end } = source;
    const offset = stands.offset < start ? start : stands.offset;
    const found = await log.fetch({ ...stands, offset }, { bytes: FETCH_BYTES, waitMs: 0 }, never);
    const records = this.#pack(found, end);
    const next = found.next > end ? end : found.next;
    await this.#underWay;
    this.#copied += records;
    this.#underWay = log.commit({
      group,
      epoch: this.#epoch,
      incarnation: this.#incarnation,
      appends: this.#packer.take(),
      stores: [],
      positions: [{ topic: stands.topic, partition: stands.partition, from: stands.offset, to: next }],
    });
    // The error of the commit is handled one step later, where the promise is awaited.
    this.#underWay.catch(() => {});
    source.stands = { ...stands, offset: next };
  }
  #pack({ batches, from }: RecordBatch, end: bigint): number {
    let records = 0;
    for (const view of batches) {
      if (view.baseOffset >= end) break;
      while (view.next()) {
        if (view.offset < from || view.offset >= end) continue;
        this.#packer.add(view.key(), view.value(), view.timestamp, view.headers());
        records++;
      }
    }
    return records;
  }
  #report(sources: readonly Source[]): void {
    const passed = sources.reduce((sum, { stands, start }) => sum + Math.max(0, Number(stands.offset - start)), 0);
    const total = sources.reduce((sum, { start, end }) => sum + Number(end - start), 0);
    this.#parts.progress({ copied: this.#copied, passed, total });
  }
}

const isLeft = ({ stands, end }: Source): boolean => stands.offset < end;
const never: AbortSignal = new AbortController().signal;
