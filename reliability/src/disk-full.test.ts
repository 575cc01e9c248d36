/** F5: the disk is full while a pipeline runs; the pipeline continues by itself when there is space again. */
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { heard } from './checkers/fault.ts';
import { readFinal } from './flagship/final.ts';
import { judgeWhole } from './flagship/verdict.ts';
import { Child } from './harness/child.ts';
import { withFolder } from './harness/folder.ts';

const RECORDS = 20_000;

test('F5: a pipeline on a full disk refuses appends by name, lives, and settles when there is space, with nothing lost or torn', async ({ skip }) => {
  await withFolder(async (folder) => {
    const disk = join(folder, 'disk');
    execFileSync('mkdir', [disk]);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=12m', 'tmpfs', disk], { stdio: 'pipe' });
    } catch (error) {
      return skip(`mount was refused: ${String(error)}`);
    }
    const [data, history, ballast] = [join(disk, 'log'), join(folder, 'history'), join(disk, 'ballast')];
    let app: Child | undefined;
    try {
      writeFileSync(ballast, Buffer.alloc(10_000_000, 1));
      await readFinal(data);
      app = new Child('flagship/app.child.js', [data, history, 'app', `${RECORDS}`, '200', 'end'], { env: { CAREFUL: 'yes' }, limitMs: 60_000 });
      expect(await app.said('refused')).toBe('refused STOPLOG_LOG_FULL');
      rmSync(ballast);
      app.send('there is space');
      await app.said('settled');
      expect(await app.ended).toMatchObject({ code: 0, signal: null });
      const verdict = await judgeWhole(data, history, RECORDS, 60_000);
      expect(heard(verdict.faults)).toEqual([]);
      expect(verdict.records).toBe(RECORDS);
    } finally {
      await app?.kill();
      execFileSync('umount', [disk]);
    }
  });
}, 90_000);
