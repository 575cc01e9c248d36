/**
 * The threads that actors share: a pool that is started first of all, and made ready while the log is being opened.
 *
 * A thread takes some hundred milliseconds to load the modules of an actor; an actor that finds them loaded starts within a few.
 */
import { MessageChannel } from 'node:worker_threads';
import { Piscina } from 'piscina';
import type { LogLink } from '@stoplog/core/port';
import type { FromActor, Line, Start, ToActor, Warming } from '../../pure/host/mailbox.ts';
import { EXIT_LACKING_FILES } from '../../pure/host/lacks-files.ts';
import type { Plan } from '../../pure/topology/plan.ts';
import { lackOfFiles, orLackOfFiles } from '../open-files.ts';
import { Beacon, makeBeacon } from './beacon.ts';

export class Threads {
  readonly #pool: Piscina;
  /** The tasks that the pool has and that have not ended, each with its rejection. */
  readonly #given = new Map<Start | Warming, (error: Error) => void>();

  /** The part of a thread's heap for one actor, when the thread is full. */
  readonly heapMbOfActor: number;

  constructor(plan: Plan, atMost: number, heapMb: number) {
    const actors = plan.tasks.reduce((sum, task) => sum + task.partitions, 0);
    const threads = Math.max(1, Math.min(atMost, actors));
    const actorsOfThread = Math.max(1, Math.ceil(actors / threads));
    this.heapMbOfActor = heapMb / actorsOfThread;
    this.#pool = new Piscina({
      filename: new URL('./thread.js', import.meta.url).href,
      minThreads: threads,
      maxThreads: threads,
      concurrentTasksPerWorker: actorsOfThread,
      idleTimeout: Infinity,
      // An idle worker would otherwise sleep in Atomics.wait, and its timers and messages with it.
      atomics: 'disabled',
      // A handler that uses up all memory ends its thread, not the process.
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    });
    // A thread that dies is reported by its tasks; a thread that could not begin has none yet.
    this.#pool.on('error', (error: Error) => this.#cannotBegin(error));
  }

  get count(): number {
    return this.#pool.options.maxThreads;
  }
  /** Lets every thread import the pipeline and open the log as soon as there is a link. A failure here occurs again in an actor, which reports it. */
  async warm(warming: Omit<Warming, 'beacon' | 'port'>, link: () => Promise<LogLink>): Promise<void> {
    const warmOne = async (): Promise<void> => {
      const { port1, port2 } = new MessageChannel();
      port1.on('message', (message: FromActor) => {
        if (message.type === 'need-link') void giveLink(port1, link).catch(() => port1.close());
      });
      await this.run({ ...warming, beacon: makeBeacon(), port: port2 }).catch(() => {});
      port1.close();
    };
    await Promise.all(Array.from({ length: this.count }, warmOne));
  }
  /** Resolves when the task has ended by itself, and rejects when its thread has ended under it. */
  async run(begin: Start | Warming): Promise<void> {
    let refuse: (error: Error) => void = () => {};
    const refused = new Promise<never>((_, reject) => (refuse = reject));
    this.#given.set(begin, refuse);
    try {
      await Promise.race([this.#pool.run(begin, { transferList: transferred(begin) }), refused]);
    } catch (error) {
      throw isExit(error, EXIT_LACKING_FILES) ? lackOfFiles(new Error('its thread ended for lack of files')) : orLackOfFiles(error);
    } finally {
      this.#given.delete(begin);
    }
  }
  /**
   * Piscina keeps queued tasks but starts no new thread for them. So tasks that have not begun are called off and rejected here, and the
   * host retries.
   */
  #cannotBegin(error: Error): void {
    for (const [begin, refuse] of this.#given) if (new Beacon(begin.beacon).callOff()) refuse(error);
  }
  /** Ends a thread without draining; the pool starts another. (A task that the pool itself could abort would get a thread of its own.) */
  end(thread: number): void {
    void this.#pool.threads.find(({ threadId }) => threadId === thread)?.terminate();
  }
  /** Ends all threads without draining. */
  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}

const transferred = (begin: Start | Warming): never[] => ('line' in begin && begin.line !== undefined ? [begin.port, begin.line] : [begin.port]) as never[];

/** The pool reports the exit of a thread only in this text. */
const isExit = (error: unknown, code: number): boolean => error instanceof Error && error.message === `worker exited with code: ${code}`;

/** Answers an actor that asked for a line to the writer. */
export const giveLink = async (port: Line, link: () => Promise<LogLink>): Promise<void> => {
  const { data, transfer } = await link();
  port.postMessage({ type: 'link', link: data } satisfies ToActor, transfer);
};
