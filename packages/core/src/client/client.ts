/**
 * A LogClient over any Log: appends and reads for programs that are not pipelines. Writing parses records, reading trusts
 * them.
 */
import { randomUUID } from 'node:crypto';
import type { Log, OffsetAt, Position, RecordBatch, TopicPartition } from '../port/log.ts';
import type { NumberedLog } from '../port/numbered-log.ts';
import { StoplogError } from '../pure/errors.ts';
import type { Reset } from '../pure/record/auto-offset-reset.ts';
import { LazyRecord, type LogRecord } from '../pure/record/record.ts';
import { onAbort } from '../pure/on-abort.ts';
import { checkSettings, type Known } from '../pure/settings.ts';
import { topicOf, type AnyTopic, type DeclaredTopic, type Origin, type Parses } from '../pure/topic/topic.ts';
import {
  appendAll,
  checkAppendOptions,
  type Appended,
  type AppendOptions,
  type NewRecord,
  type NewRecords,
  type NumberedAppendOptions,
  type Sender,
} from './appending.ts';
import { Arrived } from './arrived.ts';
import { Calls } from './calls.ts';
import { Credit, type Pressure } from './credit.ts';
import { endable } from './endable.ts';
import { fetchOrReset } from './fetch-or-reset.ts';
import { readLag, type PartitionLag } from './lag.ts';
import { numberedLog } from './numbered.ts';
import { LogProducer, type Flow, type Producer } from './producer.ts';

export interface ReadOptions {
  /**
   * Where reading starts: at the first kept record, at the end, at a time (ms since 1970, or a Date), or at an offset for
   * each partition.
   */
  readonly from: 'earliest' | 'latest' | { readonly time: number | Date } | { readonly offsets: readonly bigint[] };
  /**
   * The auto offset reset: where reading resumes when retention has dropped the next record. 'earliest', 'latest', `{ ago:
   * hours(1) }`, or 'fail', which throws `STOPLOG_OFFSET_OUT_OF_RANGE` with the range. The default is 'earliest' when reading
   * from the earliest, else 'fail'.
   */
  readonly reset?: Reset;
  /**
   * Where reading stops: 'end' is the end when reading begins, a time is the first record that reaches it (or the end if none
   * does), an offset for each partition is exclusive. By default reading never stops.
   */
  readonly until?: 'end' | { readonly time: number | Date } | { readonly offsets: readonly bigint[] };
  /** Reads these partitions only. */
  readonly partitions?: readonly number[];
  readonly signal?: AbortSignal;
}
const KNOWN: Known<ReadOptions> = { from: true, reset: true, until: true, partitions: true, signal: true };

export interface LogClient extends AsyncDisposable {
  /**
   * Parses records by the topic's schemas and appends them, in order; creates the topic if it is missing.
   *
   * Takes an iterable or an async iterable, and reads it only as fast as the log commits: at most a few megabytes are in
   * flight. Resolves when all records are acknowledged. A record that does not parse throws `STOPLOG_SCHEMA`; the records
   * before it are appended, and `error.facts.appended` is the number of acknowledged records.
   *
   * @example
   * await log.append(orders, [{ key: 'o1', value: { cents: 4_200 } }]);
   */
  append<RK, RV>(
    topic: Parses<RK, RV>,
    records: Iterable<NewRecord<NoInfer<RK>, NoInfer<RV>>> | AsyncIterable<NewRecord<NoInfer<RK>, NoInfer<RV>>>,
    options?: AppendOptions,
  ): Promise<Appended>;
  /**
   * Reads the records of a topic in batches, each batch of one partition and in its order. Ends when the signal is aborted,
   * or at the end with `until: 'end'`. The value of a deleted key is null.
   *
   * @example
   * for await (const batch of log.read(orders, { from: 'earliest', until: 'end' }))
   *   for (const { key, value, timestamp } of batch) console.log(key, value, new Date(timestamp));
   */
  read<K, V>(topic: Origin<K, V>, options: ReadOptions): AsyncIterable<readonly LogRecord<K, V | null>[]>;
  /**
   * The lag of a group in some topics: a pipeline is a group, under its name. In a partition that the group never read, every
   * record counts.
   *
   * @example
   * for (const { topic, partition, records, age } of await log.lag('billing', orders)) console.log(topic, partition, records,
   * age / 1_000);
   */
  lag(group: string, ...topics: readonly DeclaredTopic[]): Promise<readonly PartitionLag[]>;
  /** How much the appends of this client hold, and how many of them wait for the log to take it. */
  readonly pressure: Pressure;
  /** The offset that the next record of each partition gets. */
  ends(topic: DeclaredTopic): Promise<readonly bigint[]>;
  /**
   * Deletes the records before a time, or before an offset of each partition, and returns each partition's new start. A start
   * only grows: the records before it are gone for every reader.
   *
   * @example
   * await log.deleteRecords(orders, { time: Date.now() - days(30) });
   */
  deleteRecords(topic: DeclaredTopic, before: { readonly time: number | Date } | { readonly offsets: readonly bigint[] }): Promise<readonly bigint[]>;
}
/** A client over a log that numbers appends: idempotent producers and conditional appends. */
export interface NumberedClient extends LogClient {
  append<RK, RV>(
    topic: Parses<RK, RV>,
    records: Iterable<NewRecord<NoInfer<RK>, NoInfer<RV>>> | AsyncIterable<NewRecord<NoInfer<RK>, NoInfer<RV>>>,
    options?: NumberedAppendOptions,
  ): Promise<Appended>;
  /**
   * Opens an idempotent producer: it appends each record once, even when an answer was lost and the append is repeated. Each
   * process that appends has a name of its own: opening a name fences its earlier incarnation (`STOPLOG_FENCED`). Given a
   * producer of a closed log, the new producer takes over its unfinished append. The log forgets a producer after seven days
   * without an append.
   *
   * @example
   * const producer = await log.producer('orders-api');
   * await producer.append(orders, [{ key: 'o1', value: { cents: 4_200 } }]);
   */
  producer(of: string | Producer): Promise<Producer>;
}

const FETCH_BYTES = 256 * 1024;

/** The client of a log that numbers appends can do more, and its type says so. */
export function makeClient(log: NumberedLog, close?: () => Promise<void>): NumberedClient;
export function makeClient(log: Log, close?: () => Promise<void>): LogClient;
export function makeClient(log: Log, close: () => Promise<void> = () => disposed(log)): LogClient {
  return new Client(log, close);
}

const disposed = async (log: Log): Promise<void> => {
  await log[Symbol.asyncDispose]();
};

class Client implements NumberedClient {
  readonly #log: Log;
  readonly #close: () => Promise<void>;
  /** Keyed by the topic value, not its name: another declaration of the same name has to be compared with the log. */
  readonly #ensured = new WeakMap<AnyTopic, Promise<void>>();
  readonly #appended = new WeakMap<AnyTopic, Promise<void>>();
  readonly #name = randomUUID();
  readonly pressure: Credit;
  readonly #calls = new Calls();
  #closed: Promise<void> | undefined;
  /** Counts appends; each append starts its records without a key at the next partition. */
  #turn = Math.floor(Math.random() * 65_536);

  constructor(log: Log, close: () => Promise<void>) {
    this.#log = log;
    this.#close = close;
    this.pressure = new Credit(() => log.queue);
  }

  append<RK, RV>(face: Parses<RK, RV>, records: NewRecords<RK, RV>, options: NumberedAppendOptions = {}): Promise<Appended> {
    return this.#calls.run(() => this.#append(face, records, options));
  }
  async #append<RK, RV>(face: Parses<RK, RV>, records: NewRecords<RK, RV>, options: NumberedAppendOptions): Promise<Appended> {
    const topic = topicOf(face);
    checkAppendOptions(options);
    if (options.expectedEnd !== undefined) numberedLog(this.#log, 'condition');
    await this.#ensure(topic, true);
    // A chain per append: after a failed commit the log accepts no later one of this append, so it has a prefix of the
    // records.
    const incarnation = `${this.#name}/${this.#turn}`;
    const sender: Sender = {
      packing: { first: this.#turn++ },
      credit: this.pressure,
      calls: this.#calls,
      send: (appends) => this.#log.commit({ group: '', epoch: 0, incarnation: incarnation, appends, stores: [], positions: [] }),
    };
    return appendAll(sender, topic, records, options);
  }

  producer(of: string | Producer): Promise<Producer> {
    return this.#calls.run(async () => {
      const log = numberedLog(this.#log, 'producers');
      const prepare = (topic: AnyTopic): Promise<void> => this.#ensure(topic, true);
      if (typeof of === 'string') return new LogProducer(of, log, await log.producer(of), prepare, Date.now, this.#flow);
      if (of instanceof LogProducer) return of.over(log, await log.producer(of.name, of.incarnation), prepare, this.#flow);
      throw new StoplogError('STOPLOG_USAGE', { found: typeof of }, "log.producer takes a name, such as 'orders-api', or a producer of a closed log");
    });
  }

  read<K, V>(face: Origin<K, V>, options: ReadOptions): AsyncIterable<readonly LogRecord<K, V | null>[]> {
    const stop = new AbortController();
    return endable(this.#read<K, V>(face, options, stop), () => stop.abort());
  }
  /** Ends when `stop` is aborted: by its reader, or by the signal of its options. */
  async *#read<K, V>(face: Origin<K, V>, options: ReadOptions, stop: AbortController): AsyncGenerator<readonly LogRecord<K, V | null>[], void, undefined> {
    const topic = topicOf(face);
    checkSettings('read(…)', options, KNOWN);
    await this.#ensure(topic);
    const numbers = options.partitions ?? Array.from({ length: topic.partitions }, (_, i) => i);
    const partitions = numbers.map((partition) => ({ topic: topic.name, partition }));
    const ends = options.until === undefined ? undefined : await this.#places(partitions, options.until === 'end' ? 'latest' : options.until, 'until');
    const places = await this.#places(partitions, options.from, 'from');
    const reset = options.reset ?? (options.from === 'earliest' ? 'earliest' : 'fail');
    const endOf = (partition: number): bigint | undefined => ends?.find((end) => end.partition === partition)?.offset;
    const found = new Arrived<RecordBatch>();
    const unlisten = [onAbort(options.signal, () => stop.abort()), onAbort(stop.signal, () => found.end())];
    let open = 0;
    const fetch = (place: Position, waitMs: number): void => {
      open++;
      found.add(fetchOrReset(this.#log, place, { bytes: FETCH_BYTES, waitMs }, stop.signal, reset, Date.now));
    };
    const ask = (place: Position): void => {
      const last = endOf(place.partition);
      if (last !== undefined && place.offset >= last) return;
      fetch(place, Infinity);
    };
    try {
      for (const place of places) {
        const last = endOf(place.partition);
        // An offset beyond the end has no end to stop at: the fetch throws its error.
        if (options.until === 'end' && last !== undefined && place.offset > last) fetch(place, 0);
        else ask(place);
      }
      while (open > 0) {
        const batch = await found.next();
        open--;
        if (batch === undefined) return;
        const records = decode<K, V>(topic, batch, endOf(batch.partition));
        if (records.length > 0) yield records;
        ask({ topic: batch.topic, partition: batch.partition, offset: batch.next });
        // Batches in memory arrive without a turn of the event loop: this gives signals and timers their turn.
        await new Promise((resolve) => setImmediate(resolve));
      }
    } finally {
      for (const end of unlisten) end();
      stop.abort();
    }
  }

  lag(group: string, ...faces: readonly DeclaredTopic[]): Promise<readonly PartitionLag[]> {
    return this.#calls.run(async () => {
      const topics = faces.map(topicOf);
      await Promise.all(topics.map((topic) => this.#ensure(topic)));
      const places = topics.flatMap(({ name, partitions }) => Array.from({ length: partitions }, (_, partition) => ({ topic: name, partition })));
      return readLag(this.#log, group, places, Date.now);
    });
  }

  ends(face: DeclaredTopic): Promise<readonly bigint[]> {
    return this.#calls.run(async () => {
      const topic = topicOf(face);
      await this.#ensure(topic);
      const partitions = Array.from({ length: topic.partitions }, (_, partition) => ({ topic: topic.name, partition }));
      return (await this.#log.offsets(partitions, 'latest')).map(({ offset }) => offset);
    });
  }

  deleteRecords(face: DeclaredTopic, before: { readonly time: number | Date } | { readonly offsets: readonly bigint[] }): Promise<readonly bigint[]> {
    return this.#calls.run(async () => {
      const topic = topicOf(face);
      await this.#ensure(topic);
      const partitions = Array.from({ length: topic.partitions }, (_, partition) => ({ topic: topic.name, partition }));
      return (await this.#log.deleteRecords(await this.#places(partitions, before, 'before'))).map(({ offset }) => offset);
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return (this.#closed ??= this.#calls.close().then(() => this.#close()));
  }

  get #flow(): Flow {
    return { credit: this.pressure, calls: this.#calls };
  }

  /** `appends`: what is appended by the declaration binds those who read the topic. */
  #ensure(topic: AnyTopic, appends: boolean = false): Promise<void> {
    const known = appends ? this.#appended : this.#ensured;
    let ensured = known.get(topic);
    if (ensured === undefined) {
      ensured = appends ? this.#log.ensure([topic.shape], { group: '', owns: [], appends: [topic.name] }) : this.#log.ensure([topic.shape]);
      known.set(topic, ensured);
      ensured.catch(() => known.delete(topic));
    }
    return ensured;
  }
  async #places(partitions: readonly TopicPartition[], from: ReadOptions['from'], side: 'from' | 'until' | 'before'): Promise<readonly Position[]> {
    if (typeof from === 'object' && 'offsets' in from) {
      return partitions.map((place, i) => {
        const offset = from.offsets[i];
        if (typeof offset !== 'bigint')
          throw new StoplogError(
            'STOPLOG_USAGE',
            { offsets: from.offsets },
            `${side}.offsets needs a bigint for each partition read (${partitions.length}), such as 0n: offsets do not fit a number`,
          );
        return { ...place, offset };
      });
    }
    const at: OffsetAt = typeof from === 'string' ? from : { time: Number(from.time) };
    if (typeof at === 'object' && !Number.isFinite(at.time))
      throw new StoplogError('STOPLOG_USAGE', { [side]: from }, `${side}.time needs a Date or milliseconds since 1970`);
    return this.#log.offsets(partitions, at);
  }
}

const decode = <K, V>(topic: AnyTopic, batch: RecordBatch, end: bigint | undefined): readonly LogRecord<K, V | null>[] => {
  const records: LazyRecord[] = [];
  for (const view of batch.batches) {
    // Offsets within a batch are plain numbers: a bigint for each record costs more than the record.
    const first = Number(batch.from - view.baseOffset);
    const stop = end === undefined ? Infinity : Number(end - view.baseOffset);
    while (view.next()) {
      if (view.offsetDelta < first) continue;
      if (view.offsetDelta >= stop) return records as unknown as readonly LogRecord<K, V | null>[];
      records.push(new LazyRecord(view, topic.keySerde, topic.valueSerde, topic.name));
    }
  }
  return records as unknown as readonly LogRecord<K, V | null>[];
};
