/**
 * A SourceReader pulls what lies outside the log: an Observable, a queue, a foreign topic. It is asked, never pushed.
 *
 * `acknowledge` is called after the records made from a batch are durable, so a crash between the two repeats a batch
 * and never loses one.
 */
export interface Arrival {
  readonly key: unknown;
  readonly value: unknown;
  readonly timestamp: number;
}
export interface ArrivalBatch {
  readonly arrivals: readonly Arrival[];
  /** True when the source has ended: no further pull will find anything. */
  readonly ended: boolean;
}
export interface SourceReader extends AsyncDisposable {
  /** Resolves when at least one arrival is there, the source has ended, or the signal is aborted. */
  pull(limit: { readonly records: number }, signal: AbortSignal): Promise<ArrivalBatch>;
  acknowledge(batch: ArrivalBatch): Promise<void>;
}
