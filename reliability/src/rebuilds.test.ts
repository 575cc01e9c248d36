/** N20 and kills: a store is rebuilt, exchanged and taken back, again and again, by programs that are killed, while others append. */
import { expect, test } from 'vitest';
import { chance, seedFor } from './harness/chance.ts';
import { withFolder } from './harness/folder.ts';
import { liveAndDie } from './rebuild/lives.ts';

const KILLS = 8;

test('N20: programs of two versions that are killed in rebuilds and exchanges lose nothing, and do nothing twice', async () => {
  await withFolder(async (folder) => {
    const { faults, figures } = await liveAndDie({ kills: KILLS, appenders: 2, folder, random: chance(seedFor('rebuilds')) });
    console.log(JSON.stringify(figures));
    expect(faults).toEqual([]);
    expect(figures.kills).toBe(KILLS);
    // A run without either would prove nothing.
    expect(figures.exchanges).toBeGreaterThanOrEqual(1);
    expect(figures.records).toBeGreaterThan(0);
  });
}, 240_000);
