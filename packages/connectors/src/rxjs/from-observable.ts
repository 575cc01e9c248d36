/**
 * An Observable as a source of a pipeline: opened in the thread that reads it, buffered between two pulls.
 *
 * An Observable keeps no position and repeats nothing. Arrivals that the pipeline has committed stay; arrivals in the buffer
 * when the thread dies, or when the app is drained, are lost, and the next incarnation subscribes again. Where that is too
 * little, append to a topic instead (`log.append`), and let the pipeline read the topic.
 */
import { StoplogError, type ValueSource } from '@stoplog/core';
import { checkName } from '@stoplog/core/kit';
import type { Observable } from 'rxjs';
import { ObservableReader, type Dropped } from './observable-reader.ts';
import type { Overflow } from './pure/arrival-buffer.ts';

export interface FromObservable {
  /** The number of arrivals that may wait for the pipeline. */
  readonly buffer: number;
  /**
   * The fate of an arrival when the buffer is full: the oldest one is dropped for it, it is dropped itself, or the source
   * fails with `STOPLOG_SOURCE`.
   */
  readonly overflow: Overflow;
  /** Called with the dropped arrivals, at most once a second; by default a line is written to standard error. */
  readonly dropped?: (dropped: Dropped) => void;
  /** Milliseconds since 1970, read at every arrival for its timestamp. The machine's clock by default. */
  readonly now?: () => number;
}

/**
 * A source whose arrivals are the values of the Observable.
 *
 * `open` is called in the actor's thread, each time the actor starts. An arrival's timestamp is the time it arrived; its key
 * is its number since then, from '0', with dropped ones counted: give it a key of its own with `rekey`. When the Observable
 * completes the source has ended; its error is `STOPLOG_SOURCE`, after the values before it.
 *
 * @example
 * const ticks = fromObservable('ticks', () => interval(100), { buffer: 10_000, overflow: 'drop-oldest' });
 * source(ticks).rekey((n) => n % 4).through(byShard)
 */
export const fromObservable = <V>(name: string, open: () => Observable<V>, spec: FromObservable): ValueSource<string, V> => {
  checkName('source', name);
  const { buffer, overflow, dropped = reportDropped, now = Date.now } = spec;
  if (!Number.isSafeInteger(buffer) || buffer < 1) {
    throw new StoplogError(
      'STOPLOG_USAGE',
      { source: name, buffer },
      `the buffer of source '${name}' is ${String(buffer)}: give the number of arrivals that may wait, such as 10_000`,
    );
  }
  if (!OVERFLOWS.has(overflow)) {
    throw new StoplogError(
      'STOPLOG_USAGE',
      { source: name, overflow },
      `the overflow of source '${name}' is ${String(overflow)}: say 'drop-oldest', 'drop-newest' or 'fail'`,
    );
  }
  return Object.freeze({
    kind: 'source' as const,
    name,
    open: () => Promise.resolve(new ObservableReader({ name, open, capacity: buffer, overflow, dropped, now })),
  });
};

const OVERFLOWS: ReadonlySet<string> = new Set<Overflow>(['drop-oldest', 'drop-newest', 'fail']);

const reportDropped = ({ source, arrivals, arrivalsInAll }: Dropped): void =>
  console.error(
    `stoplog   source '${source}' dropped ${arrivals} arrivals, ${arrivalsInAll} in all: its buffer is full, the log is slower than the Observable`,
  );
