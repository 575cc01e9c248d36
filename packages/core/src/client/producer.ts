/**
 * An idempotent producer appends each record once, even when answers are lost.
 *
 * The producer numbers its records in each partition, and the log remembers the numbers (pure/producer/producer.ts). The
 * producer keeps every commit until it is acknowledged. So a failed append (the disk was full, the writer is gone, the answer
 * was lost) is repeated with the usual loop: call `append` again with the same records. The kept commits are sent first,
 * unchanged, and the log leaves out the batches that it has; then the repeated records are compared with the sent ones and
 * left out, and the rest is appended. An append that is repeated with other records is refused: it would lose some records or
 * duplicate some.
 */
import type { Committed } from '../port/log.ts';
import type { NumberedAppend, NumberedLog, ProducerIncarnation } from '../port/numbered-log.ts';
import { isStoplogError, StoplogError } from '../pure/errors.ts';
import type { Encoded } from '../pure/schema/codec.ts';
import type { PackedBatch } from '../pure/topic/packer.ts';
import { topicOf, type AnyTopic, type Parses } from '../pure/topic/topic.ts';
import { appendAll, checkAppendOptions, type Appended, type NewRecord, type NewRecords, type NumberedAppendOptions, type Sender } from './appending.ts';
import type { Calls } from './calls.ts';
import type { Credit } from './credit.ts';
import { Repeat, Tally, type Call, type Sent } from './producer-call.ts';

export interface Producer {
  readonly name: string;
  /**
   * As `log.append`, but each record once: after an error other than `STOPLOG_FENCED`, call it again with the same records in
   * the same order, and the records that are in the log are left out. The same holds after the iterable threw, or the signal
   * aborted. A refused record ends the append for good: the records before it are in the log, `error.facts.appended` is their
   * number, and the next append is a new one. Concurrent calls run one after the other.
   */
  append<RK, RV>(
    topic: Parses<RK, RV>,
    records: Iterable<NewRecord<NoInfer<RK>, NoInfer<RV>>> | AsyncIterable<NewRecord<NoInfer<RK>, NoInfer<RV>>>,
    options?: NumberedAppendOptions,
  ): Promise<Appended>;
  /**
   * For records that cannot be repeated: finishes the failed append as far as it was sent, and returns how many of its
   * records, counted from the first, are in the log. The next append is then a new one. 0 when no append had failed.
   */
  settle(): Promise<Appended>;
}

/** The client's share in a producer: what bounds its appends, and what ends them. */
export interface Flow {
  readonly credit: Credit;
  readonly calls: Calls;
}

/** Records without a key that go to one partition before the next. */
const SPREAD = 1_000;
/** A producer that has been idle for this long renews itself, long before the log forgets it. */
const RENEW_MS = 24 * 3_600_000;

export class LogProducer implements Producer {
  readonly name: string;
  readonly #log: NumberedLog;
  readonly #prepare: (topic: AnyTopic) => Promise<void>;
  readonly #now: () => number;
  readonly #flow: Flow;
  #incarnation: ProducerIncarnation;
  #seenAt: number;
  /** The next sequence, by topic and partition. */
  #next = new Map<string, number>();
  /** The failed append: unknown how much of it is in the log. */
  #failed: Call | undefined;
  #calls = 0;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(name: string, log: NumberedLog, incarnation: ProducerIncarnation, prepare: (topic: AnyTopic) => Promise<void>, now: () => number, flow: Flow) {
    this.#flow = flow;
    this.name = name;
    this.#log = log;
    this.#incarnation = incarnation;
    this.#prepare = prepare;
    this.#now = now;
    this.#seenAt = now();
  }

  get incarnation(): ProducerIncarnation {
    return this.#incarnation;
  }
  /** The same producer over another log on the same data, because its own log is closed. */
  over(log: NumberedLog, incarnation: ProducerIncarnation, prepare: (topic: AnyTopic) => Promise<void>, flow: Flow): LogProducer {
    const moved = new LogProducer(this.name, log, this.#incarnation, prepare, this.#now, flow);
    moved.#next = this.#next;
    moved.#failed = this.#failed;
    moved.#calls = this.#calls;
    moved.#become(incarnation);
    return moved;
  }

  append<RK, RV>(face: Parses<RK, RV>, records: NewRecords<RK, RV>, options: NumberedAppendOptions = {}): Promise<Appended> {
    return this.#inTurn(() => {
      checkAppendOptions(options);
      return this.#append(topicOf(face), records, options);
    });
  }
  settle(): Promise<Appended> {
    return this.#inTurn(async () => {
      const call = this.#failed;
      if (call !== undefined) await this.#settle(call);
      return { records: call?.sent ?? 0 };
    });
  }

  async #append(topic: AnyTopic, records: NewRecords<unknown, unknown>, options: NumberedAppendOptions): Promise<Appended> {
    await this.#prepare(topic);
    await this.#renew();
    const failed = this.#failed;
    if (failed === undefined) return this.#send({ topic, first: this.#calls++, sent: 0, tally: new Tally(), open: [] }, records, options);
    const again = new Repeat(failed);
    await this.#settle(failed);
    const other = otherRecords(this.name, failed);
    if (failed.topic.name !== topic.name) throw other;
    const isKnown: Known = (partition, key, value) => {
      if (again.isOver) return false;
      if (again.takes(partition, key, value)) return true;
      throw other;
    };
    const appended = await this.#send({ ...failed, open: [] }, records, options, isKnown);
    if (!again.isOver) throw other;
    return appended;
  }

  async #send(call: Call, records: NewRecords<unknown, unknown>, options: NumberedAppendOptions, isKnown?: Known): Promise<Appended> {
    const incarnation = this.#chain();
    let isInterrupted = false;
    const sender: Sender = {
      ...this.#flow,
      packing: {
        first: call.first,
        spread: SPREAD,
        leavesOut: (partition, key, value) => {
          if (isKnown?.(partition, key, value) === true) return true;
          call.tally.pack(partition, key, value);
          return false;
        },
      },
      already: call.sent,
      send: (appends) => this.#commit(call, appends, incarnation, options.ack ?? 'durable'),
      interrupted: () => (isInterrupted = true),
    };
    try {
      return await appendAll(sender, call.topic, records, options);
    } catch (error) {
      call.tally.drop();
      if (hasMoved(error)) this.#takeBack(call);
      // A refused record would be refused again; an iterable that threw may yield its records again.
      else if (call.open.length > 0 || (isInterrupted && call.sent > 0)) this.#failed = call;
      throw error;
    }
  }
  /** Numbers the batches, and records the outcome of each. */
  async #commit(call: Call, packed: readonly (PackedBatch & NumberedAppend)[], incarnation: string, ack: 'durable' | 'committed'): Promise<Committed> {
    const sent: Sent = {
      done: false,
      appends: packed.map((batch) => {
        const name = partitionName(batch);
        const sequence = this.#next.get(name) ?? 0;
        this.#next.set(name, sequence + batch.records);
        call.sent += batch.records;
        call.tally.send(batch);
        return { ...batch, producer: { ...this.#incarnation, sequence } };
      }),
    };
    call.open.push(sent);
    const committed = await this.#put(sent, incarnation);
    if (ack === 'durable') await committed.durable;
    this.#acknowledge(call, sent);
    return committed;
  }
  #acknowledge(call: Call, sent: Sent): void {
    sent.done = true;
    // Removes commits in the order in which they were sent, so that `open` starts with the first record that may be missing.
    while (call.open[0]?.done === true) call.open.shift();
  }
  #put({ appends }: Sent, incarnation: string): Promise<Committed> {
    return this.#log.commit({ group: '', epoch: 0, incarnation: incarnation, appends, stores: [], positions: [] });
  }
  /** Sends the open commits of the failed append again, in order; then every record that was sent is in the log. */
  async #settle(call: Call): Promise<void> {
    while (call.open.length > 0) {
      const sent = call.open[0]!;
      try {
        const { durable } = await this.#put(sent, this.#chain());
        await durable;
      } catch (error) {
        if (hasMoved(error)) this.#takeBack(call);
        if (!wasAppended(error)) throw error;
      }
      this.#acknowledge(call, sent);
    }
    this.#failed = undefined;
  }
  /** A conditional append is one commit, and is decided again, not repeated: its sequences are free. */
  #takeBack(call: Call): void {
    for (const { appends } of call.open.splice(0)) for (const batch of appends.toReversed()) this.#next.set(partitionName(batch), batch.producer!.sequence);
    this.#failed = undefined;
  }
  /** No commit of an append may be accepted after an earlier one was refused, so that the log has a prefix of its records. */
  #chain(): string {
    return `${this.name}/${this.#incarnation.id}/${this.#incarnation.epoch}/${chains++}`;
  }
  async #renew(): Promise<void> {
    const now = this.#now();
    if (now - this.#seenAt > RENEW_MS) this.#become(await this.#log.producer(this.name, this.#incarnation));
    this.#seenAt = now;
  }
  /** A forgotten producer counts from 0 again; a failed append can then no longer be checked. */
  #become(incarnation: ProducerIncarnation): void {
    if (incarnation.id === this.#incarnation.id && incarnation.epoch === this.#incarnation.epoch) return;
    if (this.#failed !== undefined) {
      throw new StoplogError(
        'STOPLOG_FENCED',
        { producer: this.name },
        `producer '${this.name}' was forgotten before its failed append was repeated: look into the topic which of its records are there, and open the producer again with log.producer('${this.name}')`,
      );
    }
    this.#incarnation = incarnation;
    this.#next.clear();
  }
  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const result = this.#flow.calls.run(() => this.#turn.then(act));
    this.#turn = result.catch(() => {});
    return result;
  }
}
let chains = 0;
/** Decides whether a record was sent before. */
type Known = (partition: number, key: Encoded | null, value: Encoded | null) => boolean;

/** True for the refusal of a batch that is older than the last five, and so in the log. */
const wasAppended = (error: unknown): boolean =>
  isStoplogError(error) && error.code === 'STOPLOG_SEQUENCE' && Number(error.facts['sequence']) < Number(error.facts['expected']);
const partitionName = ({ topic, partition }: NumberedAppend): string => `${partition}:${topic}`;
const hasMoved = (error: unknown): boolean => isStoplogError(error) && error.code === 'STOPLOG_END_MOVED';

const otherRecords = (name: string, { topic, sent }: Call): StoplogError =>
  new StoplogError(
    'STOPLOG_USAGE',
    { producer: name, topic: topic.name, sent },
    `an append of producer '${name}' to '${topic.name}' had failed when ${sent} of its records were sent, and this one does not begin with them: it was not appended. Those ${sent} are in the log now, and the next append is a new one; repeat a failed append with the same records in the same order, or call settle() before others`,
  );
