/** A separate program, measured from outside or killed: it prints lines of JSON. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface Child {
  /** The next line; throws when the program has ended instead. */
  readonly line: <T>() => Promise<T>;
  /** kill -9; resolves when the process is gone. */
  readonly kill: () => Promise<void>;
  /** SIGTERM; resolves when the process has ended. */
  readonly end: () => Promise<void>;
}

export const startChild = (module: URL, ...args: readonly string[]): Child => {
  const child = spawn(process.execPath, [module.pathname, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const gone = once(child, 'exit');
  return {
    line: async <T>() => {
      const { value, done } = await lines.next();
      if (done === true) throw new Error(`${module.pathname} ended before it had printed a line`);
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

export const report = (message: unknown): void => void process.stdout.write(`${JSON.stringify(message)}\n`);
