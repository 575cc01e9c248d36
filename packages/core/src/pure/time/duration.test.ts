import { describe, expect, expectTypeOf, test } from 'vitest';
import { days, hours, milliseconds, minutes, seconds, type Millis } from './duration.ts';

describe('a duration', () => {
  test('a duration is whole milliseconds', () => {
    expect([milliseconds(5), seconds(30), minutes(5), hours(1), days(7)]).toEqual([5, 30_000, 300_000, 3_600_000, 604_800_000]);
    expect([seconds(1.1), seconds(0.001), minutes(0)]).toEqual([1_100, 1, 0]);
    expect(Object.is(seconds(-0), 0)).toBe(true);
  });

  test('a bare number is not a duration', () => {
    expectTypeOf(seconds(1)).toEqualTypeOf<Millis>();
    expectTypeOf<Millis>().toExtend<number>();
    expectTypeOf<number>().not.toExtend<Millis>();
  });

  test.each([NaN, -1, -0.0001, Infinity, -Infinity, 1e300, 0.0001, '5' as unknown as number, undefined as unknown as number])('seconds(%s) is refused', (n) => {
    expect(() => seconds(n)).toThrow(expect.objectContaining({ code: 'STOPLOG_USAGE', message: expect.stringMatching(/is no duration: .*seconds\(30\)$/) }));
  });
});
