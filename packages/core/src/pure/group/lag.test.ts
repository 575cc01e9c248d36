import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ageOf, drainSeconds, ratesBetween, readsFrom, recordsBehind } from './lag.ts';

describe('lag in records', () => {
  test('the lag is the number of offsets between the position and the end', () => expect(recordsBehind({ position: 40n, start: 0n, end: 100n })).toBe(60n));
  test('the lag of a group that never committed is every kept record', () => expect(recordsBehind({ position: undefined, start: 30n, end: 100n })).toBe(70n));
  test('the lag leaves out records that retention dropped before the group read them', () =>
    expect(recordsBehind({ position: 10n, start: 30n, end: 100n })).toBe(70n));
  test('the lag is 0 at the end and in an empty partition', () => {
    expect(recordsBehind({ position: 100n, start: 0n, end: 100n })).toBe(0n);
    expect(recordsBehind({ position: undefined, start: 0n, end: 0n })).toBe(0n);
  });
  test('the lag is never negative and never more than is kept, and reading resumes inside the log', () => {
    const offset = fc.bigInt({ min: 0n, max: 2n ** 53n });
    fc.assert(
      fc.property(fc.option(offset, { nil: undefined }), offset, offset, (position, a, b) => {
        const place = { position, start: a < b ? a : b, end: a < b ? b : a };
        const lag = recordsBehind(place);
        expect(lag >= 0n && lag <= place.end - place.start).toBe(true);
        expect(readsFrom(place) >= place.start).toBe(true);
      }),
    );
  });
});

describe('lag in time', () => {
  test('the age is that of the first unread record', () => expect(ageOf(1_000, 61_000)).toBe(60_000));
  test('the age is 0 when all records are read, or when the record is from the future', () => expect([ageOf(undefined, 5), ageOf(10, 5)]).toEqual([0, 0]));
});

describe('time to drain', () => {
  test.each([
    [720_000, 1_500, 1_200, 2_400],
    [720_000, 1_320, 1_200, 6_000],
    [0, 0, 1_200, 0],
  ])('%i behind, reading %i a second while %i are appended, takes %i s', (lag, consumed, produced, seconds) =>
    expect(drainSeconds(lag, consumed, produced)).toBe(seconds),
  );
  test.each([
    [720_000, 1_200, 1_200],
    [1, 0, 0],
    [1, 1_000, 1_200],
  ])('%i behind, reading %i a second while %i are appended, never ends', (lag, consumed, produced) =>
    expect(drainSeconds(lag, consumed, produced)).toBeUndefined(),
  );
  test('200 a second too many are 720,000 behind after an hour; 50 a second that take 3 s each are 150 waiting', () => {
    expect(recordsBehind({ position: BigInt(1_000 * 3_600), start: 0n, end: BigInt(1_200 * 3_600) })).toBe(720_000n);
    expect(recordsBehind({ position: BigInt(50 * 10 - 50 * 3), start: 0n, end: BigInt(50 * 10) })).toBe(150n);
  });
  test('the lag is gone after that time, if the rates stay', () => {
    const rate = fc.integer({ min: 0, max: 1_000_000 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000_000 }), rate, rate, (lag, consumed, produced) => {
        const seconds = drainSeconds(lag, consumed, produced);
        if (seconds === undefined) expect(consumed).toBeLessThanOrEqual(produced);
        else expect(lag + seconds * produced).toBeCloseTo(seconds * consumed, 2);
      }),
    );
  });
});

test('rates are the differences between two samples, and a reset backwards is not a negative rate', () => {
  expect(ratesBetween({ position: 0n, end: 10n }, { position: 30n, end: 40n }, 2)).toEqual({ consumed: 15, produced: 15 });
  expect(ratesBetween({ position: 30n, end: 40n }, { position: 0n, end: 40n }, 1)).toEqual({ consumed: 0, produced: 0 });
  expect(ratesBetween({ position: 0n, end: 0n }, { position: 1n, end: 1n }, 0)).toEqual({ consumed: 0, produced: 0 });
});
