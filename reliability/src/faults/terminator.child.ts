/**
 * Loaded before a program (`--import`): ends threads of its pool at random moments, TERMINATIONS times, each once it has seen
 * a record (`announce` in flagship/at-work.ts), since a thread that is still loading has nothing to lose. The pool takes
 * `Worker` from the CommonJS side of node:worker_threads; the log's writer does not, and is left alone.
 */
import { createRequire } from 'node:module';
import { BroadcastChannel, isMainThread, type Worker } from 'node:worker_threads';
import { AT_WORK } from '../flagship/at-work.ts';
import { chance } from '../harness/chance.ts';

/**
 * Long enough for a commit or two in between: a thread that dies five times at one record, without a commit, stops that
 * record's partition.
 */
const WITHIN_MS = 400;
const threads = createRequire(import.meta.url)('node:worker_threads') as { Worker: typeof Worker };

if (isMainThread) {
  const all = new Set<Worker>();
  const atWork = new Set<Worker>();
  threads.Worker = class extends threads.Worker {
    constructor(...args: ConstructorParameters<typeof Worker>) {
      super(...args);
      all.add(this);
      this.once('exit', () => {
        all.delete(this);
        atWork.delete(this);
      });
    }
  };
  const heard = new BroadcastChannel(AT_WORK);
  heard.onmessage = ({ data }: { readonly data: unknown }) => {
    for (const worker of all) if (worker.threadId === data) atWork.add(worker);
  };
  heard.unref();
  const random = chance(Number(process.env['TERMINATE_SEED'] ?? 0));
  let left = Number(process.env['TERMINATIONS'] ?? 0);
  const next = (): void => {
    if (left === 0) return;
    setTimeout(() => {
      const victims = [...atWork];
      const victim = victims[Math.floor(random() * victims.length)];
      if (victim === undefined) return next();
      left--;
      atWork.delete(victim);
      const since = performance.now();
      void victim.terminate().then(() => {
        console.log(`terminated ${Math.round(performance.now() - since)}`);
        next();
      });
    }, random() * WITHIN_MS).unref();
  };
  next();
}
