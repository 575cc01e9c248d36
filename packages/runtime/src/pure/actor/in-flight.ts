/**
 * Calls of an asynchronous function that an actor has in flight: results come back in any order, and leave in the order of
 * their records.
 *
 * So what has been emitted is exactly what stands before the lowest unfinished record, and that record is the position to
 * commit: after a crash no result is emitted twice and none is missing. A slow call holds up the position, and not the calls
 * behind it, up to `concurrency` of them. A record that needs no call and is read behind one that does waits for its turn.
 */
import { assert } from '@stoplog/core/kit';
import type { InputRecord } from '../nodes/derived-record.ts';
import { blameRecord } from './blame.ts';

/** How long a drain waits for results before it abandons the calls: less than the host waits for the drain. */
const DRAIN_MS = 10_000;

/** A call of an asynchronous function, to be answered by 'returned' or 'threw' with its number. */
export interface CallRequest {
  readonly type: 'call';
  readonly call: number;
  /** The signal is aborted when no one waits for the result any more. */
  readonly run: (signal: AbortSignal) => unknown;
}
/** A record that was read and has not been emitted. */
export interface Entry {
  readonly number: number;
  readonly record: InputRecord;
  /** Where it was read: the index of the input, the batch, and its place there. */
  readonly input: number;
  readonly baseOffset: bigint;
  readonly offsetDelta: number;
  /** The last incarnation failed at this record: it is alone. */
  readonly isSuspect: boolean;
}
interface Kept extends Entry {
  isDone: boolean;
  result: unknown;
}
export interface InFlightOptions {
  readonly task: number;
  readonly concurrency: number;
  readonly drainMs?: number;
}

export class InFlight {
  readonly drainMs: number;
  readonly #task: number;
  readonly #concurrency: number;
  /** In the order of their records. */
  readonly #entries: Kept[] = [];
  #requests: CallRequest[] = [];
  #number = 0;
  isClosed = false;
  #isAbandoned = false;

  constructor({ task, concurrency, drainMs = DRAIN_MS }: InFlightOptions) {
    this.#task = task;
    this.#concurrency = concurrency;
    this.drainMs = drainMs;
  }

  get size(): number {
    return this.#isAbandoned ? 0 : this.#entries.length;
  }
  /** Another record may be read. */
  get hasRoom(): boolean {
    return !this.isClosed && this.#entries.length < this.#concurrency;
  }
  /** The result of the first record is there. */
  get isReady(): boolean {
    return !this.#isAbandoned && this.#entries[0]?.isDone === true;
  }
  /** The offset of the first record of a topic that was read and has not been emitted; undefined when there is none. */
  lowest(topic: string): bigint | undefined {
    return this.#entries.find(({ record }) => record.topic === topic)?.record.offset;
  }
  /** `run` is undefined for a record that needs no call. */
  start(entry: Omit<Entry, 'number'>, run: CallRequest['run'] | undefined): void {
    assert(this.hasRoom, 'a record is read when there is room for it');
    const number = ++this.#number;
    this.#entries.push({ ...entry, number, isDone: run === undefined, result: undefined });
    if (run !== undefined) this.#requests.push({ type: 'call', call: number, run });
  }
  /** The calls to make since this was last asked. */
  takeRequests(): readonly CallRequest[] {
    return this.#requests.splice(0);
  }
  /** Takes a result; false when no one waits for it any more. */
  returned(call: number, result: unknown): boolean {
    const entry = this.#find(call);
    if (entry === undefined) return false;
    entry.isDone = true;
    entry.result = result;
    return true;
  }
  /** The error of a call, which names its record; undefined when no one waits for the call any more. */
  threw(call: number, error: unknown): { readonly error: unknown } | undefined {
    const entry = this.#find(call);
    return entry && { error: blameRecord(error, this.#task, entry.record) };
  }
  /** The first record, whose result is there: to be emitted now. */
  take(): Entry & { readonly result: unknown } {
    const entry = this.#entries.shift();
    assert(entry?.isDone === true, 'a record leaves when its result is there');
    return entry;
  }
  /** Reads no more. */
  close(): void {
    this.isClosed = true;
  }
  /** Waits for no result any more. The records still hold the position, so the next incarnation reads them. */
  abandon(): void {
    this.isClosed = true;
    this.#isAbandoned = true;
    this.#requests = [];
  }

  #find(call: number): Kept | undefined {
    return this.#isAbandoned ? undefined : this.#entries.find(({ number, isDone }) => number === call && !isDone);
  }
}
