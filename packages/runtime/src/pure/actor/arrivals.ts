/**
 * Arrivals of a source as an actor's work: pull, take, commit, wait until the commit is durable, acknowledge, and again.
 *
 * The log keeps no position of what is outside, so a crash between the commit and the acknowledgement repeats a batch.
 * Nothing is lost by it, and the records that follow are in the topic that the source was sent through.
 */
import { assert, NO_HEADERS, sourcePlace, StoplogError, type ArrivalBatch, type LogRecord } from '@stoplog/core/port';
import type { Emit } from '../nodes/emit.ts';
import type { TopicOutput } from './outputs.ts';
import type { Footprints } from './place.ts';
import type { Answer, Cut, Notice, Request, Work } from './work.ts';

export interface ArrivalsParts {
  readonly group: string;
  readonly epoch: number;
  readonly name: string;
  readonly emit: Emit;
  readonly outputs: readonly TopicOutput[];
  readonly beacon: Footprints;
}

export const PULL_RECORDS = 4_096;

export class ArrivalWork implements Work {
  readonly needsDurable = true;
  readonly wakeAt: number = Infinity;
  readonly #parts: ArrivalsParts;
  /** Pulled and not acknowledged. */
  #batch: ArrivalBatch | undefined;
  #taken = false;
  #open = 0;
  #arrived = 0n;
  #number = 0;
  #asked: number | undefined;
  #ended = false;

  constructor(parts: ArrivalsParts) {
    this.#parts = parts;
  }

  get isEmpty(): boolean {
    return this.#batch === undefined || this.#taken;
  }
  get isOpen(): boolean {
    return this.#open > 0;
  }
  get isWaiting(): boolean {
    return this.#asked !== undefined;
  }
  /** What was pulled may never come again. */
  get owes(): boolean {
    return this.#batch !== undefined;
  }
  ask(): readonly Request[] {
    if (this.#batch === undefined || !this.#taken) return [];
    return [{ type: 'acknowledge', ask: (this.#asked = ++this.#number), batch: this.#batch }];
  }
  wait(): readonly Request[] {
    return this.#ended ? [] : [{ type: 'pull', ask: (this.#asked = ++this.#number), records: PULL_RECORDS }];
  }
  isAsked(ask: number): boolean {
    return ask === this.#asked;
  }
  heard(answer: Answer): readonly Notice[] | undefined {
    if (answer.ask !== this.#asked) return undefined;
    this.#asked = undefined;
    if (answer.type === 'pulled') {
      this.#batch = answer.batch;
      this.#taken = answer.batch.arrivals.length === 0;
      this.#ended = answer.batch.ended;
    } else this.#batch = undefined;
    return [];
  }

  take(): boolean {
    const { name, emit, beacon } = this.#parts;
    const { arrivals } = this.#batch!;
    beacon.at(0, this.#arrived);
    for (const [i, { key, value, timestamp }] of arrivals.entries()) {
      beacon.enter(i);
      const record: LogRecord<unknown, unknown> = { key, value, timestamp, headers: NO_HEADERS, offset: this.#arrived++, topic: name, partition: 0 };
      try {
        emit(record);
      } catch (error) {
        beacon.leave();
        throw this.#failedAt(key, error);
      }
      beacon.leave();
    }
    this.#open = arrivals.length;
    this.#taken = true;
    return true;
  }
  /** A source has no timers. */
  tick(): void {}
  isDue(): boolean {
    return this.#open > 0;
  }
  cut(): Cut {
    const { group, epoch, name, outputs } = this.#parts;
    const taken = outputs.map((output) => output.take());
    const recordsIn = this.#open;
    this.#open = 0;
    // The position does not move: it is named so that the commit is fenced by its epoch.
    const positions = [{ ...sourcePlace(name), from: 0n, to: 0n }];
    assert(recordsIn > 0, 'a commit of a source holds arrivals');
    return {
      commit: { group, epoch, appends: taken.flatMap(({ batches }) => batches), stores: [], positions },
      recordsIn,
      recordsOut: taken.reduce((sum, { records }) => sum + records, 0),
    };
  }
  committed(): void {}
  blame(error: unknown): unknown {
    return error;
  }

  #failedAt(key: unknown, error: unknown): StoplogError {
    const { name } = this.#parts;
    const cause = error instanceof Error ? error : new Error(String(error));
    return new StoplogError(
      'STOPLOG_HANDLER',
      { source: name, key },
      `a handler failed at a record of source '${name}': ${cause.message}. Nothing of its batch was kept`,
      { cause },
    );
  }
}
