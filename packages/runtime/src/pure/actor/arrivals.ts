/**
 * Arrivals of a partition of a source as an actor's work: pull, take, commit, wait until the commit is durable, acknowledge, and again.
 *
 * The position of the source is committed with the records. A source that can seek begins at that position after a crash, and repeats
 * nothing. A source that cannot (a queue, an Observable) repeats at most the batch whose acknowledgement was lost.
 */
import { StoplogError, type LogRecord } from '@stoplog/core';
import { asError, assert, NO_HEADERS, sourcePartition } from '@stoplog/core/kit';
import type { Arrival, ArrivalBatch, RawArrival } from '@stoplog/core/port';
import { isFinal } from './blame.ts';
import type { Emit } from '../nodes/emit.ts';
import type { TopicOutput } from './outputs.ts';
import type { Footprints } from './place.ts';
import type { Answer, Cut, Notice, Request, Work } from './work.ts';

export interface ArrivalsParts {
  readonly group: string;
  readonly epoch: number;
  /** The id of this incarnation, unique among all actors. */
  readonly incarnation: string;
  readonly name: string;
  readonly partition: number;
  /** The last committed position of the group. */
  readonly position: bigint;
  /** Decodes the arrivals of a source that yields bytes. */
  readonly decode?: ((arrival: RawArrival) => Arrival) | undefined;
  readonly emit: Emit;
  readonly outputs: readonly TopicOutput[];
  readonly beacon: Footprints;
}

const PULL = { records: 4_096, bytes: 4 * 1024 * 1024 };

export class ArrivalWork implements Work {
  readonly needsDurable = true;
  readonly wakeAt: number = Infinity;
  readonly #parts: ArrivalsParts;
  /** The batch that was pulled and is not acknowledged. */
  #batch: ArrivalBatch | ArrivalBatch<RawArrival> | undefined;
  #isTaken = false;
  /** The group's position, and the source's position behind the batch. */
  #position: bigint;
  #next: bigint;
  #open = 0;
  #arrived = 0n;
  #number = 0;
  #asked: number | undefined;
  #hasEnded = false;

  constructor(parts: ArrivalsParts) {
    this.#parts = parts;
    this.#position = this.#next = parts.position;
  }

  get isEmpty(): boolean {
    return this.#batch === undefined || this.#isTaken;
  }
  /** Also open without a batch: a source may advance its position although nothing arrived. */
  get isOpen(): boolean {
    return this.#isTaken && (this.#open > 0 || this.#next !== this.#position);
  }
  get isWaiting(): boolean {
    return this.#asked !== undefined;
  }
  /** A pulled batch may never be offered again. */
  get owes(): boolean {
    return this.#batch !== undefined;
  }
  ask(): readonly Request[] {
    if (this.#batch === undefined || !this.#isTaken) return [];
    return [{ type: 'acknowledge', ask: (this.#asked = ++this.#number), items: itemsOf(this.#batch), position: this.#position }];
  }
  wait(): readonly Request[] {
    return this.#hasEnded ? [] : [{ type: 'pull', ask: (this.#asked = ++this.#number), limit: PULL }];
  }
  isAsked(ask: number): boolean {
    return ask === this.#asked;
  }
  heard(answer: Answer): readonly Notice[] | undefined {
    if (!this.isAsked(answer.ask)) return undefined;
    this.#asked = undefined;
    if (answer.type !== 'pulled') this.#batch = undefined;
    else {
      const { arrivals, position, ended } = answer.batch;
      this.#hasEnded = ended;
      this.#next = position ?? this.#position + BigInt(arrivals.length);
      this.#isTaken = false;
      this.#batch = arrivals.length === 0 && this.#next === this.#position ? undefined : answer.batch;
    }
    return [];
  }

  take(): boolean {
    const { name, partition, decode, emit, beacon } = this.#parts;
    const { arrivals } = this.#batch!;
    beacon.at(0, this.#arrived);
    for (const [i, given] of arrivals.entries()) {
      beacon.enter(i);
      try {
        const { key, value, timestamp, headers = NO_HEADERS } = decode === undefined ? given : decode(given as RawArrival);
        const record: LogRecord<unknown, unknown> = { key, value, timestamp, headers, offset: this.#arrived++, topic: name, partition };
        emit(record);
      } catch (error) {
        beacon.leave();
        throw this.#failedAt(given.item, error);
      }
      beacon.leave();
    }
    this.#open = arrivals.length;
    this.#isTaken = true;
    return true;
  }
  /** Does nothing: a source has no timers. */
  tick(): void {}
  isDue(): boolean {
    return this.isOpen;
  }
  cut(): Cut {
    const { group, epoch, incarnation, name, partition, outputs, beacon } = this.#parts;
    assert(this.isOpen, 'a commit of a source holds arrivals, or moves its position');
    beacon.enterOther('commit', this.#open);
    const taken = outputs.map((output) => output.take());
    beacon.leaveOther();
    const positions = [{ ...sourcePartition(name, partition), from: this.#position, to: this.#next }];
    const recordsIn = this.#open;
    this.#position = this.#next;
    this.#open = 0;
    return {
      commit: { group, epoch, incarnation: incarnation, appends: taken.flatMap(({ batches }) => batches), stores: [], positions },
      recordsIn,
      // No sink is written here: the arrivals of a source pass through a topic first.
      writes: [],
      recordsOut: taken.reduce((sum, { records }) => sum + records, 0),
    };
  }
  committed(): void {}
  /** Releases the batch that failed, to another reader or to this actor's next incarnation; at once, for the host delays the restart. */
  giveBack(): readonly Notice[] {
    return this.#batch === undefined ? [] : [{ type: 'release', items: itemsOf(this.#batch) }];
  }
  blame(error: unknown): unknown {
    return error;
  }

  #failedAt(item: unknown, error: unknown): StoplogError {
    const { name, partition } = this.#parts;
    const cause = asError(error);
    return new StoplogError(
      'STOPLOG_HANDLER',
      { source: name, partition, item, ...(isFinal(error) ? { retry: false } : {}) },
      `a handler failed at a record of source '${name}': ${cause.message}. Nothing of its batch was kept`,
      { cause },
    );
  }
}

const itemsOf = (batch: ArrivalBatch | ArrivalBatch<RawArrival>): readonly unknown[] => batch.arrivals.map(({ item }) => item);
