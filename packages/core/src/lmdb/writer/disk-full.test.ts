import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { start, withFolder } from '../fixtures/child.ts';

interface Report {
  readonly codes?: readonly string[];
  readonly code?: string;
  readonly kept: number;
  readonly read: number;
}

test('a full disk refuses appends by name; the process lives, reads continue, and appends succeed again once there is space', async ({ skip }) => {
  await withFolder(async (folder) => {
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', folder], { stdio: 'pipe' });
    } catch (error) {
      return skip(`mount was refused: ${String(error)}`);
    }
    const ballast = join(folder, 'ballast');
    writeFileSync(ballast, Buffer.alloc(3_000_000, 1));
    const child = start('fill', join(folder, 'log'));
    try {
      const full = JSON.parse(await child.said('{')) as Report;
      expect(full.codes!.slice(0, 2)).toEqual(['STOPLOG_LOG_FULL', 'STOPLOG_LOG_FULL']);
      expect(full.codes!.slice(2).every((code) => code === 'STOPLOG_LOG_FULL')).toBe(true);
      expect(full.kept).toBeGreaterThan(10);
      expect(full.read).toBe(full.kept);
      rmSync(ballast);
      child.process.stdin!.write('there is space\n');
      const after = JSON.parse(await child.said('{', 1)) as Report;
      expect(after).toEqual({ code: 'no end', kept: full.kept + 3, read: full.kept + 3 });
      expect(await child.ended).toMatchObject({ code: 0, signal: null });
    } finally {
      child.kill();
      await child.ended;
      execFileSync('umount', [folder]);
    }
  });
}, 20_000);
