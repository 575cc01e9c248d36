/**
 * The threads that actors share: a pool that is started first of all, and made ready while the log is being opened.
 *
 * To load what an actor needs takes a thread some hundred milliseconds, and an actor that finds it loaded starts within a few.
 */
import { MessageChannel } from 'node:worker_threads';
import { Piscina } from 'piscina';
import type { LogLink } from '@stoplog/core/port';
import type { FromActor, Start, ToActor, Warming } from '../../pure/mailbox.ts';
import type { Plan } from '../../pure/topology/plan.ts';

export class Threads {
  readonly #pool: Piscina;

  constructor(plan: Plan, atMost: number, heapMb: number) {
    const actors = plan.tasks.reduce((sum, task) => sum + task.partitions, 0);
    const threads = Math.max(1, Math.min(atMost, actors));
    this.#pool = new Piscina({
      filename: new URL('./thread.js', import.meta.url).href,
      minThreads: threads,
      maxThreads: threads,
      concurrentTasksPerWorker: Math.ceil(actors / threads),
      idleTimeout: Infinity,
      // An idle worker would otherwise sleep in Atomics.wait, and its timers and messages with it.
      atomics: 'disabled',
      // A handler that eats all memory ends its thread, not the process.
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    });
    // A thread that dies is reported by the tasks it takes along.
    this.#pool.on('error', () => {});
  }

  get count(): number {
    return this.#pool.options.maxThreads;
  }
  /** Lets every thread import the pipeline and open the log as soon as there is a link; what fails here fails again in an actor, which tells it. */
  async warm(warming: Omit<Warming, 'port'>, link: () => Promise<LogLink>): Promise<void> {
    const warmOne = async (): Promise<void> => {
      const { port1, port2 } = new MessageChannel();
      port1.on('message', (message: FromActor) => {
        if (message.type === 'need-link') void giveLink(port1, link).catch(() => port1.close());
      });
      await this.run({ ...warming, port: port2 }).catch(() => {});
      port1.close();
    };
    await Promise.all(Array.from({ length: this.count }, warmOne));
  }
  /** Resolves when what was begun has ended by itself, and rejects when its thread has ended under it. */
  async run(begin: Start | Warming): Promise<void> {
    await this.#pool.run(begin, { transferList: [begin.port as never] });
  }
  /** Ends one as it is; the pool starts another. (A task that the pool itself could abort would get a thread of its own.) */
  end(thread: number): void {
    void this.#pool.threads.find(({ threadId }) => threadId === thread)?.terminate();
  }
  /** All end as they are. */
  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}

/** Answers an actor that asked for a line to the writer. */
export const giveLink = async (port: LogLink['port'], link: () => Promise<LogLink>): Promise<void> => {
  const given = await link();
  port.postMessage({ type: 'link', link: given } satisfies ToActor, [given.port]);
};
