import { expect, test } from 'vitest';
import { resetIn } from './reset-text.ts';

test('a reset policy is a word, or how long ago', () => {
  expect(['earliest', 'latest', 'fail', '2h', 'PT15M'].map(resetIn)).toEqual(['earliest', 'latest', 'fail', { ago: 7_200_000 }, { ago: 900_000 }]);
  expect(() => resetIn('never')).toThrow(/^--reset 'never' says not where to go on: give earliest, latest, a duration such as 2h, or fail$/);
});
