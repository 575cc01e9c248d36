import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { stoplog } from './fixtures/command-line.ts';

const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url));
const PIPELINE = fileURLToPath(new URL('./fixtures/tickets.pipeline.mjs', import.meta.url));
/** Starts a program as npm does, prints its process id, and passes no signal on. */
const PACKAGE_MANAGER = `
  const { spawn } = require('node:child_process');
  const child = spawn(process.execPath, process.argv.slice(1), { stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, npm_config_user_agent: 'npm/11.0.0' } });
  console.log(child.pid);
`;

test.each([
  ['run', ['run', PIPELINE, '--threads', '1'], 'running in', 'committed and closed in'],
  ['tail', ['tail', 'tickets', '--from', 'earliest', '--limit', '99'], 't0', 'interrupted: not all was shown'],
])('%s ends when the package manager that started it is ended by SIGTERM', async (_, args, ready, last) => {
  const folder = mkdtempSync(join(tmpdir(), 'stoplog-'));
  await stoplog(folder, ['append', 'tickets', '--key-field', 'id', '--pipeline', PIPELINE], '{"id":"t0","state":"open"}');
  const manager = spawn(process.execPath, ['-e', PACKAGE_MANAGER, CLI, ...args], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, err] = ['', ''];
  manager.stdout.on('data', (text: Buffer) => (out += text.toString()));
  manager.stderr.on('data', (text: Buffer) => (err += text.toString()));
  try {
    while (!`${out}${err}`.includes(ready)) await Promise.race([once(manager.stderr, 'data'), once(manager.stdout, 'data')]);
    manager.kill('SIGTERM');
    // The command inherits the pipes of the manager: they are closed when both have ended.
    await once(manager, 'close');
    expect(err).toContain(last);
  } finally {
    try {
      process.kill(Number(out.split('\n')[0]), 'SIGKILL');
    } catch {
      // The command has ended, as it should.
    }
    rmSync(folder, { recursive: true, force: true });
  }
});
