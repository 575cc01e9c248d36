import { expect, test } from 'vitest';
import { checkClosedForm } from './closed-form.ts';

const whole = (key: string, n: number): readonly (readonly [string, number])[] => Array.from({ length: n }, (_, i) => [key, i] as const);
test('the numbers 0 … n − 1, once each and in any order, are whole', () => {
  expect(checkClosedForm('copies of', [...whole('a', 10).toReversed(), ...whole('b', 1)])).toEqual([]);
  expect(checkClosedForm('copies of', [])).toEqual([]);
});
test.each([
  ['the first is lost', whole('a', 10).slice(1)],
  ['one in the middle is lost', whole('a', 10).filter(([, n]) => n !== 4)],
  ['one is doubled', [...whole('a', 10), ['a', 4] as const]],
  ['one is lost and another doubled', [...whole('a', 10).filter(([, n]) => n !== 4), ['a', 5] as const]],
  ['one is changed', whole('a', 10).map(([key, n]) => [key, n === 9 ? 90 : n] as const)],
])('a figure differs when %s', (_, records) => expect(checkClosedForm('copies of', records)).toMatchObject([{ kind: 'closed form' }]));
