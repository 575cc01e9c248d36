/**
 * Stores: each part is a partition of a compacted changelog, restored into memory when it is opened.
 *
 * The owner of a partition opens its part. Opened again, the part resumes where its changelog was read to, which adds the commits of
 * another owner. A commit of this log is put into the part when it is done.
 */
import { StoplogError } from '@stoplog/core';
import type { StateStore, StorePart, StoreWrites } from '@stoplog/core/port';
import type { KafkaMessage } from '../client.ts';
import { Part } from './pure/part.ts';
import type { Reading } from './reading.ts';
import type { Topics } from './topics.ts';

interface OpenPart {
  readonly part: Part;
  readonly changelog: string;
  next: bigint;
}

export class Stores {
  readonly #topics: Topics;
  readonly #reading: Reading;
  readonly #parts = new Map<string, OpenPart>();
  readonly #changelogs = new Map<string, string>();

  constructor(topics: Topics, reading: Reading) {
    this.#topics = topics;
    this.#reading = reading;
  }

  async open(part: StorePart): Promise<StateStore> {
    const { kafka } = await this.#topics.ensureStore(part);
    this.#changelogs.set(part.store, kafka);
    const name = partName(part);
    let open = this.#parts.get(name);
    if (open === undefined) this.#parts.set(name, (open = { part: new Part(), changelog: kafka, next: 0n }));
    const { next } = open;
    for await (const { key, value } of this.#reading.records(kafka, part.partition, next, (reached) => (open.next = reached))) open.part.put(key!, value);
    return open.part;
  }

  /** The writes as records of the changelog. */
  async messages({ store, partition, keys, values }: StoreWrites): Promise<readonly KafkaMessage[]> {
    const topic = this.#changelogs.get(store);
    if (topic === undefined)
      throw new StoplogError('STOPLOG_USAGE', { store: store }, `store '${store}' was not opened in this log: call store(part) before committing to it`);
    await this.#topics.ensureChangelog(topic, partition);
    const timestamp = BigInt(Date.now());
    return keys.map((key, i) => {
      const value = values[i] ?? null;
      return { topic, partition, key: Buffer.from(key), value: value === null ? null : Buffer.from(value), timestamp, headers: new Map<Buffer, Buffer>() };
    });
  }
  /** Puts committed writes into the open part. */
  committed({ store, partition, keys, values }: StoreWrites): void {
    const open = this.#parts.get(partName({ store, partition }));
    if (open !== undefined) keys.forEach((key, i) => open.part.put(key, values[i] ?? null));
  }
}

const partName = ({ store, partition }: { readonly store: string; readonly partition: number }): string => `${store} ${partition}`;
