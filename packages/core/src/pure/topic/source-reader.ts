/**
 * A SourceReader pulls records from outside the log: an Observable, a queue, a foreign topic. The actor asks; nothing is
 * pushed.
 *
 * The order is always: pull, commit, acknowledge. `acknowledge` is called after the records made from the arrivals are
 * durable, so a crash between the two repeats arrivals and never loses one. A source that can seek (a foreign topic) returns
 * with each batch the position at which it resumes. That position is committed with the records, so a crash repeats nothing.
 */
import type { Header } from '../record/record.ts';

/** A record from outside, and the identifier that its source knows it by. */
export interface Arrival {
  readonly key: unknown;
  readonly value: unknown;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
  readonly headers?: readonly Header[] | undefined;
  /** The source's own identifier of the arrival (a receipt, a delivery tag): plain data, which only the source reads. */
  readonly item?: unknown;
}
/** A record from outside as bytes, which the source's `decode` turns into an arrival in the actor's thread. */
export interface RawArrival {
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  readonly timestamp: number;
  readonly headers: readonly Header[];
  readonly item?: unknown;
}
export interface ArrivalBatch<A = Arrival> {
  readonly arrivals: readonly A[];
  /** The position at which the source resumes after these arrivals; committed with them. A source that cannot seek leaves it out: the arrivals are counted instead. */
  readonly position?: bigint | undefined;
  /** True when the source has ended: no further pull finds anything. */
  readonly ended: boolean;
}
export interface PullLimit {
  readonly records: number;
  /** Bytes of keys and values together; one arrival may be larger. */
  readonly bytes: number;
}
/** The start of a reader. */
export interface SourceStart {
  /** The group that commits the positions: the pipeline's name. */
  readonly group: string;
  readonly partition: number;
  /** The position that the group committed last; 0 before the first commit. */
  readonly position: bigint;
}

export interface SourceReader<A = Arrival> extends AsyncDisposable {
  /** Resolves when an arrival is there, the source has ended, or the signal is aborted. */
  pull(limit: PullLimit, signal: AbortSignal): Promise<ArrivalBatch<A>>;
  /** Reports that the records made from these arrivals are durable, and the position behind them is committed. */
  acknowledge(items: readonly unknown[], position: bigint): Promise<void>;
  /** Gives these arrivals back, because this reader will not commit them: another one may have them, at once or after `afterMs`. */
  release?(items: readonly unknown[], afterMs: number): Promise<void>;
  /** Keeps these arrivals from other readers for `ms` from now. */
  extend?(items: readonly unknown[], ms: number): Promise<void>;
}
