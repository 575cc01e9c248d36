import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Writable } from 'node:stream';
import { describe, expect, test, vi } from 'vitest';
import { isAlive, ownStart, processStarted } from './process.ts';

describe('the check for a living process', () => {
  test('a process is recognized by its number and its start', () => {
    for (const start of [processStarted(process.pid), ownStart()]) expect(isAlive(process.pid, start)).toBe(true);
  });
  test.runIf(process.platform === 'linux')('another process under the number is not taken for it', () => {
    expect(isAlive(process.pid, `1${ownStart()}`)).toBe(false);
  });
  test.runIf(process.platform === 'linux')('a number of another name space gives no answer', () =>
    expect(isAlive(process.pid, `${ownStart()}1`)).toBeUndefined(),
  );
  test('a process is recognized by its number alone where its start could not be read', () => expect(isAlive(process.pid, '')).toBe(true));
  test.runIf(process.platform === 'linux')('a process that has died counts as dead before its parent has waited for it', async () => {
    // The shell starts a process that ends on command, and becomes a program that never waits for it.
    const parent = spawn('sh', ['-c', 'read go <&3 & echo $!; exec cat'], { stdio: ['pipe', 'pipe', 'inherit', 'pipe'] });
    const lines = createInterface(parent.stdout!)[Symbol.asyncIterator]();
    const pid = Number((await lines.next()).value);
    const started = processStarted(pid);
    parent.stdin!.write('become\n');
    expect(await lines.next()).toMatchObject({ value: 'become' });
    expect(isAlive(pid, started)).toBe(true);
    (parent.stdio[3] as Writable).end('go\n');
    await vi.waitFor(() => expect(isAlive(pid, started)).toBe(false), { timeout: 10_000 });
    // The dead process is still listed.
    process.kill(pid, 0);
    parent.kill('SIGKILL');
    await once(parent, 'close');
  });
});
