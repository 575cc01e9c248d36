/** F10: what the wall clock says decides nothing. */
import { expect, test } from 'vitest';
import { told } from './checkers/fault.ts';
import { runFlagship } from './flagship/flagship.ts';
import { PROGRAMS } from './harness/child.ts';
import { withFolder } from './harness/folder.ts';

test('F10: under a clock that jumps an hour back, a day on, to 1970 and stands still, kills cost nothing and everything settles', async () => {
  await withFolder(async (folder) => {
    const lives = [
      { kind: 'random', afterMs: 120 },
      { kind: 'failpoint', name: 'commit.applied', mode: 'kill', hit: 2 },
    ] as const;
    const { faults, records } = await runFlagship({
      folder,
      lives,
      recordsPerLife: 3_000,
      nodeArgs: ['--import', `${PROGRAMS}harness/clock.child.js`],
      reader: false,
    });
    expect(told(faults)).toEqual([]);
    expect(records).toBe(6_000);
  });
}, 60_000);
