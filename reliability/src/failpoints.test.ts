/** F2: the process kills itself at each of its failpoints. */
import { FAILPOINTS } from '@stoplog/core/private/failpoints';
import { expect, test } from 'vitest';
import { heard } from './checkers/fault.ts';
import { ELSEWHERE, failpointLives } from './flagship/at-failpoints.ts';
import { runFlagship } from './flagship/flagship.ts';
import { chance, seedFor } from './harness/chance.ts';
import { withFolder } from './harness/folder.ts';

test('F2: a process that is killed at every failpoint, at its first, second or a later hit, loses, doubles and tears nothing, and its stores equal the reference after every death', async () => {
  await withFolder(async (folder) => {
    const random = chance(seedFor('F2'));
    const lives = failpointLives('first', random).map(
      (first, i) => [first, failpointLives('second', random)[i]!, failpointLives('random', random)[i]!][Math.floor(random() * 3)]!,
    );
    const { faults, struck, ...figures } = await runFlagship({ folder, lives, recordsPerLife: 2_000, chunk: 100 });
    console.log('F2:', figures, struck);
    expect(heard(faults)).toEqual([]);
    expect(Object.keys(struck).sort()).toEqual(FAILPOINTS.filter((name) => !ELSEWHERE.has(name)).sort());
    expect(figures.kills).toBe(lives.length);
    expect(figures.sometimes['killed inside a transaction']).toBeGreaterThan(0);
    expect(figures.sometimes['killed between visible and acknowledged']).toBeGreaterThan(0);
  });
}, 170_000);
