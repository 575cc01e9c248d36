/**
 * The actor's side of a reader that runs in the thread for sources: it sends requests over a port.
 *
 * A port that closes without a message means that the thread ended: every call then rejects with `STOPLOG_SOURCE`.
 */
import type { MessagePort } from 'node:worker_threads';
import { StoplogError } from '@stoplog/core';
import type { ArrivalBatch, PullLimit, RawArrival, SourceReader, SourceStart } from '@stoplog/core/port';
import { errorFromData } from '@stoplog/core/kit';
import { decodeArrivals } from '../../pure/sources/raw-arrivals.ts';
import type { FromReader, ToReader } from '../../pure/sources/reading-messages.ts';

interface Call {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}
type Arrivals = Extract<FromReader, { readonly type: 'arrivals' }>;

export class RemoteReader implements SourceReader<RawArrival> {
  readonly #name: string;
  readonly #port: MessagePort;
  readonly #calls = new Map<number, Call>();
  #number = 0;
  /** The call that is not numbered: opening, or the pull. */
  #asked: { readonly resolve: (message: FromReader) => void; readonly reject: (error: Error) => void } | undefined;
  #over: Error | undefined;

  /** `name` names the source in errors. */
  constructor(name: string, port: MessagePort) {
    this.#name = name;
    this.#port = port;
    port.on('message', (message: FromReader) => this.#hear(message));
    port.on('close', () => this.#end());
  }

  async open(start: SourceStart): Promise<this> {
    await this.#ask({ type: 'open', start });
    return this;
  }
  async pull(limit: PullLimit, signal: AbortSignal): Promise<ArrivalBatch<RawArrival>> {
    const stop = (): void => this.#port.postMessage({ type: 'stop' } satisfies ToReader);
    signal.addEventListener('abort', stop, { once: true });
    try {
      const asked = this.#ask({ type: 'pull', limit });
      if (signal.aborted) stop();
      const { batch, items, position, ended } = (await asked) as Arrivals;
      return { arrivals: decodeArrivals(batch, items), position, ended };
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }
  acknowledge(items: readonly unknown[], position: bigint): Promise<void> {
    return this.#call((call) => ({ type: 'acknowledge', call, items, position }));
  }
  release(items: readonly unknown[], afterMs: number): Promise<void> {
    return this.#call((call) => ({ type: 'release', call, items, afterMs }));
  }
  extend(items: readonly unknown[], ms: number): Promise<void> {
    return this.#call((call) => ({ type: 'extend', call, items, ms }));
  }
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#over !== undefined) return;
    await this.#call((call) => ({ type: 'close', call })).finally(() => this.#port.close());
  }

  #ask(message: ToReader): Promise<FromReader> {
    return new Promise((resolve, reject) => {
      if (this.#over !== undefined) return reject(this.#over);
      this.#asked = { resolve, reject };
      this.#port.postMessage(message);
    });
  }
  #call(message: (call: number) => ToReader): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#over !== undefined) return reject(this.#over);
      const call = ++this.#number;
      this.#calls.set(call, { resolve, reject });
      this.#port.postMessage(message(call));
    });
  }
  #hear(message: FromReader): void {
    if (message.type === 'opened' || message.type === 'arrivals') return this.#asked?.resolve(message);
    if (message.type === 'failed' && message.call === undefined) return this.#asked?.reject(errorFromData(message.error));
    const call = this.#calls.get(message.call!);
    this.#calls.delete(message.call!);
    if (message.type === 'done') call?.resolve();
    else call?.reject(errorFromData(message.error));
  }
  #end(): void {
    this.#over = new StoplogError(
      'STOPLOG_SOURCE',
      { source: this.#name },
      `the thread that reads source '${this.#name}' ended: its actor is started again from the last commit. If it happens again, look at the memory of the process and at the errors of the source's library`,
    );
    this.#asked?.reject(this.#over);
    for (const { reject } of this.#calls.values()) reject(this.#over);
    this.#calls.clear();
  }
}
