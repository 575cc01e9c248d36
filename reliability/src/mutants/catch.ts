/** Runs the scenario of a mutant on a copy that has its bug, and returns the findings of the checkers. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Fault } from '../checkers/fault.ts';
import { damage } from '../faults/damage.ts';
import { fence } from '../faults/fence.ts';
import { cutPower } from '../faults/power.ts';
import { survivors } from '../faults/survivors.ts';
import { runFlagship } from '../flagship/flagship.ts';
import { copyWith } from './copy.ts';
import { chance } from '../harness/chance.ts';
import type { Mutant } from './mutants.ts';

export const catchMutant = async (
  folder: string,
  mutant: Pick<Mutant, 'file' | 'text' | 'instead'> | undefined,
  scenario: Mutant['scenario'],
): Promise<readonly Fault[]> => {
  const programs = copyWith(join(folder, 'copy'), mutant);
  const place = join(folder, scenario.kind);
  mkdirSync(place);
  switch (scenario.kind) {
    case 'fence':
      return (await fence(place, programs)).faults;
    case 'power':
      return (await cutPower({ unit: 1, folder: place, random: chance(1), send: () => {} }, scenario.images, programs)).faults;
    case 'survivors':
      return (await survivors(place, programs)).faults;
    case 'damage':
      return (await damage(place, programs)).faults;
    case 'flagship': {
      const { failpoint, hit } = scenario;
      const { faults, struck } = await runFlagship({
        folder: place,
        lives: [{ kind: 'failpoint', name: failpoint, mode: 'kill', hit }],
        recordsPerLife: 2_000,
        chunk: 100,
        spinUs: 0,
        reader: false,
        quietMs: 20_000,
        lifeMs: 20_000,
        programs,
      });
      if (faults.length === 0 && struck[failpoint] !== 1) throw new Error(`the failpoint ${failpoint} did not strike: the scenario proves nothing`);
      return faults;
    }
  }
};
