/**
 * Processes that a handler starts and leaves running. With OFFSPRING=yes each thread of the flagship starts, at its first
 * record, a process that prints the files it inherited and then lives on, even if its parent dies.
 */
import { spawn } from 'node:child_process';

/** Ends by itself after two minutes, if it is not ended earlier. */
const PROGRAM = `
  const { readdirSync, readlinkSync } = require('node:fs');
  const link = (fd) => { try { return [readlinkSync('/proc/self/fd/' + fd)]; } catch { return []; } };
  const files = process.platform === 'linux' ? readdirSync('/proc/self/fd').flatMap(link) : [];
  process.stdout.on('error', () => {});
  console.log(JSON.stringify({ pid: process.pid, files }));
  setTimeout(() => process.exit(), 120_000);
`;

export interface Offspring {
  readonly pid: number;
  /** The targets of its descriptors; empty where the system does not show them. */
  readonly files: readonly string[];
}

/** Prints `offspring {…}` when it is there. */
export const startOffspring = (): void => {
  const child = spawn(process.execPath, ['-e', PROGRAM], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  child.stdout.once('data', (text: Buffer) => console.log(`offspring ${text.toString().trim()}`));
  child.unref();
};
