/** F1: the process is killed at any moment, sends and all. */
import { expect, test } from 'vitest';
import { heard } from './checkers/fault.ts';
import { runFlagship } from './flagship/flagship.ts';
import { chance, seedFor } from './harness/chance.ts';
import { withFolder } from './harness/folder.ts';

const KILLS = 25;
const RECORDS_PER_LIFE = 4_100;

test('F1: a process that is killed 25 times at random, over 100,000 records and more, loses and doubles none, keeps their order, and its stores equal the reference after every death', async () => {
  await withFolder(async (folder) => {
    const random = chance(seedFor('F1'));
    const lives = Array.from({ length: KILLS }, () => ({ kind: 'random', afterMs: random() * 180 }) as const);
    const { faults, recoveryMs, ...figures } = await runFlagship({ folder, lives, recordsPerLife: RECORDS_PER_LIFE, checkEvery: 5 });
    console.log('F1:', figures);
    expect(heard(faults)).toEqual([]);
    expect(figures).toMatchObject({ records: KILLS * RECORDS_PER_LIFE, kills: KILLS, polled: 2 * KILLS * RECORDS_PER_LIFE });
    // A run whose kills all missed would prove nothing.
    expect(figures.sometimes['killed between send and acknowledgement']).toBeGreaterThan(0);
    expect(figures.sometimes['killed in the middle of the input']).toBeGreaterThan(0);
    expect(figures.sometimes['killed between two tasks']).toBeGreaterThan(0);
    expect(recoveryMs.length).toBe(KILLS);
  });
}, 170_000);
