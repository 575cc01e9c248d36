/** S3: another process's view of a store, at any moment. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { heard } from './checkers/fault.ts';
import { readFinal } from './flagship/final.ts';
import { judgeWhole } from './flagship/verdict.ts';
import { Child } from './harness/child.ts';
import { withFolder } from './harness/folder.ts';

const RECORDS = 20_000;

test("S3: another process sees a store neither ahead of its group's position nor behind it, while actors commit, die and rejoin", async () => {
  await withFolder(async (folder) => {
    const [data, history] = [join(folder, 'log'), join(folder, 'history')];
    const start = (name: string, stay: 'stay' | 'end'): Child =>
      new Child('flagship/app.child.js', [data, history, name, `${RECORDS}`, '500', stay], { env: { SPIN_US: '100' } });
    await readFinal(data);
    const watcher = new Child('flagship/watcher.child.js', [data]);
    await watcher.said('watching');
    const killed = start('killed', 'stay');
    await killed.said('produced');
    expect(await killed.kill()).toMatchObject({ signal: 'SIGKILL', errors: '' });
    expect(await start('last', 'end').ended).toMatchObject({ code: 0, errors: '' });
    watcher.send('end');
    expect(await watcher.ended).toMatchObject({ code: 0, errors: '' });
    const looked = JSON.parse(watcher.lines.at(-1)!.slice(7)) as { readonly times: number; readonly moved: number };
    console.log('S3: looked', looked);
    expect(watcher.lines.filter((line) => line.startsWith('wrong'))).toEqual([]);
    expect(looked.moved).toBeGreaterThan(20);
    expect(heard((await judgeWhole(data, history, RECORDS, 60_000)).faults)).toEqual([]);
  });
}, 60_000);
