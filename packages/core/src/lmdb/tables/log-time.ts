/**
 * The clock of the log in the writer thread: looks at the two clocks of the machine, and keeps its state in the log.
 *
 * The state is one small row of `meta`, written when the log is opened, when the wall clock jumps or is followed, and once a minute
 * where a topic forgets by age. A process that is killed loses a minute of it at most: its successor then waits an hour before it
 * believes the wall clock about that minute.
 */
import { stampOf, step, type LogClock, type LogClockEvent } from '../../pure/time/log-clock.ts';
import { clockKey, fromBytes, toBytes } from '../layout/meta.ts';
import { clocksOf, type Env, type EnvOptions } from './env.ts';
import { put, read } from './sealed.ts';

/** The times that the writer needs. */
export interface Times {
  /** The clock of the log: ages are measured by it. */
  readonly now: () => number;
  /** The time stamped on an append, from which its age is measured. */
  readonly stamp: () => number;
  /** The wall clock: the time for people and for records. */
  readonly wall: () => number;
  /** True while the wall clock differs from the clock of the log, and is not followed yet. */
  readonly isOff: () => boolean;
}
/** Makes all times from one clock, which never jumps. */
export const timesOf = (now: () => number): Times => ({ now, stamp: now, wall: now, isOff: () => false });

const SAVE_MS = 60_000;

export class LogTime implements Times {
  readonly #wall: () => number;
  readonly #monotonic: () => number;
  #state: LogClock;
  #lookedAt: number;
  #saved: LogClock | undefined;

  /** Called outside of transactions. */
  constructor(env: Env, clock: EnvOptions['clock']) {
    ({ wall: this.#wall, monotonic: this.#monotonic } = clocksOf(clock));
    this.#lookedAt = this.#monotonic();
    env.root.resetReadTxn();
    const kept = keptClock(env);
    this.#state = kept ?? { time: this.#wall(), off: undefined };
    this.#step({ type: 'opened', wall: this.#wall() });
    // The stored state is unchanged, so it need not be written again.
    if (kept !== undefined && kept.off === this.#state.off) this.#saved = kept;
  }
  // Whole milliseconds, as in all stamps: the monotonic clock is finer.
  readonly now = (): number => Math.floor(this.#look().time);
  readonly stamp = (): number => Math.floor(stampOf(this.#look(), this.#wall()));
  readonly wall = (): number => this.#wall();
  readonly isOff = (): boolean => this.#look().off !== undefined;

  /** True when the row in the log is too old, or differs from the state. */
  isToBeSaved(): boolean {
    const { time, off } = this.#look();
    const saved = this.#saved;
    return saved === undefined || (saved.off === undefined) !== (off === undefined) || time < saved.time || time - saved.time >= SAVE_MS;
  }
  /** Called inside a write transaction. */
  save(env: Env): void {
    this.#saved = this.#look();
    put(env, 'meta', clockKey(), toBytes(this.#saved));
  }

  #look(): LogClock {
    const at = this.#monotonic();
    this.#step({ type: 'looked', wall: this.#wall(), elapsedMs: at - this.#lookedAt });
    this.#lookedAt = at;
    return this.#state;
  }
  #step(event: LogClockEvent): void {
    [this.#state] = step(this.#state, event);
  }
}

/** The clock as stored in the log; undefined where none was stored, or it is damaged. */
const keptClock = (env: Env): LogClock | undefined => {
  try {
    const bytes = read(env, 'meta', clockKey());
    return bytes === undefined ? undefined : decodeClock(bytes);
  } catch {
    return undefined; // The check reports it; ages are counted by the wall clock, as in a new log.
  }
};
/** Returns undefined for bytes that are no clock. */
export const decodeClock = (bytes: Uint8Array): LogClock | undefined => {
  const { time, off } = fromBytes<LogClock>(bytes);
  return Number.isFinite(time) ? { time, off } : undefined;
};
