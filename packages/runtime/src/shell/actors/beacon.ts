/**
 * The actor's current record, in shared memory: written at every record in a nanosecond or two, read by the watchdog.
 *
 * So the host can name the record that a hanging or dying thread was in, although the thread itself can no longer report it.
 */
import { failpoint } from '@stoplog/core/private/failpoints';
import type { Place } from '../../pure/actor/place.ts';
import type { Sighting } from '../../pure/host/watchdog.ts';

/** The number of the record begun last; odd while inside it. */
const TURN = 0;
const INPUT = 1;
const DELTA = 2;
const BASE_LOW = 3;
const BASE_HIGH = 4;
const THREAD = 5;
const CALLED_OFF = -1;

export const makeBeacon = (): SharedArrayBuffer => new SharedArrayBuffer(24);

export class Beacon {
  readonly #words: Int32Array;
  constructor(buffer: SharedArrayBuffer) {
    this.#words = new Int32Array(buffer);
  }
  /** The thread that the actor runs in; 0 until it runs, and none when it was called off. */
  get thread(): number {
    return Atomics.load(this.#words, THREAD);
  }
  /** Begins in this thread; returns false if the actor was called off. */
  begin(thread: number): boolean {
    return Atomics.compareExchange(this.#words, THREAD, 0, thread) === 0;
  }
  /** Prevents the beginning; returns false if the actor has begun already. */
  callOff(): boolean {
    return Atomics.compareExchange(this.#words, THREAD, 0, CALLED_OFF) === 0;
  }
  /** The following records are of this input and batch. */
  at(input: number, baseOffset: bigint): void {
    this.#words[INPUT] = input;
    this.#words[BASE_LOW] = Number(BigInt.asIntN(32, baseOffset));
    this.#words[BASE_HIGH] = Number(BigInt.asIntN(32, baseOffset >> 32n));
  }
  enter(offsetDelta: number): void {
    failpoint('process.before');
    this.#words[DELTA] = offsetDelta;
    this.#words[TURN]!++;
  }
  leave(): void {
    failpoint('process.handled');
    this.#words[TURN]!++;
  }
  sighting(): Sighting {
    const turn = Atomics.load(this.#words, TURN);
    return { record: turn, inside: (turn & 1) === 1 };
  }
  /** The record that the actor is in, or was in last. */
  place(topics: readonly string[], partition: number): Place | undefined {
    const topic = topics[this.#words[INPUT]!];
    if (topic === undefined) return undefined;
    const base = (BigInt(this.#words[BASE_HIGH]!) << 32n) | BigInt(this.#words[BASE_LOW]! >>> 0);
    return { topic, partition, offset: base + BigInt(this.#words[DELTA]! >>> 0) };
  }
}
