/**
 * What an actor is doing, in shared memory: written at every record in a nanosecond or two, read by the watchdog.
 *
 * So the host can name the record, the timer or the commit that a hanging or dying thread was in, although the thread itself can no longer
 * report it.
 */
import { failpoint } from '@stoplog/core/private/failpoints';
import type { Activity, OtherActivity, Place } from '../../pure/actor/place.ts';
import type { Sighting } from '../../pure/host/watchdog.ts';

/** The number of the activity begun last; odd while inside it. */
const TURN = 0;
const INPUT = 1;
const DELTA = 2;
const BASE_LOW = 3;
const BASE_HIGH = 4;
const THREAD = 5;
/** Which activity it is, and how many records belong to it: 0 for a record. */
const DOING = 6;
const AMONG = 7;
const CALLED_OFF = -1;
const NUMBER: Readonly<Record<OtherActivity, number>> = { tick: 1, commit: 2 };

export const makeBeacon = (): SharedArrayBuffer => {
  const memory = new SharedArrayBuffer(32);
  new Int32Array(memory)[INPUT] = -1;
  return memory;
};

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
  enterOther(activity: OtherActivity, records: number): void {
    this.#words[DOING] = NUMBER[activity];
    this.#words[AMONG] = records;
    this.#words[TURN]!++;
  }
  leaveOther(): void {
    this.#words[TURN]!++;
    this.#words[DOING] = 0;
  }
  sighting(): Sighting {
    const turn = Atomics.load(this.#words, TURN);
    return { activity: turn, inside: (turn & 1) === 1 };
  }
  /** What the actor is in; undefined between two activities. */
  activity(topics: readonly string[], partition: number): Activity | undefined {
    if (!this.sighting().inside) return undefined;
    const place = this.place(topics, partition);
    const doing = this.#words[DOING];
    if (doing === NUMBER.tick) return { type: 'tick' };
    if (doing === NUMBER.commit) return { type: 'commit', place, among: this.#words[AMONG]! };
    return { type: 'record', place };
  }
  /** The record that the actor is in, or was in last; undefined before the first. */
  place(topics: readonly string[], partition: number): Place | undefined {
    const topic = topics[this.#words[INPUT]!];
    if (topic === undefined) return undefined;
    const base = (BigInt(this.#words[BASE_HIGH]!) << 32n) | BigInt(this.#words[BASE_LOW]! >>> 0);
    return { topic, partition, offset: base + BigInt(this.#words[DELTA]! >>> 0) };
  }
}
