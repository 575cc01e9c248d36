import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stoplog } from './fixtures/command-line.ts';

const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url));
const PIPELINE = fileURLToPath(new URL('./fixtures/tickets.pipeline.mjs', import.meta.url));
const RECORDS = 5_000;
let folder = '';
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stoplog-'));
  const lines = Array.from({ length: RECORDS }, (_, i) => `{"id":"t${i}","state":"open"}\n`).join('');
  await stoplog(folder, ['append', 'tickets', '--key-field', 'id', '--pipeline', PIPELINE], lines);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the command with its standard output redirected to a file. */
const into = async (path: string, command: string, args: readonly string[]): Promise<{ readonly code: number | null; readonly err: string }> => {
  const file = openSync(path, 'a');
  try {
    const child = spawn(command, args, { cwd: folder, stdio: ['ignore', file, 'pipe'] });
    let err = '';
    child.stderr!.on('data', (text: Buffer) => (err += text.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, err };
  } finally {
    closeSync(file);
  }
};
const FAILED = /^STOPLOG_OUTPUT {2}standard output cannot be written: ENOSPC\b.*make room/m;

/** Every write to this device fails for want of space. */
const hasFullDevice = existsSync('/dev/full');
if (!hasFullDevice) console.log('skipped: this system has no /dev/full, which is always full');
describe.runIf(hasFullDevice)('standard output that cannot be written', () => {
  test.each([
    ['tail', ['tail', 'tickets', '--until-end', '--json']],
    ['topics', ['topics', '--json']],
    ['check', ['check', '--json']],
    ['help', ['--help']],
  ])('a full disk makes %s fail with a sentence', async (_, args) => {
    expect(await into('/dev/full', process.execPath, [CLI, ...args])).toEqual({ code: 1, err: expect.stringMatching(FAILED) });
  });

  test('a full disk ends run with exit code 1', async () => {
    expect(await into('/dev/full', process.execPath, [CLI, 'run', PIPELINE, '--threads', '1', '--json'])).toMatchObject({
      code: 1,
      err: expect.stringMatching(FAILED),
    });
  });

  test('a plan that could not be printed is not carried out', async () => {
    expect((await into('/dev/full', process.execPath, [CLI, 'groups', 'reset', 'readers', '--topic', 'tickets', '--to-latest', '--execute'])).code).toBe(1);
    expect((await stoplog(folder, ['groups', 'export', 'readers'])).err).toMatch(/^STOPLOG_GROUP_UNKNOWN/);
  });
});

test('a write that the file accepts only in part makes the command fail', async () => {
  const path = join(folder, 'records.ndjson');
  const LIMIT = 64 * 1024 * 1024;
  writeFileSync(path, '');
  truncateSync(path, LIMIT - 20_000);
  // The shell keeps every file of the command below 64 MB: the write that comes there is cut in the middle, and the next one fails.
  const limited = await into(path, 'bash', ['-c', `ulimit -f ${LIMIT / 1024}; exec '${process.execPath}' '${CLI}' tail tickets --until-end --json`]);
  expect(limited).toEqual({ code: 1, err: expect.stringMatching(/^STOPLOG_OUTPUT {2}standard output cannot be written: EFBIG/) });
  expect(statSync(path).size).toBe(LIMIT);
});
