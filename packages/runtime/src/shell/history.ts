/**
 * The history of a key: the records that made the value of the key in a store, out of the topics that feed the store.
 *
 * The hash of the key names the one partition that holds them. That partition is read from its start to the pipeline's position, so the
 * history explains the value as of the last commit. Keys are compared as bytes, and only the records of the key are decoded.
 */
import { type LogRecord, partitionOf, StoplogError } from '@stoplog/core';
import type { Log, RecordBatch } from '@stoplog/core/port';
import { type AnyTopic, checkSettings, compareBytes, encodeKey, type Known, LazyRecord } from '@stoplog/core/kit';
import { cleanupOf } from '@stoplog/core/tools';
import { ancestryOf } from '../pure/topology/ancestry.ts';
import type { Plan, TaskInput } from '../pure/topology/plan.ts';
import { batchesBefore } from './batches-before.ts';

export interface HistoryOptions {
  /** Only that many records, the last ones; all when left out. */
  readonly limit?: number;
  /** Ends the reading, without an error. */
  readonly signal?: AbortSignal;
}
const KNOWN: Known<HistoryOptions> = { limit: true, signal: true };

/** A partition in which the records of a key are looked for. */
export interface HistoryInput {
  readonly topic: string;
  readonly role: TaskInput['role'];
  readonly partition: number;
  /** The first offset that is kept; the records before it are gone. */
  readonly start: bigint;
  /** The pipeline's position: later records have not reached the store yet. */
  readonly position: bigint;
  readonly end: bigint;
  /** Compaction may have removed earlier records of the key. */
  readonly isCompacted: boolean;
}
export interface KeyHistory {
  /** Empty if no record of the topics can have this key: `process` may store any key. */
  readonly inputs: readonly HistoryInput[];
  /** In the order in which the task reads them: by offset in a topic, by timestamp between topics. */
  readonly records: AsyncIterable<LazyRecord>;
}
export interface HistoryReading extends HistoryOptions {
  /** Called with the offsets passed, of all. */
  readonly progress?: (done: number, total: number) => void;
}

const NEVER = new AbortController().signal;

/** Finds the partitions that hold the history of a key; their records are read as they are asked for. */
export const readHistory = async (log: Log, plan: Plan, store: string, key: unknown, options: HistoryReading = {}): Promise<KeyHistory> => {
  const { task, inputs } = ancestryOf(plan, store);
  const sought = inputs.flatMap((input) => {
    const bytes = keyBytes(input.topic, key);
    return bytes === undefined ? [] : [{ ...input, bytes, place: { topic: input.topic.name, partition: partitionOf(bytes, task.partitions) } }];
  });
  const places = sought.map(({ place }) => place);
  const [positions, starts, ends] = [await log.committed(plan.name, places), await log.offsets(places, 'earliest'), await log.offsets(places, 'latest')];
  const found = sought.map(({ topic, role, place }, i): HistoryInput => {
    const [start, end] = [starts[i]!.offset, ends[i]!.offset];
    const position = positions[i]!.offset;
    return { ...place, role, start, end, position: position < start ? start : position, isCompacted: cleanupOf(topic.shape).compacts };
  });
  return { inputs: found, records: lastOf(merged(), options.limit ?? Infinity) };

  async function* merged(): AsyncGenerator<LazyRecord, void> {
    const total = found.reduce((sum, { start, position }) => sum + Number(position - start), 0);
    let done = 0;
    const passed = (batch: RecordBatch): void => options.progress?.((done += Number(batch.next - batch.from)), total);
    const readers = sought.map(({ topic, bytes }, i) => recordsOf(log, topic, found[i]!, bytes, options.signal ?? NEVER, passed));
    const heads = await Promise.all(readers.map((reader) => reader.next()));
    for (;;) {
      let first: number | undefined;
      heads.forEach(({ value }, i) => {
        if (value !== undefined && (first === undefined || value.timestamp < heads[first]!.value!.timestamp)) first = i;
      });
      if (first === undefined) return;
      yield heads[first]!.value!;
      heads[first] = await readers[first]!.next();
    }
  }
};

/** The history as records, for programs; refuses wrong options at once. */
export const historyOf = <K>(log: Log, plan: Plan, store: string, key: K, options: HistoryOptions): AsyncIterable<LogRecord<K, unknown>> => {
  checkSettings(`the history of store '${store}'`, options, KNOWN);
  const { limit } = options;
  if (limit !== undefined && !(Number.isSafeInteger(limit) && limit > 0))
    throw new StoplogError(
      'STOPLOG_USAGE',
      { store, limit },
      `the history of store '${store}' cannot be limited to ${String(limit)} records: give a whole number from 1 on`,
    );
  return read();

  async function* read(): AsyncGenerator<LogRecord<K, unknown>, void> {
    const { records } = await readHistory(log, plan, store, key, options);
    // The key of the store is the key of these records.
    for await (const record of records) yield record as LogRecord<unknown, unknown> as LogRecord<K, unknown>;
  }
};

async function* recordsOf(
  log: Log,
  { name, keySerde, valueSerde }: AnyTopic,
  { topic, partition, start, position }: HistoryInput,
  wanted: Uint8Array,
  signal: AbortSignal,
  passed: (batch: RecordBatch) => void,
): AsyncGenerator<LazyRecord, undefined> {
  for await (const batch of batchesBefore(log, { topic, partition, offset: start }, position, signal)) {
    for (const view of batch.batches)
      while (view.next()) {
        const key = view.key();
        if (key !== null && key.length === wanted.length && compareBytes(key, wanted) === 0 && view.offset >= batch.from && view.offset < position)
          yield new LazyRecord(view, keySerde, valueSerde, name);
      }
    passed(batch);
  }
}

async function* lastOf<T>(all: AsyncIterable<T>, limit: number): AsyncGenerator<T, void> {
  if (limit === Infinity) return yield* all;
  const last: T[] = [];
  for await (const one of all) {
    last.push(one);
    if (last.length > limit) last.shift();
  }
  yield* last;
}

/** Undefined for a key that `process` has made, and no record of the topic can have. */
const keyBytes = (topic: AnyTopic, key: unknown): Uint8Array | undefined => {
  try {
    const encoded = encodeKey(topic, key);
    return encoded === null ? undefined : Buffer.from(encoded as string);
  } catch {
    return undefined;
  }
};
