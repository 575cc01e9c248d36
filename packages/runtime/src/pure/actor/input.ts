/** A partition that an actor reads: the fetched batches, and the record at their head. The actor's runner fetches. */
import type { RecordBatch, RecordCursor, TopicPartition } from '@stoplog/core/port';
import type { AnyTopic } from '@stoplog/core/kit';
import { InputRecord } from '../nodes/derived-record.ts';
import type { Emit } from '../nodes/emit.ts';
import type { InFlight } from './in-flight.ts';

export class Input {
  readonly topic: AnyTopic;
  readonly place: TopicPartition;
  readonly emit: Emit;
  /** The group's position, or the position it will have after the commits under way. */
  from: bigint;
  /** Timestamp of the head; undefined when no fetched record is left. */
  headTime: number | undefined;
  /** The batch whose record is the head; without one, the next fetch is from `next`. */
  view: RecordCursor | undefined;
  /** The last fetch was full: there is more. */
  behind = false;
  /** The offset of the next fetch. */
  next: bigint;
  #batches: readonly RecordCursor[] = [];
  #index = 0;

  readonly #calls: InFlight | undefined;

  /** `calls` holds records that were read and not emitted. */
  constructor(topic: AnyTopic, partition: number, from: bigint, emit: Emit, calls?: InFlight) {
    this.topic = topic;
    this.place = { topic: topic.name, partition };
    this.from = from;
    this.next = from;
    this.emit = emit;
    this.#calls = calls;
  }

  /** The offset behind all records that were taken. */
  get at(): bigint {
    return this.view === undefined ? this.next : this.view.offset;
  }
  /** The offset behind all records that were emitted: the lowest unfinished record, or `at`. */
  get reached(): bigint {
    return this.#calls?.lowest(this.topic.name) ?? this.at;
  }
  /** Takes the answer to a fetch at `next` with this limit of bytes. */
  accept(found: Pick<RecordBatch, 'batches' | 'next'>, bytes: number): void {
    const start = this.next;
    this.#batches = found.batches;
    this.#index = 0;
    this.next = found.next;
    this.behind = found.batches.reduce((size, view) => size + view.bytes.length, 0) > bytes / 2;
    this.#open();
    // The first batch may begin before the offset of the fetch.
    while (this.view !== undefined && this.view.offset < start) this.advance();
  }
  head(): InputRecord {
    return new InputRecord(this.view!, this.topic.keySerde, this.topic.valueSerde, this.topic.name);
  }
  /** Moves to the next record; false when the next record is in another batch, or there is none. */
  advance(): boolean {
    const view = this.view!;
    if (view.next()) {
      this.headTime = view.timestamp;
      return true;
    }
    this.#index++;
    this.#open();
    return false;
  }
  #open(): void {
    for (; this.#index < this.#batches.length; this.#index++) {
      const view = this.#batches[this.#index]!;
      if (!view.next()) continue;
      this.view = view;
      this.headTime = view.timestamp;
      return;
    }
    this.view = undefined;
    this.headTime = undefined;
    this.#batches = [];
  }
}
