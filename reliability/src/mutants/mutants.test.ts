/** Who checks the checkers: a suite that passes on a broken product is worth nothing. */
import { describe, expect, test } from 'vitest';
import { told } from '../checkers/fault.ts';
import { withFolder } from '../harness/folder.ts';
import { catchMutant } from './catch.ts';
import { MUTANTS } from './mutants.ts';

const scenarios = [...new Map(MUTANTS.map(({ scenario }) => [JSON.stringify(scenario), scenario])).values()];

test('there are ten', () => expect(MUTANTS.length).toBe(10));
describe('what is not broken is not complained of', () => {
  test.each(scenarios.map((scenario) => [JSON.stringify(scenario), scenario] as const))('%s', async (_, scenario) => {
    await withFolder(async (folder) => expect(told(await catchMutant(folder, undefined, scenario))).toEqual([]));
  });
});
describe('a core that', () => {
  test.each(MUTANTS.map((mutant) => [mutant.name, mutant] as const))('%s is caught', async (name, mutant) => {
    await withFolder(async (folder) => {
      const faults = await catchMutant(folder, mutant, mutant.scenario);
      console.log(`${name}: ${told(faults, 2).join('; ').slice(0, 300)}`);
      expect(faults.map(({ kind }) => kind)).toContain(mutant.shows);
    });
  });
});
