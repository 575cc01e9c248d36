/**
 * The contents of the log after a simulation, for tests, and for the comparison with a drive without faults.
 */
import { inspect } from 'node:util';
import { type Origin, type Sink, StoplogError, type Store } from '@stoplog/core';
import { type AnyStore, type AnyTopic, encodeSortKey, LazyRecord, openBatch, storeOf, topicOf } from '@stoplog/core/kit';
import type { MemoryDisk } from '@stoplog/core/testing';
import type { Plan } from '../pure/topology/plan.ts';
import { viewOf } from './store-view.ts';
import type { DrivenStore, Driver, SentRecord } from './driver.ts';
import type { MemorySinks } from './memory-sinks.ts';

export class Outcome {
  readonly #plan: Plan;
  readonly #log: MemoryDisk;

  readonly #sinks: MemorySinks;

  constructor(plan: Plan, log: MemoryDisk, sinks: MemorySinks) {
    this.#plan = plan;
    this.#log = log;
    this.#sinks = sinks;
  }

  read<K, V>(face: Origin<K, V>): SentRecord<K, V>[] {
    const { name } = topicOf(face);
    const topic = this.#plan.topics.find((one) => one.name === name);
    if (topic === undefined)
      throw new StoplogError(
        'STOPLOG_TOPIC_UNKNOWN',
        { topic: name, pipeline: this.#plan.name },
        `pipeline '${this.#plan.name}' neither reads nor writes topic '${name}': simulate the pipeline that does`,
      );
    // The declared types of a topic are the types that its serdes decode.
    return this.records(topic).map(({ key, value }) => ({ key, value }) as SentRecord<K, V>);
  }
  store<K, V>(face: Store<K, V>): DrivenStore<K, V> {
    const store = storeOf(face);
    const task = this.#plan.tasks.find(({ stores }) => stores.some(({ name }) => name === store.name));
    if (task === undefined)
      throw new StoplogError(
        'STOPLOG_USAGE',
        { store: store.name, pipeline: this.#plan.name },
        `pipeline '${this.#plan.name}' keeps no store '${store.name}': simulate the pipeline that does`,
      );
    return viewOf<K, V>(
      store,
      Array.from({ length: task.partitions }, (_, partition) => this.#log.part(store.name, partition)),
    );
  }

  written<K, V>(sink: Sink<K, V>): SentRecord<K, V>[] {
    return this.#sinks.records(sink.name).map(({ key, value }) => ({ key, value }) as SentRecord<K, V>);
  }

  /** Describes the first difference from the outcome of a drive. */
  differenceFrom(driven: Driver): string | undefined {
    for (const topic of this.#plan.topics) {
      const [found, expected] = [this.records(topic), driven.records(topic as Origin<unknown, unknown>) as unknown as readonly LazyRecord[]].map((records) =>
        topic.kind === 'compacted' ? latestOf(records) : records.map(textOf).toSorted(),
      );
      const difference = differing(found!, expected!);
      if (difference !== undefined) return `topic '${topic.name}' ${difference}`;
    }
    for (const node of this.#plan.nodes) {
      if (node.writes?.kind !== 'sink') continue;
      // A sink of a table gets the latest change of each commit, and the cuts between commits are random.
      const text = node.inputs[0]?.yields === 'changes' ? latestEntries : entryTexts;
      const sink = node.writes as Sink<unknown, unknown>;
      const difference = differing(text(this.written(sink)), text(driven.written(sink)));
      if (difference !== undefined) return `sink '${sink.name}' ${difference}`;
    }
    for (const { store } of this.#plan.tasks.flatMap(({ stores }) => stores)) {
      if (store === undefined) continue;
      const face = store as unknown as Store<unknown, unknown>;
      const difference = differing(entriesOf(store, this.store(face)), entriesOf(store, driven.store(face)));
      if (difference !== undefined) return `store '${store.name}' ${difference}`;
    }
    return undefined;
  }

  /** The records of a topic, partition by partition, in order. */
  records({ name, keySerde, valueSerde }: AnyTopic): readonly LazyRecord[] {
    return this.#log.topic(name).partitions.flatMap(({ batches }) =>
      batches.flatMap(({ bytes }) => {
        const view = openBatch(bytes);
        const records: LazyRecord[] = [];
        while (view.next()) records.push(new LazyRecord(view, keySerde, valueSerde, name));
        return records;
      }),
    );
  }
}

const bytesText = (bytes: Uint8Array | null): string =>
  bytes === null ? 'null' : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
const textOf = ({ keyBytes, valueBytes }: LazyRecord): string => `${bytesText(keyBytes)} = ${bytesText(valueBytes)}`;

const entryText = ({ key, value }: SentRecord<unknown, unknown>): string => `${inspect(key)} = ${inspect(value, { depth: null })}`;
const entryTexts = (records: readonly SentRecord<unknown, unknown>[]): readonly string[] => records.map(entryText).toSorted();
const latestEntries = (records: readonly SentRecord<unknown, unknown>[]): readonly string[] => {
  const latest = new Map(records.map((record) => [inspect(record.key), record]));
  return entryTexts([...latest.values()].filter(({ value }) => value !== null));
};

/** The last value of each key, without deleted keys. */
const latestOf = (records: readonly LazyRecord[]): readonly string[] => {
  const latest = new Map<string, string | undefined>();
  for (const record of records) latest.set(bytesText(record.keyBytes), record.valueBytes === null ? undefined : textOf(record));
  return [...latest.values()].filter((text) => text !== undefined).toSorted();
};
const entriesOf = ({ valueSerde }: AnyStore, store: DrivenStore<unknown, unknown>): readonly string[] =>
  store
    .range()
    .map(([key, value]) => {
      const encoded = valueSerde.encode(value);
      return `${bytesText(encodeSortKey(key)).slice(1)} = ${typeof encoded === 'string' ? encoded : bytesText(encoded)}`;
    })
    .toSorted();

const differing = (found: readonly string[], expected: readonly string[]): string | undefined => {
  const at = expected.findIndex((text, i) => found[i] !== text);
  if (at < 0 && found.length === expected.length) return undefined;
  return `holds ${found.length} where an undisturbed drive has ${expected.length}; the first that differs is ${found.at(at) ?? 'nothing'} instead of ${expected[at] ?? 'nothing'}`;
};
