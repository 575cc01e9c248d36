import { secondsText } from '@stoplog/runtime/kit';
import { expect, test } from 'vitest';
import { drainText, durationIn, exactDurationText } from './duration-text.ts';

test.each([
  [0, '0 ms'],
  [0.85, '850 ms'],
  [0.9996, '1.0 s'],
  [3.21, '3.2 s'],
  [59.97, '1 min'],
  [250, '4 min 10 s'],
  [2_400, '40 min'],
  [7_500, '2 h 5 min'],
  [273_600, '3 d 4 h'],
])('%d seconds are %s', (seconds, text) => expect(secondsText(seconds)).toBe(text));
test.each([
  [0, '0 ms'],
  [1_500, '1 s 500 ms'],
  [604_860_000, '7 d 1 min'],
  [75_600_000, '21 h'],
])('%d ms are exactly %s', (ms, text) => expect(exactDurationText(ms)).toBe(text));
test('what drains says when, and what does not says never', () => expect([drainText(2_400), drainText(undefined)]).toEqual(['in 40 min', 'never']));
test.each([
  ['500ms', 500],
  ['90s', 90_000],
  ['1.5h', 5_400_000],
  ['7d', 604_800_000],
  ['PT15M', 900_000],
  ['P1DT12H', 129_600_000],
  ['PT0.5S', 500],
])('%s is %i ms', (text, ms) => expect(durationIn(text, 'retention')).toBe(ms));
test.each(['', '15', '-5m', '5 m', 'P', 'PT', 'P1Y', 'tomorrow', '99999999999d', 'P99999999999D'])("'%s' is no duration", (text) => {
  expect(() => durationIn(text, 'retention')).toThrow(/^--retention '.*' is no duration: write 90s, 15m, 2h or 7d/);
});
