/**
 * The credit of a client: how many bytes of records all of its appends together may hold.
 *
 * An append holds a record's bytes from their encoding until the log has answered the commit. Above the limit an append sends
 * what it has packed and waits, first come first served, before it encodes its next record. So any number of concurrent
 * appends holds the limit and one record, and what waits costs no more than a promise.
 */
import type { QueueLoad } from '../port/log.ts';
import { onAbort } from '../pure/on-abort.ts';

export interface Pressure {
  /** Bytes of records that are encoded, and whose commit the log has not answered. */
  readonly bytes: number;
  /** Appends wait while `bytes` is at or above it. */
  readonly limit: number;
  /** The number of waiting appends. A server may answer 503 while there are some. */
  readonly waiting: number;
  /**
   * The queue of the log's writer, which all clients and actors of this process share: commits wait while it is full.
   * Undefined where the log keeps no queue.
   */
  readonly queue: QueueLoad | undefined;
  /**
   * Resolves when an append would not wait.
   *
   * @example
   * for await (const order of incoming) {
   *   await log.pressure.relieved();
   *   void log.append(orders, [order]).catch(report);
   * }
   */
  relieved(): Promise<void>;
}

/** Two transactions of the writer, so that one append keeps it busy. The log holds a commit's bytes a second time, in its message. */
const LIMIT_BYTES = 8 * 1024 * 1024;

interface Waiting {
  readonly wake: () => void;
  /** Waits for room, and takes none. */
  readonly looks: boolean;
}

export class Credit implements Pressure {
  readonly limit: number;
  readonly #load: () => QueueLoad | undefined;
  #bytes = 0;
  #waiting = 0;
  readonly #queue: Waiting[] = [];
  /** An append was woken, and has not taken its bytes yet. */
  #isTurnTaken = false;

  constructor(load: () => QueueLoad | undefined, limit: number = LIMIT_BYTES) {
    this.#load = load;
    this.limit = limit;
  }

  get queue(): QueueLoad | undefined {
    return this.#load();
  }
  get bytes(): number {
    return this.#bytes;
  }
  get waiting(): number {
    return this.#waiting;
  }
  /** An append waits also behind others that wait. */
  get isSpent(): boolean {
    return this.#bytes >= this.limit || this.#queue.length > 0;
  }
  async relieved(): Promise<void> {
    if (this.isSpent) await new Promise<void>((wake) => this.#queue.push({ wake, looks: true }));
  }

  /** Runs `take` when it is this caller's turn and there is room; rejects when a signal is aborted first. */
  async inTurn(take: () => Promise<void> | undefined, signals: readonly (AbortSignal | undefined)[]): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const abort = (signal: AbortSignal): void => {
        const at = this.#queue.indexOf(one);
        if (at < 0) return;
        this.#queue.splice(at, 1);
        this.#waiting--;
        stop();
        reject(signal.reason as Error);
      };
      let stops: readonly (() => void)[] = [];
      const stop = (): void => stops.forEach((end) => end());
      const one: Waiting = {
        looks: false,
        wake: () => {
          this.#waiting--;
          stop();
          resolve();
        },
      };
      this.#queue.push(one);
      this.#waiting++;
      stops = signals.map((signal) => onAbort(signal, () => abort(signal!)));
    });
    try {
      return take();
    } finally {
      this.#isTurnTaken = false;
      this.#wake();
    }
  }
  take(bytes: number): void {
    this.#bytes += bytes;
  }
  give(bytes: number): void {
    this.#bytes -= bytes;
    this.#wake();
  }

  /** One append at a time: how much it takes shows only when it has encoded its record. */
  #wake(): void {
    while (!this.#isTurnTaken && this.#bytes < this.limit) {
      const next = this.#queue.shift();
      if (next === undefined) return;
      this.#isTurnTaken = !next.looks;
      next.wake();
    }
  }
}
