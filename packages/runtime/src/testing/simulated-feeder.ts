/**
 * The producer of the inputs: appends them in pieces, continues when they are visible, and appends records again that a power cut
 * lost. Records that were reported as durable are not checked again.
 */
import type { Commit } from '@stoplog/core/port';
import { type AnyTopic, encodeKey, encodeValue, parseKey, parseValue, RecordPacker } from '@stoplog/core/kit';
import type { MemoryDisk, Receipt } from '@stoplog/core/testing';
import type { Chance } from './chance.ts';

export interface FedRecord {
  readonly key: unknown;
  readonly value: unknown;
  readonly timestamp: number;
}
export interface Feed {
  readonly topic: AnyTopic;
  readonly records: readonly FedRecord[];
  /** Whether the input waits until all earlier inputs have been processed. */
  readonly waits: boolean;
}

interface Lane {
  readonly topic: AnyTopic;
  readonly packer: RecordPacker;
  readonly phase: number;
  todo: readonly FedRecord[];
  doubtful: { readonly records: readonly FedRecord[]; readonly receipt: Receipt }[];
}

export class SimulatedFeeder {
  readonly #lanes: readonly Lane[];
  readonly #log: MemoryDisk;
  #phase = 0;

  constructor(feeds: readonly Feed[], log: MemoryDisk) {
    this.#log = log;
    let phase = 0;
    this.#lanes = feeds.map(({ topic, records, waits }) => ({
      topic,
      packer: new RecordPacker(topic.name, topic.partitions),
      phase: waits ? ++phase : phase,
      todo: records,
      doubtful: [],
    }));
  }

  /** Whether all records were appended. */
  get isDone(): boolean {
    return this.#lanes.every(({ todo }) => todo.length === 0);
  }
  /** Whether all due records are sent, and the next input waits until they are processed. */
  get waits(): boolean {
    return !this.isDone && this.#due.length === 0;
  }
  goOn(): void {
    this.#phase++;
  }
  get canFeed(): boolean {
    return this.#due.length > 0;
  }
  /** Appends a piece; returns the number of its records. */
  feed(chance: Chance, chunk: number): number {
    const lane = chance.pick(this.#due);
    const records = lane.todo.slice(0, chance.between(1, chunk));
    lane.todo = lane.todo.slice(records.length);
    for (const { key, value, timestamp } of records)
      lane.packer.add(encodeKey(lane.topic, parseKey(lane.topic, key)), encodeValue(lane.topic, parseValue(lane.topic, value)), timestamp);
    const commit: Commit = { group: '', epoch: 0, appends: lane.packer.take(), stores: [], positions: [] };
    lane.doubtful = [...lane.doubtful.filter(({ receipt }) => !receipt.durable), { records, receipt: this.#log.commit(commit) }];
    return records.length;
  }
  /** After a power cut: queues the lost records again. */
  lookAgain(): void {
    for (const lane of this.#lanes) {
      lane.todo = [...lane.doubtful.filter(({ receipt }) => receipt.lost && !receipt.durable).flatMap(({ records }) => records), ...lane.todo];
      lane.doubtful = lane.doubtful.filter(({ receipt }) => !receipt.lost);
    }
  }
  get #due(): readonly Lane[] {
    return this.#lanes.filter(({ phase, todo }) => phase <= this.#phase && todo.length > 0);
  }
}
