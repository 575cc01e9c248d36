import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Pace } from './pace.ts';

test('for any load and any inexact waits, no more bytes pass than the rate allows and one step', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1_000, max: 1e9 }),
      fc.array(fc.record({ bytes: fc.nat(300_000), inexact: fc.double({ min: -0.5, max: 3, noNaN: true }) }), { minLength: 1, maxLength: 50 }),
      (rate, steps) => {
        const pace = new Pace(rate);
        let ms = 0;
        let bytes = 0;
        for (const step of steps) {
          // The step before, and a debt too small for a timer, may be ahead of the clock.
          expect(bytes).toBeLessThanOrEqual(((ms + 5) / 1_000) * rate + 1 + bytes * 1e-9);
          bytes += step.bytes;
          for (let wait = pace.owe(step.bytes); wait > 0; wait = pace.owe(0)) {
            const took = Math.max(1, wait * (1 + step.inexact));
            ms += took;
            pace.waited(took);
          }
        }
      },
    ),
  );
});
test('small debts add up until they are worth a timer', () => {
  const pace = new Pace(1_000_000);
  expect([pace.owe(3_000), pace.owe(1_000), pace.owe(2_000)]).toEqual([0, 0, 6]);
  pace.waited(50);
  expect(pace.owe(4_000)).toBe(0);
});
