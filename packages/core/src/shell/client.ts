/**
 * A LogClient over any Log: what a program uses that is not a pipeline. Writing parses, reading trusts.
 */
import type { Committed, Log, OffsetAt, Position, RecordBatch, TopicPartition } from '../port/log.ts';
import { StoplogError } from '../pure/errors.ts';
import type { Reset } from '../pure/log/reset.ts';
import { LazyRecord, type Header, type LogRecord } from '../pure/record/record.ts';
import { RecordPacker } from '../pure/topic/packer.ts';
import { encodeKey, encodeValue, parseKey, parseValue } from '../pure/topic/parse-record.ts';
import { topicOf, type AnyTopic, type Origin, type Parses } from '../pure/topic/topic.ts';
import { Arrived } from './arrived.ts';
import { eager, isAsync } from './eager.ts';
import { fetchOrReset } from './fetch-or-reset.ts';
import { readLag, type PartitionLag } from './lag.ts';

export interface NewRecord<RK, RV> {
  readonly key: RK;
  /** `null` deletes the key of a compacted topic. */
  readonly value: RV | null;
  /** Milliseconds since 1970; now, when left out. */
  readonly timestamp?: number;
  readonly headers?: readonly Header[];
}
export interface AppendOptions {
  /** 'durable' (the default) survives a power cut, 'committed' the death of the process. */
  readonly ack?: 'durable' | 'committed';
  readonly signal?: AbortSignal;
}
export interface Appended {
  /** How many records were acknowledged. */
  readonly records: number;
}
export interface ReadOptions {
  /** The first record that is kept, the next one to be appended, a time (ms since 1970, or a Date), or an offset for each partition. */
  readonly from: 'earliest' | 'latest' | { readonly time: number | Date } | { readonly offsets: readonly bigint[] };
  /**
   * Where to go on when the log has forgotten what comes next: 'earliest', 'latest', `{ ago: hours(1) }`, or 'fail', which throws
   * `STOPLOG_OFFSET_OUT_OF_RANGE` with the range. 'earliest' for a reading from the earliest, else 'fail'.
   */
  readonly reset?: Reset;
  /**
   * 'end' stops at what is there when the reading begins, a time before the first record that reaches it (or at the end where
   * none does), an offset for each partition before it; left out, it goes on as records come.
   */
  readonly until?: 'end' | { readonly time: number | Date } | { readonly offsets: readonly bigint[] };
  /** Only these partitions. */
  readonly partitions?: readonly number[];
  readonly signal?: AbortSignal;
}
export interface LogClient extends AsyncDisposable {
  /**
   * Parses records by the topic's schemas and appends them, in order; creates the topic if it is missing.
   *
   * Takes an iterable or an async iterable and reads it only as fast as the log takes it: at most a few megabytes are
   * under way. Resolves when all are acknowledged. A record that does not parse throws `STOPLOG_SCHEMA`; those before it
   * are appended, and `error.facts.appended` says how many were acknowledged.
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
   * The records of a topic, a batch at a time, each batch of one partition and in its order. Ends when the signal is
   * aborted, or at the end if `until: 'end'` says so. The value of a deleted key is null.
   *
   * @example
   * for await (const batch of log.read(orders, { from: 'earliest', until: 'end' }))
   *   for (const { key, value, timestamp } of batch) console.log(key, value, new Date(timestamp));
   */
  read<K, V>(topic: Origin<K, V>, options: ReadOptions): AsyncIterable<readonly LogRecord<K, V | null>[]>;
  /**
   * How far a group is behind in some topics: a pipeline is a group, under its name. A partition it never read it has before it whole.
   *
   * @example
   * for (const { topic, partition, records, age } of await log.lag('billing', orders)) console.log(topic, partition, records, age / 1_000);
   */
  lag(group: string, ...topics: readonly { readonly name: string }[]): Promise<readonly PartitionLag[]>;
  /** The offset that the next record of each partition gets. */
  ends(topic: { readonly name: string }): Promise<readonly bigint[]>;
  /**
   * Deletes the records before a time or before an offset of each partition, and says where each starts now. A start only
   * grows: what lies before it is gone for every reader.
   *
   * @example
   * await log.deleteRecords(orders, { time: Date.now() - days(30) });
   */
  deleteRecords(
    topic: { readonly name: string },
    before: { readonly time: number | Date } | { readonly offsets: readonly bigint[] },
  ): Promise<readonly bigint[]>;
}

/** What one commit gathers. */
const COMMIT_BYTES = 256 * 1024;
/** What may be under way before a producer has to wait: enough for a flush to carry sixteen batches and more. */
const WINDOW_BYTES = 4 * 1024 * 1024;
const FETCH_BYTES = 256 * 1024;

export const makeClient = (log: Log, close: () => Promise<void> = () => disposed(log)): LogClient => new Client(log, close);

const disposed = async (log: Log): Promise<void> => {
  await log[Symbol.asyncDispose]();
};

class Client implements LogClient {
  readonly #log: Log;
  readonly #close: () => Promise<void>;
  /** By the topic itself: another declaration of the same name is to be compared with what is there. */
  readonly #ensured = new WeakMap<AnyTopic, Promise<void>>();
  /** Which partition the records without a key of the next append begin with. */
  #turn = Math.floor(Math.random() * 65_536);

  constructor(log: Log, close: () => Promise<void>) {
    this.#log = log;
    this.#close = close;
  }

  async append<RK, RV>(
    face: Parses<RK, RV>,
    records: Iterable<NewRecord<RK, RV>> | AsyncIterable<NewRecord<RK, RV>>,
    options: AppendOptions = {},
  ): Promise<Appended> {
    const topic = topicOf(face);
    await this.#ensure(topic);
    options.signal?.throwIfAborted();
    const append = new Appending(this.#log, topic, options, this.#turn++);
    try {
      if (isAsync(records)) {
        for await (const record of eager(records, () => append.flush())) {
          options.signal?.throwIfAborted();
          await append.add(record);
        }
      } else {
        for (const record of records) {
          const wait = append.add(record);
          if (wait !== undefined) {
            await wait;
            options.signal?.throwIfAborted();
          }
        }
      }
    } catch (error) {
      // Whatever ended it, an abort or the iterable itself: the records that came before are appended.
      await append.finish();
      throw error;
    }
    return append.finish();
  }

  async *read<K, V>(face: Origin<K, V>, options: ReadOptions): AsyncGenerator<readonly LogRecord<K, V | null>[]> {
    const topic = topicOf(face);
    await this.#ensure(topic);
    const numbers = options.partitions ?? Array.from({ length: topic.partitions }, (_, i) => i);
    const partitions = numbers.map((partition) => ({ topic: topic.name, partition }));
    const signal = options.signal ?? new AbortController().signal;
    const ends = options.until === undefined ? undefined : await this.#places(partitions, options.until === 'end' ? 'latest' : options.until, 'until');
    const places = await this.#places(partitions, options.from, 'from');
    const reset = options.reset ?? (options.from === 'earliest' ? 'earliest' : 'fail');
    const endOf = (partition: number): bigint | undefined => ends?.find((end) => end.partition === partition)?.offset;
    // Ends with the generator, also when its reader walks away in the middle.
    const stop = new AbortController();
    const end = (): void => stop.abort();
    signal.addEventListener('abort', end, { once: true });
    const found = new Arrived<RecordBatch>();
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
        // Beyond the end there is nothing to stop at: the log says so.
        if (options.until === 'end' && last !== undefined && place.offset > last) fetch(place, 0);
        else ask(place);
      }
      while (open > 0 && !signal.aborted) {
        const batch = await found.next();
        open--;
        if (signal.aborted) return;
        const records = decode<K, V>(topic, batch, endOf(batch.partition));
        if (records.length > 0) yield records;
        ask({ topic: batch.topic, partition: batch.partition, offset: batch.next });
        // What lies in memory comes without a turn of the event loop: signals and timers are to have theirs.
        await new Promise((resolve) => setImmediate(resolve));
      }
    } finally {
      signal.removeEventListener('abort', end);
      stop.abort();
    }
  }

  async lag(group: string, ...faces: readonly { readonly name: string }[]): Promise<readonly PartitionLag[]> {
    const topics = faces.map(topicOf);
    await Promise.all(topics.map((topic) => this.#ensure(topic)));
    const places = topics.flatMap(({ name, partitions }) => Array.from({ length: partitions }, (_, partition) => ({ topic: name, partition })));
    return readLag(this.#log, group, places, Date.now);
  }

  async ends(face: { readonly name: string }): Promise<readonly bigint[]> {
    const topic = topicOf(face);
    await this.#ensure(topic);
    const partitions = Array.from({ length: topic.partitions }, (_, partition) => ({ topic: topic.name, partition }));
    return (await this.#log.offsets(partitions, 'latest')).map(({ offset }) => offset);
  }

  async deleteRecords(
    face: { readonly name: string },
    before: { readonly time: number | Date } | { readonly offsets: readonly bigint[] },
  ): Promise<readonly bigint[]> {
    const topic = topicOf(face);
    await this.#ensure(topic);
    const partitions = Array.from({ length: topic.partitions }, (_, partition) => ({ topic: topic.name, partition }));
    return (await this.#log.deleteRecords(await this.#places(partitions, before, 'before'))).map(({ offset }) => offset);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#close();
  }

  #ensure(topic: AnyTopic): Promise<void> {
    let ensured = this.#ensured.get(topic);
    if (ensured === undefined) {
      ensured = this.#log.ensure([topic.shape]);
      this.#ensured.set(topic, ensured);
      ensured.catch(() => this.#ensured.delete(topic));
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

/** One `append` under way: packs, commits, and keeps count of what is acknowledged. */
class Appending {
  readonly #log: Log;
  readonly #topic: AnyTopic;
  readonly #ack: 'durable' | 'committed';
  readonly #packer: RecordPacker;
  readonly #underWay: { readonly bytes: number; readonly done: Promise<void> }[] = [];
  #bytes = 0;
  #acknowledged = 0;
  #failure: unknown;

  constructor(log: Log, topic: AnyTopic, options: AppendOptions, turn: number) {
    this.#log = log;
    this.#topic = topic;
    this.#ack = options.ack ?? 'durable';
    this.#packer = new RecordPacker(topic.name, topic.partitions, turn);
  }

  /** A promise when the producer has to wait, nothing when it may go on. */
  add(record: NewRecord<unknown, unknown>): Promise<void> | undefined {
    try {
      const key = encodeKey(this.#topic, parseKey(this.#topic, record.key));
      const value = encodeValue(this.#topic, parseValue(this.#topic, record.value));
      this.#packer.add(key, value, record.timestamp ?? Date.now(), record.headers);
    } catch (error) {
      return this.#refuse(error);
    }
    if (this.#packer.bytes < COMMIT_BYTES) return undefined;
    this.flush();
    return this.#bytes > WINDOW_BYTES ? this.#drain(WINDOW_BYTES) : undefined;
  }

  /** Sends what is packed on its way. */
  flush(): void {
    const packed = this.#packer.take();
    if (packed.length === 0 || this.#failure !== undefined) return;
    const bytes = packed.reduce((sum, { batch }) => sum + batch.length, 0);
    const records = packed.reduce((sum, batch) => sum + batch.records, 0);
    const done = this.#log
      .commit({ group: '', epoch: 0, appends: packed, stores: [], positions: [] })
      .then((committed: Committed) => (this.#ack === 'durable' ? committed.durable : undefined))
      .then(
        () => {
          this.#acknowledged += records;
        },
        (error: unknown) => {
          this.#failure ??= error;
        },
      );
    this.#underWay.push({ bytes, done });
    this.#bytes += bytes;
  }

  async finish(): Promise<Appended> {
    this.flush();
    await this.#drain(0);
    return { records: this.#acknowledged };
  }

  /** What was packed before the bad record is appended; then the error goes on, with the count. */
  async #refuse(error: unknown): Promise<never> {
    this.flush();
    await this.#drain(0);
    throw this.#told(error);
  }
  async #drain(limit: number): Promise<void> {
    while (this.#bytes > limit || (limit === 0 && this.#underWay.length > 0)) {
      const oldest = this.#underWay.shift();
      if (oldest === undefined) break;
      await oldest.done;
      this.#bytes -= oldest.bytes;
    }
    if (this.#failure !== undefined) throw this.#told(this.#failure);
  }
  #told(error: unknown): unknown {
    if (!(error instanceof StoplogError)) return error;
    return new StoplogError(
      error.code,
      { ...error.facts, appended: this.#acknowledged },
      error.message,
      error.cause === undefined ? undefined : { cause: error.cause },
    );
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
