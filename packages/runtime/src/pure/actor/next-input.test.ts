import { describe, expect, test } from 'vitest';
import { nextInput } from './next-input.ts';

describe('the next record', () => {
  test('the input whose head has the lowest timestamp is next', () => {
    expect(nextInput([30, 10, 20])).toBe(1);
    expect(nextInput([-5, 0, -6])).toBe(2);
  });
  test('of equal timestamps, the input that is listed first is next', () => {
    expect(nextInput([7, 7, 7])).toBe(0);
    expect(nextInput([undefined, 7, 7])).toBe(1);
  });
  test('an input without a head is passed over, and without any head the result is -1', () => {
    expect(nextInput([undefined, 5])).toBe(1);
    expect(nextInput([undefined, undefined])).toBe(-1);
    expect(nextInput([])).toBe(-1);
  });
  test('any finite timestamp is compared, however extreme', () => {
    expect(nextInput([Number.MAX_SAFE_INTEGER])).toBe(0);
    expect(nextInput([Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER])).toBe(1);
  });
});
