/** O24: a slow consumer after a fast sender dies with a full queue. Threads do so in runtime/src/shell/terminate.test.ts. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { heard } from './checkers/fault.ts';
import { checkModel } from './checkers/model-checker.ts';
import { readFinal } from './flagship/final.ts';
import { judgeWhole } from './flagship/verdict.ts';
import { Child } from './harness/child.ts';
import { withFolder } from './harness/folder.ts';

const RECORDS = 8_000;

test('O24: a process that is killed while the queues of its actors are full loses no record of them, and has none twice', async () => {
  await withFolder(async (folder) => {
    const [data, history] = [join(folder, 'log'), join(folder, 'history')];
    const start = (name: string, upTo: number, stay: 'stay' | 'end', spinUs: number): Child =>
      new Child('flagship/app.child.js', [data, history, name, `${upTo}`, '1000', stay], { env: { SPIN_US: `${spinUs}` } });
    await readFinal(data);
    for (const incarnation of [1, 2]) {
      // The records are there in a moment; handling them takes seconds.
      const slow = start(`slow ${incarnation}`, incarnation * RECORDS, 'stay', 600);
      await slow.said('produced');
      expect(await slow.kill()).toMatchObject({ signal: 'SIGKILL', errors: '' });
      const { taken, appended } = checkModel((await readFinal(data)).state);
      expect(appended).toBe(incarnation * RECORDS);
      expect(appended - taken).toBeGreaterThan(2_000);
      expect(heard((await judgeWhole(data, history, appended, undefined)).faults)).toEqual([]);
    }
    expect(await start('quick', 2 * RECORDS, 'end', 0).ended).toMatchObject({ code: 0, errors: '' });
    expect(heard((await judgeWhole(data, history, 2 * RECORDS, 60_000)).faults)).toEqual([]);
  });
}, 100_000);
