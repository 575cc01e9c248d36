/**
 * Loaded before a program (`--import`): ends threads of its pool at random moments, TERMINATIONS times, each once it does something.
 * The pool takes `Worker` from the CommonJS face of node:worker_threads; the log's writer does not, and is left alone.
 */
import { createRequire } from 'node:module';
import { isMainThread, type Worker } from 'node:worker_threads';
import { chance } from '../harness/chance.ts';

const WITHIN_MS = 60;
const threads = createRequire(import.meta.url)('node:worker_threads') as { Worker: typeof Worker };

if (isMainThread) {
  const alive = new Set<Worker>();
  threads.Worker = class extends threads.Worker {
    constructor(...args: ConstructorParameters<typeof Worker>) {
      super(...args);
      this.once('message', () => alive.add(this));
      this.once('exit', () => alive.delete(this));
    }
  };
  const random = chance(Number(process.env['TERMINATE_SEED'] ?? 0));
  let left = Number(process.env['TERMINATIONS'] ?? 0);
  const next = (): void => {
    if (left === 0) return;
    setTimeout(() => {
      const all = [...alive];
      const victim = all[Math.floor(random() * all.length)];
      if (victim === undefined) return next();
      left--;
      const since = performance.now();
      void victim.terminate().then(() => {
        console.log(`terminated ${Math.round(performance.now() - since)}`);
        next();
      });
    }, random() * WITHIN_MS).unref();
  };
  next();
}
