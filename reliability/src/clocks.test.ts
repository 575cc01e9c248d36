/** F10: the wall clock decides nothing. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { heard } from './checkers/fault.ts';
import { runFlagship } from './flagship/flagship.ts';
import { PROGRAMS } from './harness/child.ts';
import { withFolder } from './harness/folder.ts';

test('F10: under a clock that jumps an hour back, a day on, to 1970 and stands still, kills cost nothing and everything settles', async () => {
  await withFolder(async (folder) => {
    const lives = [
      { kind: 'random', afterMs: 120 },
      { kind: 'failpoint', name: 'commit.applied', mode: 'kill', hit: 2 },
    ] as const;
    const notes = join(folder, 'clocks');
    const { faults, records } = await runFlagship({
      folder,
      lives,
      recordsPerLife: 3_000,
      env: { NODE_OPTIONS: `--import ${PROGRAMS}harness/clock.child.js`, CLOCK_NOTES: notes },
      reader: false,
    });
    expect(heard(faults)).toEqual([]);
    expect(records).toBe(6_000);
    // In each of the three lives: the main thread, two of actors, and the log's writer.
    const threads = new Set(readFileSync(notes, 'utf8').trim().split('\n'));
    expect(threads.size).toBeGreaterThanOrEqual(3 * 4);
  });
}, 60_000);
