/** Checks the checkers: a suite that passes on a broken product is worth nothing. */
import { describe, expect, test } from 'vitest';
import { heard } from '../checkers/fault.ts';
import { canRecord } from '../faults/power.ts';
import { withFolder } from '../harness/folder.ts';
import { catchMutant } from './catch.ts';
import { MUTANTS, type Mutant } from './mutants.ts';

const scenarios = [...new Map(MUTANTS.map(({ scenario }) => [JSON.stringify(scenario), scenario])).values()];

const whyNot = ({ kind }: Mutant['scenario']): string | undefined =>
  kind === 'power' && !canRecord() ? 'power cuts are made from a recording by strace, which is not here' : undefined;

test('the suite has fourteen mutants', () => expect(MUTANTS.length).toBe(14));
describe('an unbroken core has no findings', () => {
  test.for(scenarios.map((scenario) => [JSON.stringify(scenario), scenario] as const))('%s', async ([, scenario], { skip }) => {
    skip(whyNot(scenario) !== undefined, whyNot(scenario));
    await withFolder(async (folder) => expect(heard(await catchMutant(folder, undefined, scenario))).toEqual([]));
  });
});
describe('a core that', () => {
  test.for(MUTANTS.map((mutant) => [mutant.name, mutant] as const))('%s is caught', async ([name, mutant], { skip }) => {
    skip(whyNot(mutant.scenario) !== undefined, whyNot(mutant.scenario));
    await withFolder(async (folder) => {
      const faults = await catchMutant(folder, mutant, mutant.scenario);
      console.log(`${name}: ${heard(faults, 2).join('; ').slice(0, 300)}`);
      expect(faults.map(({ kind }) => kind)).toContain(mutant.shows);
    });
  });
});
