/** Runs the built command `stoplog` to its end; returns its lines when it succeeded. */
import { fileURLToPath } from 'node:url';
import { Child } from './child.ts';

const CLI = fileURLToPath(new URL('../../../packages/cli/dist/', import.meta.url));
export const stoplog = async (...args: readonly string[]): Promise<readonly string[]> => {
  const child = new Child('cli.js', args, { programs: CLI, limitMs: 20_000 });
  const { code, errors } = await child.ended;
  if (code !== 0) throw new Error(`stoplog ${args.join(' ')} ended with ${code}: ${errors}`);
  return child.lines;
};
