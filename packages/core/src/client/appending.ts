/**
 * One `append` under way: parses, packs, commits, and keeps count of what is acknowledged.
 *
 * There is no linger and no batch size to choose. While the log takes commits as fast as records come, each goes out by itself
 * when nothing follows it at once; while the log is busy, what comes meanwhile gathers, up to a commit of 256 KB, and
 * commits gather again in the writer. Load makes batches larger, not later.
 */
import type { Append, Committed } from '../port/log.ts';
import { StoplogError } from '../pure/errors.ts';
import type { Header } from '../pure/record/record.ts';
import { checkSettings, type Known } from '../pure/settings.ts';
import { RecordPacker, type PackedBatch, type PackingOptions } from '../pure/topic/packer.ts';
import { encodeKey, encodeValue, parseKey, parseValue } from '../pure/topic/parse-record.ts';
import type { AnyTopic } from '../pure/topic/topic.ts';
import { expectation, type ExpectedEnd } from './expected-end.ts';
import { eager, isAsync } from './eager.ts';

export interface NewRecord<RK, RV> {
  readonly key: RK;
  /** `null` deletes the key of a compacted topic. */
  readonly value: RV | null;
  /** Whole milliseconds since 1970, or before it; now, when left out. Of a topic with `timestamps: 'arrival'` it does not count. */
  readonly timestamp?: number;
  readonly headers?: readonly Header[];
}
export interface AppendOptions {
  /** 'durable' (the default) survives a power cut, 'committed' the death of the process. */
  readonly ack?: 'durable' | 'committed';
  /**
   * Appends only if the partition ends there, and then all records at once, at most 64 MiB of them: `STOPLOG_END_MOVED`, with
   * both numbers, if it does not, and nothing is kept. One offset when all records go to one partition, else one for each
   * partition, as `ends` returns them; those that get no record are not compared.
   */
  readonly expectedEnd?: ExpectedEnd;
  readonly signal?: AbortSignal;
}
const KNOWN: Known<AppendOptions> = { ack: true, expectedEnd: true, signal: true };
/** A mistyped `expectedEnd` would append whatever the end is. */
export const checkAppendOptions = (options: AppendOptions): void => checkSettings('append(…)', options, KNOWN);

export interface Appended {
  /** How many records were acknowledged. */
  readonly records: number;
}
export type NewRecords<RK, RV> = Iterable<NewRecord<RK, RV>> | AsyncIterable<NewRecord<RK, RV>>;

/** How batches get into the log. */
export interface Sender {
  readonly packing: PackingOptions;
  /** Records that come again and are acknowledged. */
  readonly already?: number;
  send(appends: readonly (PackedBatch & Append)[]): Promise<Committed>;
  /** What gives the records, or the signal, has ended it: neither the log nor a record is at fault. */
  interrupted?(): void;
}

/** What one commit gathers. */
const COMMIT_BYTES = 256 * 1024;
/** What may be under way before a producer has to wait: enough for a flush to carry sixteen batches and more. */
const WINDOW_BYTES = 4 * 1024 * 1024;
/** What an append that has to be one commit may gather. */
const WHOLE_BYTES = 64 * 1024 * 1024;

/** Appends all records; what ends it early, an abort or the iterable itself, comes after those before it are appended. */
export const appendAll = async (sender: Sender, topic: AnyTopic, records: NewRecords<unknown, unknown>, options: AppendOptions): Promise<Appended> => {
  options.signal?.throwIfAborted();
  const append = new Appending(sender, topic, options);
  try {
    if (isAsync(records)) {
      for await (const record of eager(records, () => append.idle())) {
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
    if (!append.isOver) sender.interrupted?.();
    await append.abandon();
    throw error;
  }
  return append.finish();
};

class Appending {
  readonly #sender: Sender;
  readonly #topic: AnyTopic;
  readonly #ack: 'durable' | 'committed';
  readonly #packer: RecordPacker;
  readonly #expect: ReturnType<typeof expectation> | undefined;
  /** The time of all records, where the log will give them another: batches that agree are stamped at no cost. */
  readonly #time: number | undefined;
  readonly #underWay: { readonly bytes: number; readonly done: Promise<void> }[] = [];
  #bytes = 0;
  #acknowledged: number;
  #failure: unknown;
  #isOver = false;

  constructor(sender: Sender, topic: AnyTopic, { ack = 'durable', expectedEnd }: AppendOptions) {
    this.#sender = sender;
    this.#topic = topic;
    this.#ack = ack;
    this.#acknowledged = sender.already ?? 0;
    this.#packer = new RecordPacker(topic.name, topic.partitions, sender.packing);
    this.#expect = expectedEnd === undefined ? undefined : expectation(topic, expectedEnd);
    this.#time = topic.shape.timestamps === 'arrival' ? Date.now() : undefined;
  }

  /** A record was refused, or the log refused what was sent. */
  get isOver(): boolean {
    return this.#isOver || this.#failure !== undefined;
  }

  /** A promise when the producer has to wait, nothing when it may go on. */
  add(record: NewRecord<unknown, unknown>): Promise<void> | undefined {
    // What comes after a commit that failed would go nowhere, and an iterable need not end.
    if (this.#failure !== undefined) return this.#drain(0);
    try {
      const key = encodeKey(this.#topic, parseKey(this.#topic, record.key));
      const value = encodeValue(this.#topic, parseValue(this.#topic, record.value));
      this.#packer.add(key, value, this.#time ?? record.timestamp ?? Date.now(), record.headers);
      if (this.#expect !== undefined) {
        if (this.#packer.bytes > WHOLE_BYTES) throw tooMuch(this.#topic.name);
        return undefined;
      }
    } catch (error) {
      return this.#refuse(error);
    }
    if (this.#packer.bytes < COMMIT_BYTES) return undefined;
    this.#flush();
    return this.#bytes > WINDOW_BYTES ? this.#drain(WINDOW_BYTES) : undefined;
  }
  /** Nothing more is there at the moment: what is packed need not wait for it. */
  idle(): void {
    if (this.#expect === undefined) this.#flush();
  }
  async finish(): Promise<Appended> {
    this.#flush();
    await this.#drain(0);
    return { records: this.#acknowledged };
  }
  /** Ends early: what came is appended, unless all of it was to be one commit. */
  async abandon(): Promise<void> {
    if (this.#expect === undefined) this.#flush();
    await this.#drain(0);
  }

  /** Sends what is packed on its way. */
  #flush(): void {
    const packed = this.#packer.take();
    if (packed.length === 0 || this.#failure !== undefined) return;
    const appends = this.#expect === undefined ? packed : this.#expect(packed);
    const bytes = packed.reduce((sum, { batch }) => sum + batch.length, 0);
    const records = packed.reduce((sum, batch) => sum + batch.records, 0);
    const done = this.#sender
      .send(appends)
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
  /** What was packed before the bad record is appended; then the error goes on, with the count. */
  async #refuse(error: unknown): Promise<never> {
    this.#isOver = true;
    await this.abandon();
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

const tooMuch = (topic: string): StoplogError =>
  new StoplogError(
    'STOPLOG_USAGE',
    { topic, limit: WHOLE_BYTES },
    `an append with an expectedEnd is one commit, of at most ${WHOLE_BYTES} bytes: append less at a time, each time with the end that is there by then`,
  );
