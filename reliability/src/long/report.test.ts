import { describe, expect, test } from 'vitest';
import { commandFor, parseArguments } from './arguments.ts';
import { stagesNamed, type Stage } from './stage.ts';
import { boundOf, passed, startResult, table, type StageResult } from './report.ts';

const result = (changes: Partial<StageResult>): StageResult => ({
  ...startResult({ id: 'F1', title: 'killed', units: 2, run: () => Promise.reject(new Error('not run here')) }),
  unitsDone: 1,
  figures: {
    kills: 1_000,
    records: 10_000_000,
    'killed between send and acknowledgement': 1,
    'killed in the middle of the input': 1,
    'killed between two tasks': 1,
  },
  ...changes,
});

describe('a long run', () => {
  test('a long run without failures claims at most three in the number of its trials', () => {
    expect([boundOf(0), boundOf(20), boundOf(1_000), boundOf(10_000)]).toEqual(['none', '< 15 %', '< 0.30 %', '< 0.030 %']);
    expect(table([result({})])).toContain('< 0.30 %');
    expect(table([result({ faults: ['unit 0: lost'] })])).not.toContain('%  ');
  });
  test('a long run has passed when no fault was found, and every rare event happened', () => {
    expect(passed([result({})])).toBe(true);
    expect(passed([result({ faults: ['unit 0: lost'] })])).toBe(false);
    expect(passed([result({ figures: { kills: 1_000 } })])).toBe(false);
    expect(table([result({ figures: { kills: 1_000 } })])).toContain('never met: killed between send');
    expect(passed([result({ unitsDone: 0, figures: {} })])).toBe(true);
  });
  test('a long run has the requested stages only, and all of them', () => {
    const stages = ['F1', 'F9', 'L11'].map((id): Stage => ({ id, title: id, units: 1, run: () => Promise.reject(new Error('not run here')) }));
    const named = (only: readonly string[] | undefined): readonly string[] => stagesNamed(stages, only).map(({ id }) => id);
    expect([named(undefined), named(['L11', 'F1'])]).toEqual([
      ['F1', 'F9', 'L11'],
      ['F1', 'L11'],
    ]);
    for (const wrong of [['F99'], ['f1'], ['F1', '']]) expect(() => named(wrong)).toThrow(/^there is no stage '.*': --only takes F1,F9,L11$/);
  });
  test('a long run takes its size from the command line, and refuses unknown options', () => {
    expect(parseArguments(['--long'], 7)).toEqual({ minutes: 60, kills: 1_000, records: 10_000_000, seed: 7, only: undefined, unit: undefined });
    expect(parseArguments(['--long', '--minutes', '5', '--only', 'F1,F9', '--seed', '3'], 7)).toMatchObject({ minutes: 5, seed: 3, only: ['F1', 'F9'] });
    for (const wrong of [
      ['--long', '--kill', '5'],
      ['--minutes'],
      ['--minutes', 'x'],
      ['--minutes', '-1'],
      ['--unit', '3'],
      ['--unit', '3', '--only', 'F1,F2', '--seed', '1'],
      ['--unit', '3', '--only', 'F1'],
    ])
      expect(() => parseArguments(wrong, 7)).toThrow(/npm run reliability/);
  });
  test('a report gives the command that repeats a failed unit, and the command line understands it', () => {
    for (const size of [{}, { kills: 40, records: 400_000 }]) {
      const all = { ...parseArguments([], 7), ...size };
      const [, , , , ...args] = commandFor('F18', 4, all).split(' ');
      expect(parseArguments(args, 1)).toEqual({ ...all, only: ['F18'], unit: 4 });
    }
  });
});
