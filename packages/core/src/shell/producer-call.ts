/**
 * An append of a producer, as far as it got, and the same records when they come again.
 *
 * What was sent is a beginning of the records: each commit takes all that came until then, and none is taken after one that
 * was refused. So when they come again, as many as were sent are known, in this order, and all after them are new.
 */
import type { Append } from '../port/log.ts';
import { openBatch, type BatchView } from '../pure/record/batch.ts';
import type { Encoded } from '../pure/schema/codec.ts';
import type { PackedBatch } from '../pure/topic/packer.ts';
import type { AnyTopic } from '../pure/topic/topic.ts';

/** A commit that was sent: its batches with their numbers. */
export interface Sent {
  readonly appends: readonly (PackedBatch & Append)[];
  /** The log has answered for it. */
  done: boolean;
}
/** An append, as far as it got. */
export interface Call {
  readonly topic: AnyTopic;
  /** Where records without a key began. */
  readonly first: number;
  /** How many records were sent. */
  sent: number;
  /** How many of each partition are acknowledged. */
  readonly acknowledged: Map<number, number>;
  /** What is sent and not acknowledged, in its order. */
  readonly open: Sent[];
}

/** Compares records that come again with those that were sent. */
export class Repeat {
  readonly #acknowledged: Map<number, number>;
  readonly #open = new Map<number, BatchView[]>();
  #left: number;

  constructor({ sent, acknowledged, open }: Call) {
    this.#left = sent;
    this.#acknowledged = new Map(acknowledged);
    for (const { appends } of open)
      for (const { partition, batch } of appends) {
        const views = this.#open.get(partition);
        if (views === undefined) this.#open.set(partition, [openBatch(batch)]);
        else views.push(openBatch(batch));
      }
  }
  /** True when everything that was sent has come again. */
  get isOver(): boolean {
    return this.#left === 0;
  }
  /** Takes the record that comes next; false when it is not the one that was sent. */
  takes(partition: number, key: Encoded | null, value: Encoded | null): boolean {
    this.#left--;
    const acknowledged = this.#acknowledged.get(partition) ?? 0;
    if (acknowledged > 0) {
      // Of these its caller was told. What is compared is what nobody knew of.
      this.#acknowledged.set(partition, acknowledged - 1);
      return true;
    }
    const views = this.#open.get(partition);
    while (views !== undefined && views.length > 0) {
      const view = views[0]!;
      if (view.next()) return same(view.key(), key) && same(view.value(), value);
      views.shift();
    }
    return false;
  }
}

const same = (sent: Uint8Array | null, again: Encoded | null): boolean => {
  if (sent === null || again === null) return sent === again;
  return Buffer.compare(sent, typeof again === 'string' ? Buffer.from(again) : again) === 0;
};
