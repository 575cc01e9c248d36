/** F13: processes started by a handler, in the middle of everything. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { heard } from './checkers/fault.ts';
import { readFinal } from './flagship/final.ts';
import type { Offspring } from './flagship/offspring.ts';
import { judgeWhole } from './flagship/verdict.ts';
import { Child } from './harness/child.ts';
import { withFolder } from './harness/folder.ts';

const RECORDS = 6_000;

test("F13: a process that a handler has started outlives its parent's kill, holds no lock of the log, and costs neither that parent nor the next", async () => {
  await withFolder(async (folder) => {
    const [data, history] = [join(folder, 'log'), join(folder, 'history')];
    const start = (name: string, stay: 'stay' | 'asked', spinUs: number): Child =>
      new Child('flagship/app.child.js', [data, history, name, `${RECORDS}`, '200', stay], { env: { OFFSPRING: 'yes', SPIN_US: `${spinUs}` } });
    const offspring: Offspring[] = [];
    const born = async (parent: Child): Promise<void> => void offspring.push(JSON.parse((await parent.said('offspring ')).slice(10)) as Offspring);
    try {
      await readFinal(data);
      // Slow enough that records are left for the second life: up to 12 s for what its process needs to be born.
      const killed = start('killed', 'stay', 2_000);
      await born(killed);
      expect(await killed.kill()).toMatchObject({ signal: 'SIGKILL', errors: '' });
      expect(heard((await judgeWhole(data, history, RECORDS, undefined)).faults)).toEqual([]);

      // Asked to close only when its own process is there: it handles all records in less time than a process takes to start.
      const closed = start('closed', 'asked', 0);
      await born(closed);
      closed.send('close');
      // The process closes although its children live.
      expect(await closed.ended).toMatchObject({ code: 0, errors: '' });
      for (const { pid } of offspring) expect(() => process.kill(pid, 0)).not.toThrow();
      const verdict = await judgeWhole(data, history, RECORDS, 60_000);
      expect(heard(verdict.faults)).toEqual([]);
      expect(verdict.records).toBe(RECORDS);
      // LMDB lets a child inherit the descriptor of the data file, which is harmless unless the child writes to it;
      // descriptors of locks are not inherited.
      expect(offspring.flatMap(({ files }) => files).filter((file) => file.includes(folder) && !file.endsWith('/data.mdb'))).toEqual([]);
      if (process.platform === 'linux') expect(offspring.map(({ files }) => files.length > 0)).toEqual([true, true]);
    } finally {
      for (const { pid } of offspring) process.kill(pid, 'SIGKILL');
    }
  });
}, 60_000);
