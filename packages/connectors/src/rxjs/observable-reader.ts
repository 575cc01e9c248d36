/**
 * Reads one subscription of an Observable: pushed values are buffered, and pulls take them from the buffer.
 *
 * An end (completion, an error, an overflow) comes after the buffered values, as it does in the Observable.
 */
import { StoplogError } from '@stoplog/core';
import type { ArrivalBatch, PullLimit, SourceReader } from '@stoplog/core/port';
import { defer, Subject, takeUntil, type Observable } from 'rxjs';
import { ArrivalBuffer, type Overflow } from './pure/arrival-buffer.ts';

/** Arrivals that a source dropped since its last report. */
export interface Dropped {
  readonly source: string;
  readonly arrivals: number;
  /** Since the source was opened. */
  readonly arrivalsInAll: number;
}

interface ReaderParts {
  readonly name: string;
  readonly open: () => Observable<unknown>;
  readonly capacity: number;
  readonly overflow: Overflow;
  readonly dropped: (dropped: Dropped) => void;
  readonly now: () => number;
}

const TELL_MS = 1_000;

export class ObservableReader implements SourceReader {
  readonly #parts: ReaderParts;
  readonly #buffer: ArrivalBuffer;
  /** Also ends a subscription that emits while it is being made. */
  readonly #stop = new Subject<void>();
  #end: { readonly error: StoplogError | undefined } | undefined;
  #changed: () => void = () => {};
  #untold = 0;
  #droppedInAll = 0;
  #reporting: NodeJS.Timeout | undefined;

  constructor(parts: ReaderParts) {
    this.#parts = parts;
    this.#buffer = new ArrivalBuffer(parts.capacity, parts.overflow);
    defer(parts.open)
      .pipe(takeUntil(this.#stop))
      .subscribe({
        next: (value) => this.#offer(value),
        error: (error: unknown) => this.#ends(this.#failed(error)),
        complete: () => this.#ends(undefined),
      });
  }

  async pull({ records }: PullLimit, signal: AbortSignal): Promise<ArrivalBatch> {
    if (this.#buffer.size === 0 && this.#end === undefined && !signal.aborted) await this.#change(signal);
    const arrivals = this.#buffer.take(records);
    const over = this.#buffer.size === 0 ? this.#end : undefined;
    if (over?.error !== undefined && arrivals.length === 0) throw over.error;
    return { arrivals, ended: over !== undefined && over.error === undefined };
  }
  /** An Observable takes no acknowledgements. */
  async acknowledge(): Promise<void> {}

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.next();
    this.#report();
  }

  #offer(value: unknown): void {
    const { name, capacity, now } = this.#parts;
    const offered = this.#buffer.offer(value, now());
    if (offered === 'dropped') {
      this.#untold++;
      this.#reporting ??= setTimeout(() => this.#report(), TELL_MS).unref();
    } else if (offered === 'overflowed') {
      this.#ends(
        new StoplogError(
          'STOPLOG_SOURCE',
          { source: name, buffer: capacity },
          `source '${name}' emits faster than the log takes it, and its buffer of ${capacity} is full: make it larger, or choose what to lose with overflow: 'drop-oldest' or 'drop-newest'`,
        ),
      );
      this.#stop.next();
    }
    this.#changed();
  }
  /** The first end counts; stopping the subscription completes it once more. */
  #ends(error: StoplogError | undefined): void {
    this.#end ??= { error };
    this.#changed();
  }
  #failed(error: unknown): StoplogError {
    const cause = error instanceof Error ? error : new Error(String(error));
    return new StoplogError(
      'STOPLOG_SOURCE',
      { source: this.#parts.name, cause: cause.message },
      `the Observable of source '${this.#parts.name}' failed: ${cause.message}. It is opened again; what it can mend itself, let it mend with retry()`,
      { cause },
    );
  }
  #report(): void {
    clearTimeout(this.#reporting);
    this.#reporting = undefined;
    if (this.#untold === 0) return;
    this.#droppedInAll += this.#untold;
    const dropped: Dropped = { source: this.#parts.name, arrivals: this.#untold, arrivalsInAll: this.#droppedInAll };
    this.#untold = 0;
    this.#parts.dropped(dropped);
  }
  /** Resolves at an arrival or an end, or when the signal is aborted. */
  async #change(signal: AbortSignal): Promise<void> {
    let changed = (): void => {};
    const change = new Promise<void>((resolve) => {
      changed = resolve;
    });
    this.#changed = changed;
    signal.addEventListener('abort', changed, { once: true });
    await change;
    signal.removeEventListener('abort', changed);
    this.#changed = () => {};
  }
}
