import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FAILPOINTS, parseFailpoints } from '@stoplog/core/private/failpoints';
import { describe, expect, test } from 'vitest';

const entry = fileURLToPath(import.meta.resolve('@stoplog/core/private/failpoints'));
/** A program that passes 'append.before' three times and prints each pass. */
const program = `import { failpoint } from ${JSON.stringify(`file://${entry}`)}; for (let i = 1; i <= 3; i++) { try { failpoint('append.before'); console.log(i); } catch (error) { console.log(error.code); } }`;
const met = (env: Record<string, string>): { readonly lines: string; readonly signal: string | null; readonly errors: string } => {
  const { stdout, stderr, signal } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    env: { ...process.env, ...env },
    timeout: 20_000,
    encoding: 'utf8',
  });
  return { lines: stdout.trim().replaceAll('\n', ' '), signal, errors: stderr };
};

describe('failpoints', () => {
  test('a failpoint that is not armed does nothing', () => expect(met({}).lines).toBe('1 2 3'));
  test('a failpoint fails at the named hit, or from it on', () => {
    expect(met({ STOPLOG_FAILPOINTS: 'append.before=fail#2' }).lines).toBe('1 EIO 3');
    expect(met({ STOPLOG_FAILPOINTS: 'append.before=fail#2+' }).lines).toBe('1 EIO EIO');
    expect(met({ STOPLOG_FAILPOINTS: 'append.acked=fail' }).lines).toBe('1 2 3');
  });
  test('a failpoint kills its process and leaves a note', () => {
    const folder = mkdtempSync(join(tmpdir(), 'stoplog-failpoint-'));
    const note = join(folder, 'struck');
    expect(met({ STOPLOG_FAILPOINTS: 'append.before=kill#3', STOPLOG_FAILPOINTS_STRUCK: note })).toMatchObject({ lines: '1 2', signal: 'SIGKILL' });
    expect(readFileSync(note, 'utf8')).toBe('append.before kill 3\n');
    rmSync(folder, { recursive: true });
  });
  test('a slow failpoint blocks its thread', () => {
    const timed = `${program} console.log(Math.round(performance.now()));`;
    const took = Number(
      execFileSync(process.execPath, ['--input-type=module', '-e', timed], {
        env: { ...process.env, STOPLOG_FAILPOINTS: 'append.before=slow:300' },
        timeout: 20_000,
        encoding: 'utf8',
      })
        .trim()
        .split('\n')
        .at(-1),
    );
    expect(took).toBeGreaterThanOrEqual(900);
  });
  test.each(['append.befor=kill', 'append.before', 'append.before=explode', 'append.before=kill#x'])(
    '%s is refused, with the names of all failpoints',
    (text) => {
      expect(() => parseFailpoints(text)).toThrow(expect.objectContaining({ code: 'STOPLOG_USAGE', message: expect.stringContaining(FAILPOINTS.join(', ')) }));
      expect(met({ STOPLOG_FAILPOINTS: text }).errors).toContain('STOPLOG_FAILPOINTS holds');
    },
  );
});
