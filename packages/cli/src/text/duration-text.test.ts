import { exactDurationText, secondsText } from '@stoplog/runtime/kit';
import { expect, test } from 'vitest';
import { drainText, durationIn } from './duration-text.ts';

test.each([
  [0, '0ms'],
  [0.85, '850ms'],
  [0.9996, '1s'],
  [3.21, '3.2s'],
  [59.97, '1m'],
  [250, '4m 10s'],
  [2_400, '40m'],
  [7_500, '2h 5m'],
  [273_600, '3d 4h'],
])('%d seconds are %s', (seconds, text) => expect(secondsText(seconds)).toBe(text));
test.each([
  [0, '0ms'],
  [1_500, '1s 500ms'],
  [604_860_000, '7d 1m'],
  [75_600_000, '21h'],
])('%d ms are exactly %s', (ms, text) => expect(exactDurationText(ms)).toBe(text));
test('a lag that drains shows the time, and one that does not shows never', () =>
  expect([drainText(2_400), drainText(undefined)]).toEqual(['in 40m', 'never']));
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
