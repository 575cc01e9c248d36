/** A program of its own, measured from outside or killed: what it prints are lines of JSON. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface Child {
  /** The next line; throws when the program has ended instead. */
  readonly line: <T>() => Promise<T>;
  /** kill -9, and until it is gone. */
  readonly kill: () => Promise<void>;
  /** SIGTERM, and until it has ended by itself. */
  readonly end: () => Promise<void>;
}

export const startChild = (module: URL, ...args: readonly string[]): Child => {
  const child = spawn(process.execPath, [module.pathname, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const gone = once(child, 'exit');
  return {
    line: async <T>() => {
      const { value, done } = await lines.next();
      if (done === true) throw new Error(`${module.pathname} ended before it had told anything`);
      return JSON.parse(value) as T;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await gone;
    },
    end: async () => {
      child.kill('SIGTERM');
      await gone;
    },
  };
};

export const tell = (message: unknown): void => void process.stdout.write(`${JSON.stringify(message)}\n`);
