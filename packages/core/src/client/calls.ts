/**
 * The calls of a client that are under way, and how closing ends them.
 *
 * After a close each call says what became of it. New calls are refused. An append of an async iterable takes no further record,
 * since such an iterable need not end; an append of an array may take its records until STOP_MS. What was taken is appended, and
 * `error.facts.appended` of an append that was stopped is the number of its records in the log. A log that does not answer
 * until CUT_MS is closed over the rest.
 */
import { setMaxListeners } from 'node:events';
import { StoplogError } from '../pure/errors.ts';

const STOP_MS = 4_000;
const CUT_MS = 5_000;

export class Calls {
  readonly #open = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();
  readonly #stopping = new AbortController();

  constructor() {
    setMaxListeners(0, this.closing, this.stopping);
  }
  /** Aborted when the client begins to close. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }
  /** Aborted when a closing client waits for no further record. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  async run<T>(call: () => Promise<T>): Promise<T> {
    this.closing.throwIfAborted();
    const running = call();
    this.#open.add(running);
    try {
      return await running;
    } finally {
      this.#open.delete(running);
    }
  }
  /** Resolves when every call has settled, or the time is up. */
  async close(): Promise<void> {
    const closed = new StoplogError('STOPLOG_LOG_UNAVAILABLE', {}, 'the log is closed: open it again');
    this.#closing.abort(closed);
    const timers: NodeJS.Timeout[] = [];
    const cut = new Promise<void>((resolve) => {
      timers.push(
        setTimeout(() => this.#stopping.abort(closed), STOP_MS),
        setTimeout(resolve, CUT_MS),
      );
    });
    const settled = async (): Promise<void> => {
      // A call may have begun another one.
      while (this.#open.size > 0) await Promise.allSettled(this.#open);
    };
    await Promise.race([settled(), cut]);
    for (const timer of timers) clearTimeout(timer);
  }
}
