import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Writable } from 'node:stream';
import { describe, expect, test, vi } from 'vitest';
import { isAlive, ownStart, processStarted } from './process.ts';

describe('whether a process lives', () => {
  test('is told by its number and its start', () => {
    for (const start of [processStarted(process.pid), ownStart()]) expect(isAlive(process.pid, start)).toBe(true);
  });
  test.runIf(process.platform === 'linux')('another process under the number is not it', () => {
    expect(isAlive(process.pid, `1${ownStart()}`)).toBe(false);
  });
  test.runIf(process.platform === 'linux')('nothing is told by a number that counts elsewhere', () =>
    expect(isAlive(process.pid, `${ownStart()}1`)).toBeUndefined(),
  );
  test('is told by its number alone where its start could not be read', () => expect(isAlive(process.pid, '')).toBe(true));
  test.runIf(process.platform === 'linux')('one that has died and that nobody has looked after is dead', async () => {
    // The shell starts one that ends when it is told to, and becomes a program that never looks after it.
    const parent = spawn('sh', ['-c', 'read go <&3 & echo $!; exec cat'], { stdio: ['pipe', 'pipe', 'inherit', 'pipe'] });
    const lines = createInterface(parent.stdout!)[Symbol.asyncIterator]();
    const pid = Number((await lines.next()).value);
    const started = processStarted(pid);
    parent.stdin!.write('become\n');
    expect(await lines.next()).toMatchObject({ value: 'become' });
    expect(isAlive(pid, started)).toBe(true);
    (parent.stdio[3] as Writable).end('go\n');
    await vi.waitFor(() => expect(isAlive(pid, started)).toBe(false), { timeout: 10_000 });
    // It is listed still.
    process.kill(pid, 0);
    parent.kill('SIGKILL');
    await once(parent, 'close');
  });
});
