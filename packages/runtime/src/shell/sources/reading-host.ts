/**
 * Starts the thread that reads sources with the first actor that has a source, and connects each such actor to it by a port.
 *
 * A thread that ends (out of memory, or an uncaught exception of a library) closes its ports; its actors fail with
 * `STOPLOG_SOURCE` and are started again, and the first of them to connect starts another thread.
 */
import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads';
import type { Serve } from './reading-thread.ts';

export class ReadingHost {
  readonly #url: string;
  #worker: Worker | undefined;

  /** `url` names the pipeline's module. */
  constructor(url: string) {
    this.#url = url;
  }

  /** Returns the actor's port to a new reader of this source. */
  connect(source: string): MessagePort {
    const { port1, port2 } = new MessageChannel();
    this.#worker ??= this.#start();
    this.#worker.postMessage({ url: this.#url, source, port: port1 } satisfies Serve, [port1]);
    return port2;
  }
  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(new URL('./reading-thread.js', import.meta.url));
    // The app keeps the process alive, and this thread only serves it.
    worker.unref();
    worker.on('error', () => {});
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    return worker;
  }
}
