/** Starts the compiled programs of this package, awaits their output, and kills a program that does not end in its time. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The program's standard error, with a note if it was killed because its time was up. */
  readonly errors: string;
}
export interface ChildOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly nodeArgs?: readonly string[];
  /** Killed after this time in any case. */
  readonly limitMs?: number;
  /** The folder of the compiled programs: of this package, or of a copy with a bug. */
  readonly programs?: string;
  /** A command that runs the program, such as `strace …`. */
  readonly under?: readonly string[];
}
export const PROGRAMS: string = fileURLToPath(new URL('../../dist/', import.meta.url));

export class Child {
  readonly process: ChildProcess;
  readonly lines: string[] = [];
  readonly ended: Promise<Ended>;
  #heard: (() => void)[] = [];
  isOver = false;

  constructor(program: string, args: readonly string[], { env = {}, nodeArgs = [], limitMs = 60_000, programs = PROGRAMS, under = [] }: ChildOptions = {}) {
    const [command, ...rest] = [...under, process.execPath, ...nodeArgs, `${programs}${program}`, ...args];
    const child = spawn(command!, rest, { stdio: ['pipe', 'pipe', 'pipe'], env: { ...process.env, ...env } });
    this.process = child;
    let errors = '';
    const limit = setTimeout(() => {
      errors += `[its ${limitMs / 1000} s were up]`;
      child.kill('SIGKILL');
    }, limitMs);
    child.stderr.on('data', (text: Buffer) => (errors += text.toString()));
    child.stdin.on('error', () => {});
    createInterface(child.stdout).on('line', (line) => {
      this.lines.push(line);
      this.#wake();
    });
    this.ended = once(child, 'close').then(([code, signal]: unknown[]) => {
      clearTimeout(limit);
      this.isOver = true;
      this.#wake();
      return { code: code as number | null, signal: signal as NodeJS.Signals | null, errors };
    });
  }
  /** The first line with this beginning; undefined when the program ended without it. */
  async heard(beginning: string): Promise<string | undefined> {
    for (;;) {
      const line = this.lines.find((one) => one.startsWith(beginning));
      if (line !== undefined || this.isOver) return line;
      await new Promise<void>((resolve) => this.#heard.push(resolve));
    }
  }
  /** As `heard`; throws when the program ended without the line. */
  async said(beginning: string): Promise<string> {
    const line = await this.heard(beginning);
    if (line === undefined)
      throw new Error(`the program ended before it said '${beginning}': ${JSON.stringify({ ...(await this.ended), lines: this.lines.slice(-20) }, null, 1)}`);
    return line;
  }
  send(line: string): void {
    this.process.stdin!.write(`${line}\n`);
  }
  kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<Ended> {
    this.process.kill(signal);
    return this.ended;
  }
  #wake(): void {
    for (const wake of this.#heard.splice(0)) wake();
  }
}
