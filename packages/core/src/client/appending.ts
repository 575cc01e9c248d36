/**
 * An `append` in progress: parses, packs and commits records, and counts the acknowledged ones.
 *
 * There is no linger and no batch size to choose. While the log commits as fast as records come, each record is sent at once
 * unless another follows it immediately. While the log is busy, records gather, up to a commit of 256 KB, and commits gather
 * again in the writer. Load makes batches larger, not later.
 */
import type { Committed } from '../port/log.ts';
import type { NumberedAppend } from '../port/numbered-log.ts';
import { StoplogError } from '../pure/errors.ts';
import type { Header } from '../pure/record/record.ts';
import { checkSettings, type Known } from '../pure/settings.ts';
import { RecordPacker, type PackedBatch, type PackingOptions } from '../pure/topic/packer.ts';
import { encodeKey, encodeValue, parseKey, parseValue } from '../pure/topic/parse-record.ts';
import type { AnyTopic } from '../pure/topic/topic.ts';
import type { Calls } from './calls.ts';
import type { Credit } from './credit.ts';
import { expectation, type ExpectedEnd } from './expected-end.ts';
import { eager, isAsync } from './eager.ts';

export interface NewRecord<RK, RV> {
  readonly key: RK;
  /** `null` deletes the key of a compacted topic. */
  readonly value: RV | null;
  /**
   * Whole milliseconds since 1970 (negative before it); the current time by default. Ignored by a topic with `timestamps:
   * 'arrival'`.
   */
  readonly timestamp?: number;
  readonly headers?: readonly Header[];
}
export interface AppendOptions {
  /** 'durable' (the default) survives a power cut, 'committed' survives the death of the process. */
  readonly ack?: 'durable' | 'committed';
  readonly signal?: AbortSignal;
}
/** The options of a log that numbers appends. */
export interface NumberedAppendOptions extends AppendOptions {
  /**
   * A conditional append: appends all records in one commit of at most 64 MiB if the partition ends at this offset; otherwise
   * appends nothing and throws `STOPLOG_END_MOVED` with both numbers. Give one offset when all records go to one partition,
   * or one for each partition, as `ends` returns them; partitions without a record are not compared.
   */
  readonly expectedEnd?: ExpectedEnd;
}
const KNOWN: Known<NumberedAppendOptions> = { ack: true, expectedEnd: true, signal: true };
/** A mistyped `expectedEnd` would otherwise append unconditionally. */
export const checkAppendOptions = (options: NumberedAppendOptions): void => checkSettings('append(…)', options, KNOWN);

export interface Appended {
  /** The number of acknowledged records. */
  readonly records: number;
}
export type NewRecords<RK, RV> = Iterable<NewRecord<RK, RV>> | AsyncIterable<NewRecord<RK, RV>>;

/** Sends batches to the log, for a client or for a producer. */
export interface Sender {
  readonly packing: PackingOptions;
  /** Of the client, for all of its appends. */
  readonly credit: Credit;
  readonly calls: Calls;
  /** Records of a repeated append that are acknowledged already. */
  readonly already?: number;
  send(appends: readonly (PackedBatch & NumberedAppend)[]): Promise<Committed>;
  /** Called when the iterable threw or the signal aborted (not when a record or commit was rejected). */
  interrupted?(): void;
}

/** The bytes that one commit gathers. */
const COMMIT_BYTES = 256 * 1024;
/** The bytes in flight at which a producer has to wait: enough for a flush to carry sixteen batches and more. */
const WINDOW_BYTES = 4 * 1024 * 1024;
/** The bytes by which an append may hold more than it has taken from the credit. */
const CREDIT_STEP = 1024;
/** The limit of an append that has to be one commit. */
const WHOLE_BYTES = 64 * 1024 * 1024;

/** Appends all records. An error of the iterable, or an abort, is thrown after the records before it are appended. */
export const appendAll = async (sender: Sender, topic: AnyTopic, records: NewRecords<unknown, unknown>, options: NumberedAppendOptions): Promise<Appended> => {
  options.signal?.throwIfAborted();
  const append = new Appending(sender, topic, options);
  const { closing, stopping } = sender.calls;
  try {
    if (isAsync(records)) {
      for await (const record of eager(records, () => append.idle(), [options.signal, closing])) {
        options.signal?.throwIfAborted();
        await append.add(record);
      }
    } else {
      stopping.throwIfAborted();
      for (const record of records) {
        const wait = append.add(record);
        if (wait !== undefined) {
          await wait;
          options.signal?.throwIfAborted();
          stopping.throwIfAborted();
        }
      }
    }
  } catch (error) {
    if (!append.isOver) sender.interrupted?.();
    await append.abandon();
    throw closing.aborted && error === closing.reason ? append.counted(error) : error;
  }
  return append.finish();
};

class Appending {
  readonly #sender: Sender;
  readonly #topic: AnyTopic;
  readonly #ack: 'durable' | 'committed';
  /** Made for the first record: an append that waits before it costs little. */
  #made: RecordPacker | undefined;
  readonly #expect: ReturnType<typeof expectation> | undefined;
  /** The time of all records of a topic with LogAppendTime: batches whose records have equal times are stamped at no cost. */
  readonly #time: number | undefined;
  readonly #underWay: { readonly bytes: number; readonly done: Promise<void> }[] = [];
  readonly #signals: readonly (AbortSignal | undefined)[];
  #bytes = 0;
  /** Bytes that are packed and not sent: they are taken from the credit. */
  #packed = 0;
  /** The packed bytes at which credit is asked for again; 0 when nothing is packed. */
  #credited = 0;
  #acknowledged: number;
  #failure: unknown;
  #isOver = false;

  constructor(sender: Sender, topic: AnyTopic, { ack = 'durable', expectedEnd, signal }: NumberedAppendOptions) {
    this.#signals = [signal, sender.calls.stopping];
    this.#sender = sender;
    this.#topic = topic;
    this.#ack = ack;
    this.#acknowledged = sender.already ?? 0;
    this.#expect = expectedEnd === undefined ? undefined : expectation(topic, expectedEnd);
    this.#time = topic.shape.timestamps === 'arrival' ? Date.now() : undefined;
  }

  get #packer(): RecordPacker {
    return (this.#made ??= new RecordPacker(this.#topic.name, this.#topic.partitions, this.#sender.packing));
  }
  /** True after a record was refused, or the log refused a commit. */
  get isOver(): boolean {
    return this.#isOver || this.#failure !== undefined;
  }

  /** Returns a promise when the producer has to wait, undefined when it may continue. `hasCredit` when it has waited for its turn. */
  add(record: NewRecord<unknown, unknown>, hasCredit: boolean = false): Promise<void> | undefined {
    if (!hasCredit && (this.#made === undefined || this.#made.bytes >= this.#credited)) {
      const wait = this.#askCredit(record);
      if (wait !== undefined) return wait;
    }
    const packer = this.#made ?? this.#packer;
    try {
      const key = encodeKey(this.#topic, parseKey(this.#topic, record.key));
      const value = encodeValue(this.#topic, parseValue(this.#topic, record.value));
      packer.add(key, value, this.#time ?? record.timestamp ?? Date.now(), record.headers);
    } catch (error) {
      return this.#refuse(error);
    }
    return packer.bytes < COMMIT_BYTES ? undefined : this.#full();
  }
  /** Takes credit for what is packed; returns a promise when the record has to wait. Asked once in a while, since `add` runs for every record. */
  #askCredit(record: NewRecord<unknown, unknown>): Promise<void> | undefined {
    // Records after a failed commit would be lost, and an iterable need not end.
    if (this.#failure !== undefined) return this.#drain(0);
    this.#hold(this.#made?.bytes ?? 0);
    if (!this.#sender.credit.isSpent || (this.#expect !== undefined && this.#packed > 0)) return undefined;
    // Packed records hold credit, so they are sent first. An append that is one commit cannot send a part: it waits before it begins.
    this.idle();
    this.#made?.release();
    const add = (): Promise<void> | undefined => {
      const wait = this.add(record, true);
      // The next in turn sees what this record took. A refused append has given its credit back.
      if (!this.#isOver) this.#hold(this.#made?.bytes ?? 0);
      return wait;
    };
    return this.#sender.credit.inTurn(add, this.#signals);
  }
  /** Sends what is packed, except for an append that has to be one commit. */
  #full(): Promise<void> | undefined {
    if (this.#expect !== undefined) return this.#packer.bytes > WHOLE_BYTES ? this.#refuse(tooMuch(this.#topic.name)) : undefined;
    this.#flush();
    return this.#bytes > WINDOW_BYTES ? this.#drain(WINDOW_BYTES) : undefined;
  }
  /** No further record is available at the moment: sends the packed ones without waiting. */
  idle(): void {
    if (this.#made === undefined) return;
    if (this.#expect === undefined) this.#flush();
    else this.#hold(this.#made.bytes);
  }
  async finish(): Promise<Appended> {
    this.#flush();
    this.#made = undefined;
    await this.#drain(0);
    return { records: this.#acknowledged };
  }
  /** Ends early: appends the records so far, unless all of them had to be one commit. */
  async abandon(): Promise<void> {
    if (this.#expect === undefined) this.#flush();
    else this.#hold(0);
    await this.#drain(0);
  }
  /** Takes credit for so many packed bytes, or gives back what is too much. */
  #hold(bytes: number): void {
    const more = bytes - this.#packed;
    this.#packed = bytes;
    this.#credited = bytes === 0 ? 0 : bytes + CREDIT_STEP;
    if (more > 0) this.#sender.credit.take(more);
    else if (more < 0) this.#sender.credit.give(-more);
  }

  /** Sends the packed records. */
  #flush(): void {
    const packed = this.#packer.take();
    if (packed.length === 0 || this.#failure !== undefined) return this.#hold(0);
    const appends = this.#expected(packed);
    const bytes = packed.reduce((sum, { batch }) => sum + batch.length, 0);
    this.#hold(bytes);
    // From here on they are the commit's.
    this.#packed = this.#credited = 0;
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
      )
      .finally(() => this.#sender.credit.give(bytes));
    this.#underWay.push({ bytes, done });
    this.#bytes += bytes;
  }
  #expected(packed: readonly PackedBatch[]): readonly (PackedBatch & NumberedAppend)[] {
    try {
      return this.#expect === undefined ? packed : this.#expect(packed);
    } catch (error) {
      this.#hold(0);
      throw error;
    }
  }
  /** Appends the records before the bad one, then throws the error with their count. */
  async #refuse(error: unknown): Promise<never> {
    this.#isOver = true;
    await this.abandon();
    throw this.counted(error);
  }
  async #drain(limit: number): Promise<void> {
    while (this.#bytes > limit || (limit === 0 && this.#underWay.length > 0)) {
      const oldest = this.#underWay.shift();
      if (oldest === undefined) break;
      await oldest.done;
      this.#bytes -= oldest.bytes;
    }
    if (this.#failure !== undefined) throw this.counted(this.#failure);
  }
  /** The error with the number of acknowledged records. */
  counted(error: unknown): unknown {
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
    `an append with an expectedEnd is one commit, of at most ${WHOLE_BYTES} bytes: append less at a time, each time with the partition's new end`,
  );
